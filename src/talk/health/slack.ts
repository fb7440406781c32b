import { counted } from '../../commands/kit/page.ts';
import { mentionedGroups } from '../../policy/memberships.ts';
import { code, joined, mention, say } from '../../words/text.ts';
import { opsTrouble } from '../../post/ops-channel-health.ts';
import type { HealthContext } from './context.ts';
import { bad, well, type CheckResult } from './check-result.ts';

/** Checks of Slack. */

const maxGroups = 5;

export async function slack({ askSlack }: HealthContext): Promise<CheckResult> {
  try {
    const { botUserId } = await askSlack();
    return well(say`answers; I am ${mention(botUserId)}`);
  } catch {
    return bad(
      "doesn't say who I am",
      say`Whoever runs Sitehand should check ${code('SLACK_BOT_TOKEN')} and status.slack.com.`,
    );
  }
}

export async function userGroups({ policy, membersOf, groupTrouble }: HealthContext): Promise<CheckResult> {
  const groups = mentionedGroups(policy());
  if (groups.length === 0) return well(say`the rules name none`);
  const members = await Promise.all(groups.map(membersOf));
  const unknown = groups.filter((_, at) => members[at] === undefined);
  const empty = groups.filter((_, at) => members[at]?.length === 0);
  if (unknown.length + empty.length === 0)
    return well(say`${counted(groups.length, 'group')}, and I can see who is in them`);
  const unread = unknown.map((id) => say`${code(id)} (${groupTrouble(id) ?? 'no answer'})`);
  const says = joined(
    [
      unread.length > 0 ? say`Slack doesn't tell who is in ${shortList(unread)}` : undefined,
      empty.length > 0 ? say`nobody is in ${shortList(empty.map(code))}` : undefined,
    ],
    '; ',
  );
  const effect =
    'Until I can read a group, rules that deny it something deny that to everybody, and rules that allow it something allow that to nobody.';
  return bad(
    says,
    say`Please check the groups in Slack, the policy, and the scope ${code('usergroups:read')}.${unread.length > 0 ? ` ${effect}` : ''}`,
  );
}

function shortList(all: readonly (CheckResult['says'] | ReturnType<typeof code>)[]): CheckResult['says'] {
  const more = all.length > maxGroups ? ` and ${all.length - maxGroups} more` : '';
  return say`${joined(all.slice(0, maxGroups), ', ')}${more}`;
}

export async function opsChannel(context: HealthContext): Promise<CheckResult> {
  const trouble = await opsTrouble(context.database.db, context);
  return trouble ? bad(trouble.says, trouble.hint) : well(say`accepts posts, as far as I can see`);
}
