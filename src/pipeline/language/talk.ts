import type { Spoken } from './spoken.ts';

/** What is said about a line by how it is put. */

/** Who asks whether something was done, or should be, asks for nothing to be done. */
const question =
  /^(?:is|are|was|were|did|does|do|has|have|had|should|who|whose|why|when|what|which|where|how|am|may|might)$/i;

const asking = /\b(?:please|pls|plz|(?:can|could|would|will) you)\b/i;

/** Whether it is said to somebody: `please …`, `can you …`. */
export const isAsking = (line: string): boolean => asking.test(line);

/** Whether it asks something, rather than for something to be done. */
export const isQuestion = (line: string, [first]: readonly Spoken[]): boolean =>
  !asking.test(line) && (/\?\s*$/.test(line) || question.test(first?.text ?? ''));

const beforeReason = /^(?:because|cause|reason|while|since(?= we| i))$/i;

/** The line, and the reason that somebody gives at its end in their own words. */
export function withoutReason(words: readonly Spoken[]): {
  readonly words: readonly Spoken[];
  readonly why: readonly string[];
} {
  const at = words.findIndex(({ text, quoted }, index) => index > 0 && !quoted && beforeReason.test(text));
  if (at === -1) return { words, why: [] };
  const option = words.findIndex(({ text, quoted }, index) => index > at && !quoted && text.startsWith('--'));
  const end = option === -1 ? words.length : option;
  return {
    words: [...words.slice(0, at), ...words.slice(end)],
    why: words.slice(at + 1, end).map(({ typed }) => typed),
  };
}

/** `I already cleared it`, `fyi Ben pushed it`, `Ana is looking at it`: people talk to each other about what they did or do. */
const report = new RegExp(
  [
    /^(?:fyi|btw|haha+|lol|omg|wow|phew)\b/,
    /^(?!.*\?)(?!is |are |was |were ).*\balready\b/,
    /(?<!\b(?:am|are|is|was|were|if) )\b(?:i|we|he|she|they)(?:'ve| have| had| just)* (?!need)[a-z]+ed\b/,
    /\b(?:am|'m|is|are) [a-z]+ing (?:at|on|into)\b/,
    /\S (?:is|are) (?:back|(?:up|ok|fine|working) again)\b(?!.*\?)/,
  ]
    .map(({ source }) => source)
    .join('|'),
  'i',
);

/** A line without what is only told in it. */
export const withoutReports = (words: readonly Spoken[]): readonly Spoken[] =>
  [...Map.groupBy(words, ({ clause }) => clause).values()]
    .filter((clause) => !report.test(clause.map(({ typed }) => typed).join(' ')))
    .flat();
