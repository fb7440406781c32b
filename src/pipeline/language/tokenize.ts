import { Refusal, type Words } from '../../errors.ts';
import { holdsKey, holdsOwn, holdsPrivateKey } from '../../secret.ts';
import { code, codeOf, say, unseen } from '../../text.ts';

/** A word as typed; a quoted one is never an option. */
export type Word = { readonly text: string; readonly quoted: boolean };

/** Longer than any command that anybody means. */
const longest = 4_000;
/** What closes a quotation, by what opens it. */
const quotes: Readonly<Record<string, string>> = { '"': '"', '“': '”“"', '„': '“”', '«': '»', '‘': '’', "'": "'" };
/** What begins an option; clients turn two hyphens into a dash, and what is pasted has dashes and minus signs of any kind. */
const optionMark =
  /^(?:--|-{0,2}[\u2010-\u2015\u2212\uFE58\uFE63\uFF0D][-\u2010-\u2015\u2212\uFE58\uFE63\uFF0D]{0,2})(?=\p{L}|$)/u;
/** An option as it may be typed, up to its value. */
const optionBefore = new RegExp(`${optionMark.source}\\p{L}[\\p{L}\\p{N}-]*=`, 'u');

/**
 * A line as Slack delivers it into words: quotes of every kind, options typed with a long dash, Slack's own links and
 * mentions turned back into what was typed. Throws `Refusal` for what cannot be read safely, private keys among it; of
 * tokens it knows nothing, which are ordinary in some fields.
 */
export function split(line: string): readonly Word[] {
  if (line.length > longest) {
    throw new Refusal(`That is ${line.length} characters; a command has at most ${longest}. Nothing was done.`);
  }
  const clean = asTyped(line);
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
 * Words as a line that `split` reads back into the same words, as Slack would deliver it. `--name=value` is an option,
 * whatever its value holds; a word that only looks like one stands after a `--`.
 */
export function join(words: Words): string {
  return words
    .map((word) => {
      const option = /^--\p{L}[\p{L}\p{N}-]*=/u.exec(word)?.[0] ?? '';
      return `${option}${quoted(word.slice(option.length), option !== '')}`;
    })
    .join(' ');
}

function quoted(word: string, mayBeEmpty: boolean): string {
  if (/^(?!-\p{L})[\p{L}\p{N}_.:@#/,=+*?-]+$/u.test(word) || (word === '' && mayBeEmpty)) return word;
  const escaped = word.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  return `"${escaped.replace(/["\\]/g, '\\$&')}"`;
}

/** Slack's escapes undone: `<http://acme.com|acme.com>` is `acme.com`, `<@U1|bob>` is `@U1`, `&lt;` is `<`. */
function asTyped(line: string): string {
  return line
    .replace(/<([@#!])([^|>]*)(?:\|[^>]*)?>/g, '$1$2')
    .replace(/<(?:mailto:|tel:)?([^|>]*)\|([^>]*)>/g, '$2')
    .replace(/<(?:mailto:|tel:)?([a-z][\w+.-]*:[^>]*|[^@>\s]+@[^>\s]+)>/gi, '$1')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&');
}

type Where = { readonly field?: string; readonly mayHoldTokens?: boolean };

/** Throws `Refusal` for text with a credential in it, however it was entered, and does not repeat it. */
export function refuseKeys(text: string, { field, mayHoldTokens = false }: Where = {}): void {
  if (!(mayHoldTokens ? holdsPrivateKey(text) : holdsKey(text))) return;
  const newOne = 'Slack may have kept what was typed: revoke it and make a new one.';
  const [what, hint] = holdsOwn(text)
    ? ['one of my own credentials', newOne]
    : holdsPrivateKey(text)
      ? ['a private key', `${newOne} A certificate with its key is taken from the machine, by its name.`]
      : ['the token of a service', newOne];
  throw new Refusal(`There is ${what} in this. It was not kept. Nothing was done.`, {
    hint,
    ...(field !== undefined && { field }),
  });
}

/** Throws `Refusal` for text with characters that cannot be seen, however it was entered; `field` is where it was. */
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
    return [{ text: `${dashed(option)}${value.text}`, quoted: false }, rest];
  }
  const end = line.search(/\s/);
  const text = end === -1 ? line : line.slice(0, end);
  return [{ text: dashed(text), quoted: false }, end === -1 ? '' : line.slice(end)];
}

const dashed = (text: string): string => text.replace(optionMark, '--');

function quotedWord(line: string, closing: string): readonly [Word, rest: string] {
  let text = '';
  for (let at = 0; at < line.length; at += 1) {
    const character = line.charAt(at);
    if (closing.includes(character)) return [{ text, quoted: true }, line.slice(at + 1)];
    const escaped = character === '\\' && /["\\]/.test(line.charAt(at + 1));
    if (escaped) at += 1;
    text += line.charAt(at);
  }
  throw new Refusal('A quotation mark is opened and never closed. Nothing was done.');
}
