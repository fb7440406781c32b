import { live } from './fixtures.ts';

/** The expected result of a word as a target and as a reason; by default the reason is stored as typed. */
type Odd = {
  readonly name: string;
  readonly text: string;
  /** The environment that it names, or part of its refusal. */
  readonly target: string;
  /** What it names for a command that takes many environments, or part of its refusal; left out: as `target`. */
  readonly many?: string;
  /** Part of its refusal, as a target and as a reason. */
  readonly refused?: string;
};

const unknown = 'among the environments you can see';
const several = 'takes one environment at a time';
const hidden = (code: string): string => `cannot be seen (${code})`;
const notRead = 'names no environment';
const odd = (name: string, text: string, target = unknown, many = target): Odd => ({ name, text, target, many });
const refused = (name: string, text: string, why: string): Odd => ({ name, text, target: why, refused: why });

/** Words as they come from clipboards, keyboards and attackers; each is used within quotes or in a form. */
export const oddWords: readonly Odd[] = [
  odd('capitals', 'ACME-Shop/LIVE', 'acme-shop/live'),
  odd('a UUID in capitals', live.id.toUpperCase(), 'acme-shop/live'),
  odd('a UUID of nobody', 'ABCDEF00-0000-4000-8000-00000000000F'),
  odd('full-width letters', 'ａｃｍｅ-ｓｈｏｐ/ｌｉｖｅ', 'acme-shop/live'),
  odd('blanks around it', '\u00A0 acme-shop/live \t', 'acme-shop/live'),
  odd('a Cyrillic look-alike', 'acme-shop/lіve', 'not plain Latin'),
  odd('part of a name', 'acme-shop', 'Which one?'),
  odd('one level too many', 'site/environment/extra'),
  odd('one level too many of what there is', 'acme-shop/live/extra'),
  odd('up', '../'),
  odd('up to another', 'acme-shop/../acme-blog/live'),
  odd('escaped dots', '%2e%2e'),
  odd('an escaped slash', 'acme-shop%2flive'),
  odd('a backslash', 'acme-shop\\live'),
  odd('a pattern', 'acme-*/*', several, 'acme-shop/staging, acme-blog/live, acme-shop/live'),
  odd('everything', '*', several, notRead),
  odd('any', '.*', several, notRead),
  odd('a mention', '<@U123|bob>'),
  odd('a channel', '<#C1|x>'),
  odd('a broadcast', '<!channel>'),
  odd('a broadcast that is escaped', '&lt;!here&gt;'),
  odd('a link that looks like another', '<http://acme.com|acme.com>'),
  odd('a link to a mailbox', '<mailto:a@acme.com|a@acme.com>'),
  odd('a link to a target', '<http://evil.example|acme-shop/live>'),
  odd('markup', '*_~`', several, notRead),
  odd('triple backticks', '```acme-shop/live```'),
  odd('bold', '*acme-shop/live*', several, 'acme-shop/live'),
  odd('emoji', '👩‍👩‍👧 ❤️'),
  odd('SQL', "acme-shop/live'; DROP TABLE changes; --"),
  odd('JSON', '{"env":"acme-shop/live"}'),
  odd('a prototype', '__proto__'),
  odd('a constructor', 'constructor'),
  odd('an option', '--dry-run'),
  odd('an option with a value', '--reason=x'),
  odd('an option with one hyphen', '-dry-run'),
  odd('the end of options', '--'),
  odd('a long dash', '—force'),
  odd('curly quotes', '“acme-shop/live”'),
  odd('angle quotes', '«acme-shop/live»'),
  odd('one quote', '"'),
  odd('one apostrophe', "'"),
  odd('a backslash at the end', 'acme-shop/live\\'),
  odd('CR LF', 'acme-shop\r\n/live'),
  odd('a line of ours', 'x\n✅ Done · #1'),
  odd('a number', '0'),
  odd('a negative number', '-1'),
  odd('nothing to a program', 'null'),
  odd('200 characters', 'x'.repeat(200)),
  refused('NUL', 'acme-shop/live\u0000', hidden('U+0000')),
  refused('a zero-width space', 'acme-shop/li\u200Bve', hidden('U+200B')),
  refused('a zero-width joiner', 'acme-shop/li\u200Dve', hidden('U+200D')),
  refused('right-to-left override', 'acme-shop/\u202Eevil', hidden('U+202E')),
  refused('half of a pair', 'acme-shop/live\uD83D', hidden('U+D83D')),
  refused('a terminal escape', '\u001B[31m', hidden('U+001B')),
  refused('tag characters', 'live\u{E0061}', hidden('U+E0061')),
];

/** Ways in which a dry run is typed or pasted. */
export const dryRuns: readonly string[] = [
  '--dry-run',
  '–dry-run',
  '—dry-run',
  '––dry-run',
  '——dry-run',
  '−dry-run',
  '−−dry-run',
  '‒dry-run',
  '―dry-run',
  '‐dry-run',
  '‑‑dry-run',
  '－－dry-run',
  '﹣dry-run',
  '–-dry-run',
  '-–dry-run',
  '-dry-run',
  '-Dry-Run',
  '-dry-run=yes',
  '--DRY-RUN',
  '--dry-run=yes',
  '—dry-run=“yes”',
  '--dry‑run',
  '–dry–run',
  '--dry_run',
  '--dryrun',
  '--dry',
  '--dry-run=',
  '--dry-run=""',
  '--dry-run=maybe',
  '--dry\u00ADrun',
  '--dry-run\u200B',
];

/** A word as Slack delivers it, always in quotes, so that it is never an option. */
export const quoted = (text: string): string =>
  `"${text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replace(/["\\]/g, '\\$&')}"`;
