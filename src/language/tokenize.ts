import { Refusal, type Args } from '../base/errors.ts';
import { code, codeOf, say, unseen } from '../words/text.ts';
import { refuseKeys } from './pasted-credentials.ts';

/** A word as typed. A quoted word is never an option. */
export type Word = { readonly text: string; readonly quoted: boolean };

const arrow = /^(?:[-=\u2010-\u2015]*>|[→⇒⇨⟶⟹➔➙➜➝➞➡]\uFE0F?|:arrow_right:)$/u;
/** Whether it points from one thing to the next. */
export const isArrow = (text: string): boolean => arrow.test(text);

/** The longest line, in characters: no real command is longer. */
const maxLength = 4_000;
/** Opening quotation mark → the marks that close it. */
const quotes: Readonly<Record<string, string>> = { '"': '"', '“': '”“"', '„': '“”', '«': '»', '‘': '’', "'": "'" };
/** The start of an option. Slack apps turn two hyphens into a dash; pasted text may have any kind of dash or minus sign. */
const optionMark =
  /^(?:--|-{0,2}[\u2010-\u2015\u2212\uFE58\uFE63\uFF0D][-\u2010-\u2015\u2212\uFE58\uFE63\uFF0D]{0,2})(?=\p{L}|$)/u;
/** A typed option, up to its value. */
const optionBefore = new RegExp(`${optionMark.source}\\p{L}[\\p{L}\\p{N}-]*=`, 'u');

/**
 * Splits a line from Slack into words. Handles all kinds of quotes and options typed with a long dash, and undoes
 * Slack's links and mentions. Throws `Refusal` for text that can't be read safely, such as private keys. Does not
 * refuse service tokens, because some fields may hold them. `read`: `exactly` for a line that does not come from Slack.
 */
export function split(line: string, read: (line: string) => string = asTyped): readonly Word[] {
  if (line.length > maxLength) {
    throw new Refusal(`That is ${line.length} characters, but a command has at most ${maxLength}. Nothing was done.`);
  }
  const clean = read(line);
  refuseKeys(clean, { mayHoldTokens: true });
  refuseHidden(clean);
  const words: Word[] = [];
  let rest = clean.trimStart();
  while (rest !== '') {
    const [word, after] = firstWord(rest);
    words.push(word);
    rest = after.trimStart();
  }
  return words;
}

/**
 * Joins words into a line, escaped as Slack delivers it; `split` turns the line back into the same words.
 * `--name=value` is always an option; a plain word that looks like an option must come after a `--`.
 */
export function join(words: Args, write: (text: string) => string = escaped): string {
  return words
    .map((word) => {
      const option = /^--\p{L}[\p{L}\p{N}-]*=/u.exec(word)?.[0] ?? '';
      return `${option}${quoted(word.slice(option.length), option !== '', write)}`;
    })
    .join(' ');
}

function quoted(word: string, mayBeEmpty: boolean, write: (text: string) => string): string {
  if (/^(?!-\p{L})[\p{L}\p{N}_.:@#/,=+*?-]+$/u.test(word) || (word === '' && mayBeEmpty)) return word;
  return `"${write(word).replace(/["\\]/g, '\\$&')}"`;
}

/** A line or text that no Slack app has escaped. */
export const exactly = (text: string): string => text;

/** As Slack sends what somebody has typed. */
const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

/** Undoes Slack's escapes: `<http://acme.com|acme.com>` is `acme.com`, `<@U1|bob>` is `@U1`, `&lt;` is `<`. */
function asTyped(line: string): string {
  return line
    .replace(/<([@#!])([^|>]*)(?:\|[^>]*)?>/g, '$1$2')
    .replace(/<(?:mailto:|tel:)?([^|>]*)\|([^>]*)>/g, '$2')
    .replace(/<(?:mailto:|tel:)?([a-z][\w+.-]*:[^>]*|[^@>\s]+@[^>\s]+)>/gi, '$1')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&');
}

/** Throws `Refusal` for invisible characters, from a line or a form; `field` is the form field. */
export function refuseHidden(line: string, field?: string): void {
  const found = unseen.exec(line);
  if (found === null) return;
  const before = line.slice(Math.max(0, found.index - 12), found.index);
  throw new Refusal(
    say`There is a character that cannot be seen (${code(codeOf(found[0]))}) after “${before}”. Nothing was done.`,
    { hint: 'Type it again instead of pasting it.', ...(field !== undefined && { field }) },
  );
}

function firstWord(line: string): readonly [Word, rest: string] {
  const closing = quotes[line.charAt(0)];
  if (closing !== undefined) return quotedWord(line.slice(1), closing);
  // An option's value may be quoted too: --reason="release 42".
  const option = optionBefore.exec(line)?.[0] ?? '';
  const valueCloses = option === '' ? undefined : quotes[line.charAt(option.length)];
  if (valueCloses !== undefined) {
    const [value, rest] = quotedWord(line.slice(option.length + 1), valueCloses);
    return [{ text: `${withHyphens(option)}${value.text}`, quoted: false }, rest];
  }
  const end = line.search(/\s/);
  const text = end === -1 ? line : line.slice(0, end);
  return [{ text: withHyphens(text), quoted: false }, end === -1 ? '' : line.slice(end)];
}

const withHyphens = (text: string): string => text.replace(optionMark, '--');

function quotedWord(line: string, closing: string): readonly [Word, rest: string] {
  let text = '';
  for (let at = 0; at < line.length; at += 1) {
    const character = line.charAt(at);
    if (closing.includes(character)) return [{ text, quoted: true }, line.slice(at + 1)];
    const escaped = character === '\\' && /["\\]/.test(line.charAt(at + 1));
    if (escaped) at += 1;
    text += line.charAt(at);
  }
  throw new Refusal('A quotation mark was opened but never closed. Nothing was done.');
}
