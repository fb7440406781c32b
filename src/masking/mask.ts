import { passwordHint } from './credential-names.ts';
import { type MaskingRule, maskWith } from './rule.ts';
import { applicationPasswordsOf, cardNumbers } from './rules/typed-codes.ts';
import { byPosition, namedValues } from './rules/named-values.ts';
import { commandLines } from './rules/command-lines.ts';
import { escapedAddresses, links } from './rules/links.ts';
import { inserted, ownSyntax } from './rules/own-syntax.ts';
import { mentions } from './rules/mentions.ts';
import { phpCalls, dsn } from './rules/php-calls.ts';
import { programs } from './rules/programs.ts';
import { asciiTable, codesOf, runIn, wordsFinder } from './prefilter.ts';
import { publicKeysAside, base64, privateKeyAt, worded } from './rules/keys.ts';
import { hinted, maskTokens } from './rules/tokens.ts';

/** Masks everything shaped like a credential. Most texts contain none, so a fast check comes first. */

/**
 * All rules in the order in which they are tried. A later rule sees the text as the earlier ones masked it. A new one
 * needs a leak that was seen in real use: each also masks some lines that hold no credential.
 */
export const maskingRules: readonly MaskingRule[] = [
  phpCalls,
  ...applicationPasswordsOf(passwordHint),
  dsn,
  inserted,
  ...namedValues,
  ...ownSyntax,
  ...links,
  ...byPosition,
  ...escapedAddresses,
  ...commandLines,
  ...programs,
  ...mentions,
  cardNumbers,
];

/**
 * Private keys come first: their base64 is random, and if another rule masked a part of it, the rest would no longer be
 * recognised.
 */
const allRules: readonly MaskingRule[] = [...worded, ...hinted, ...maskingRules];

/** Whether this part of a hint is plain text, apart from escaped signs. */
const isWord = (hint: string): boolean =>
  hint.length > 1 && !/[\\[\](){}?*+.^$]/.test(hint.replaceAll(/\\[^a-z]/gi, ''));
/** The alternatives of a hint; an escaped bar does not separate them. */
const partsOf = (hint: string): readonly string[] => hint.split(/(?<!\\)\|/);
const wordsOf = (hint: string): readonly string[] =>
  partsOf(hint).flatMap((one) => (isWord(one) ? [one.replaceAll(/\\(.)/g, '$1').toLowerCase()] : []));
/** Maps each hint word to the indexes of its rules. */
const byWord = new Map<string, number[]>();
for (const [at, { hint }] of allRules.entries())
  for (const word of new Set(wordsOf(hint))) byWord.set(word, [...(byWord.get(word) ?? []), at]);
/** By rule index: words of which at least one must also be present. */
const beside = allRules.map(({ also }) => (also === undefined ? undefined : wordsOf(also)));
/** In these contexts the words are common in log lines and never name a credential. */
const wordsIn = wordsFinder([...new Set([...byWord.keys(), ...beside.flatMap((also) => also ?? [])])], {
  key: ['array '],
  code: ['<', '</'],
});
const rulesWith = (isMeant: (hint: string) => boolean): readonly number[] =>
  allRules.flatMap(({ hint }, at) => (partsOf(hint).some(isMeant) ? [at] : []));

const addressRules = rulesWith((hint) => hint === '@');
/** Rules whose hint is an expression for a long number, such as a card number; all other hints are words. */
const numberRules = rulesWith((hint) => !isWord(hint) && hint !== '@').map((at) => ({
  at,
  sign: new RegExp(
    partsOf(allRules[at]?.hint ?? '')
      .filter((one) => !isWord(one))
      .join('|'),
  ),
}));
const numberCodes = asciiTable(/[\d -]/);
const minNumberLength = 12;

const none: readonly number[] = [];

/** The indexes of the rules that may match, in order. */
function possibleRules(text: string, codes: Uint8Array): readonly number[] {
  const held = wordsIn(text, codes);
  const hasAt = text.includes('@');
  const hasNumber = runIn(codes, text.length, numberCodes, minNumberLength) !== -1;
  if (held.size === 0 && !hasAt && !hasNumber) return none;
  const may = new Set(hasAt ? addressRules : []);
  for (const word of held) for (const at of byWord.get(word) ?? []) may.add(at);
  if (hasNumber) for (const { at, sign } of numberRules) if (sign.test(text)) may.add(at);
  return [...may].filter((at) => beside[at]?.some((word) => held.has(word)) ?? true).sort((one, other) => one - other);
}

const keyCodes = asciiTable(/[\w+/]/);
const minKeyLength = 19;
const mayBeKey = new RegExp(base64.hint);
/**
 * A character that no text of a site has stands for each private key until the other rules are done: a value that begins
 * with `***` counts as masked, so what follows the key in it would be shown.
 */
const standIn = '\uE064';

/** The text with every known kind of credential replaced by `***`. */
export function mask(text: string): string {
  const codes = codesOf(text);
  const mayHoldKey = runIn(codes, text.length, keyCodes, minKeyLength) !== -1 && mayBeKey.test(text);
  if (!mayHoldKey) return maskWithRules(text, codes);
  const { rest, restored } = publicKeysAside(text);
  const instead = rest.includes(standIn) ? '***' : standIn;
  const keyless = rest.replace(base64.shape, (run) => {
    const at = privateKeyAt(run);
    return at === -1 ? run : run.slice(0, at) + instead;
  });
  const left = restored(maskWithRules(keyless, codesOf(keyless)));
  return instead === standIn ? left.replaceAll(standIn, '***') : left;
}

function maskWithRules(text: string, codes: Uint8Array): string {
  const possible = possibleRules(text, codes);
  const ofKeys = possible.filter(isOfKeys);
  const keyless = maskWithThose(text, ofKeys);
  const left = maskTokens(keyless, ofKeys.length === 0 ? codes : codesOf(keyless));
  return maskWithThose(left, possible.slice(ofKeys.length));
}

/** Of the sorted indexes, these come first. No rule of a key reuses the buffer of `codes`. */
const isOfKeys = (at: number): boolean => at < worded.length;

function maskWithThose(text: string, possible: readonly number[]): string {
  let left = text;
  for (const at of possible) {
    const rule = allRules[at];
    if (rule !== undefined) left = maskWith(left, rule);
  }
  return left;
}
