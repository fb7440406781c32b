import { bold, code, inline, joined, mention, say, time, typed, type Text } from '../../words/text.ts';
import { builtin } from '../kit/builtin.ts';
import type { TrailLine } from '../kit/audit.ts';
import { anyEnvironment, moment, option, member, withHint } from '../kit/fields.ts';
import { counted, tableOr } from '../kit/page.ts';
import { momentAt } from '../kit/values/times.ts';

export const audit = builtin({
  summary: 'Read the audit trail: who did what, when, and by which rule',
  button: 'Read the trail',
  also: `
    audit log, audit trail, trail, security log, who did what, what did <person>, did <person> do, <person> did,
    what <person> done, <person> done, what has <person> done`,
  right: 'named',
  examples: ['acme-shop/live --since 7d'],
  fields: {
    env: anyEnvironment(),
    since: { ...option(moment('Since')), shown: '7d', hint: 'From when on.' },
    by: withHint('Only what this person did.', option(member('By'))),
  },
  answer: async ({ input: { env, since, by }, queryService }) => {
    const from = since && momentAt(since, queryService.now, queryService.person.zone);
    const { lines, more } = await queryService.trail({ env, since: from, by });
    const about = joined([
      say`**Audit trail**`,
      env && say`of ${bold(env.name)}`,
      by === undefined ? undefined : say`by ${mention(by)}`,
      from === undefined ? undefined : say`since ${time(from, 'date')}`,
    ]);
    return {
      title: say`${about} · ${more ? `the newest ${lines.length} lines` : counted(lines.length, 'line')}`,
      parts: tableOr(
        say`I found no such line among those you can see.`,
        ['When', 'Who', 'What', 'About', 'Grounds'],
        lines.map((line) => [
          [time(line.at, 'date')],
          whoOf(line),
          line.reason === undefined ? inline(line.says) : say`${line.says} (“${line.reason}”)`,
          joined([line.change === undefined ? undefined : code(`#${line.change}`), line.command, line.target]),
          groundsOf(line),
        ]),
      ),
      source: say`${typed('audit verify')} checks that no line was altered; ${typed('audit export csv')} gives you a file`,
    };
  },
});

function whoOf({ actor, name }: TrailLine): Text {
  if (actor === 'sitehand') return inline('Sitehand');
  return name === undefined ? [mention(actor)] : say`${name} ${code(actor)}`;
}

function groundsOf({ rules, policy, fingerprint, approvers, receipt }: TrailLine): Text {
  return joined(
    [
      rules.length > 0 ? `${rules.length === 1 ? 'rule in line' : 'rules in lines'} ${rules.join(', ')}` : undefined,
      policy && say`policy ${code(policy.slice(0, 8))}`,
      fingerprint && say`fingerprint ${code(fingerprint.slice(0, 8))}`,
      approvers.length > 0 ? `approved by ${approvers.join(', ')}` : undefined,
      receipt && `host: ${receipt.slice(0, 120)}`,
    ],
    ' · ',
  );
}
