import type { KnownBlock } from '@slack/types';
import { catalogue } from '../../commands/index.ts';
import { assertMember } from '../../pipeline/access/authorise.ts';
import { standingTo } from '../../pipeline/access/may-run.ts';
import { overviewFor } from '../../pipeline/steps/overview.ts';
import type { Card } from '../../pipeline/changes/card.ts';
import { notToldQuietly } from '../../pipeline/access/unknown-groups.ts';
import { mentionedGroups } from '../../policy/people.ts';
import { Refusal } from '../../errors.ts';
import { amount, bold, code, joined, say, type Text } from '../../text.ts';
import { drawCard, richText } from '../draw/blocks.ts';
import { charactersIn } from '../draw/truncate.ts';
import type { SlackContext } from '../context/context.ts';

/** Slack takes a hundred; what does not fit is left out from the end, and counted. */
const maxBlocks = 95;
const longest = 60_000;

/** App Home: what waits for this person, what they asked for, what happened lately, and what they may run. */
export async function publishHome(context: SlackContext, id: string): Promise<void> {
  const { drawn, numbers } = await homeOf(context, id);
  const blocks: KnownBlock[] = [];
  let size = 0;
  for (const block of drawn) {
    size += JSON.stringify(block).length;
    if (blocks.length === maxBlocks || size > longest) break;
    blocks.push(block);
  }
  const left = charactersIn(drawn.slice(blocks.length));
  if (left > 0) blocks.push(richText([say`The rest is too long for this page: ${amount(left)} characters more.`]));
  await context.views.views.publish({ user_id: id, view: { type: 'home', blocks } });
  context.homes.drew(id, numbers);
}

/** Draws the homes anew that show what has moved: of those who have opened theirs lately, as many as Slack allows. */
export async function redrawHomes(context: SlackContext): Promise<void> {
  const { homes, log } = context;
  for (const id of homes.take()) {
    try {
      await publishHome(context, id);
    } catch (error) {
      homes.failed(id);
      log.warn({ err: error }, 'a home stays old');
    }
  }
}

type DrawnHome = { readonly drawn: readonly KnownBlock[]; readonly numbers: readonly number[] };
const onlySaying = (text: Text): DrawnHome => ({ drawn: [richText([text])], numbers: [] });

async function homeOf({ people, front, queryService }: SlackContext, id: string): Promise<DrawnHome> {
  const policy = front.policy();
  const person = await people.glanced(id, mentionedGroups(policy));
  if (person === undefined) {
    return onlySaying(say`Slack does not tell me right now who you are. Come back in a minute.`);
  }
  try {
    assertMember(person);
  } catch (error) {
    if (error instanceof Refusal) return onlySaying(error.says);
    throw error;
  }
  const { toDecide, mine, more, recent, numbers } = await overviewFor(queryService, person);
  const runnable = [...catalogue].flatMap(([path, command]) => {
    const is = standingTo(policy, person, path, command);
    const line = joined([code(path), command.summary], '  ');
    return is === 'no' ? [] : [is === 'yes' ? line : say`${line}  ⚠️ ${notToldQuietly(is)}`];
  });
  const drawn = [
    heading('Waiting for your decision'),
    ...(toDecide.length > 0 ? toDecide.flatMap(whole) : [nothing(say`Nothing waits for you.`)]),
    ...notShown(more.toDecide, 'changes --waiting'),
    heading('Yours, under way'),
    ...(mine.length > 0 ? mine.flatMap(whole) : [nothing(say`Nothing of yours is under way.`)]),
    ...notShown(more.mine, 'changes --mine'),
    heading('Lately'),
    recent.length > 0
      ? richText(recent.map(inOneLine))
      : nothing(say`Nothing has been asked for yet. Try ${code('/site help')}.`),
    heading('What you may run'),
    richText(runnable),
  ];
  return { drawn, numbers };
}

const heading = (title: string): KnownBlock => richText([[bold(title)]]);
const nothing = (text: Text): KnownBlock => richText([text]);
const notShown = (more: number, words: string): readonly KnownBlock[] =>
  more === 0 ? [] : [richText([say`And ${amount(more)} more: ${code(`/site ${words}`)}.`])];
/** The card as it stands in its channel, with its buttons. */
const whole = (card: Card): readonly KnownBlock[] => drawCard(card).blocks;
const inOneLine = ({ mark, headline, lines }: Card): Text => joined([mark, headline, lines[0]], '  ');
