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
export const isReportOfWork = (words: readonly Spoken[]): boolean => {
  const line = words.map(({ text }) => text).join(' ');
  return (
    /\balready\b|^(?:fyi|btw|haha+|lol|omg|wow)\b/i.test(line) ||
    /(?<!\b(?:am|are|is|was|were) )\b(?:i|we|he|she|they)(?:'ve| have| had| just)* (?!need)[a-z]+ed\b/i.test(line) ||
    /\b(?:am|'m|is|are) [a-z]+ing (?:at|on|into)\b/i.test(line)
  );
};
