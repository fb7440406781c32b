import { isCoined, isPlace } from '../randomness.ts';
import type { MaskingRule } from '../rule.ts';
import { begun, nameEnd, quote, valueCharacter } from '../syntax.ts';
import { isTelling, keys, passwords, credentialNames, suffix, tellingNames } from '../credential-names.ts';
import { stateWords } from '../placeholders.ts';

/** Default values of credentials in code: `env('DB_PASSWORD', '…')`, `getenv('DB_PASSWORD') ?: '…'`. */

const state = new RegExp(`^(?:${stateWords})$`, 'i');
const reads =
  '(?:env(?:_?\\w{1,12})?|environ\\.get|fetch|config|setting|lookup|hiera|get(?:env|_option|_site_option|Property|OrDefault|String)?)';
/** The text between the name and its default. */
const either = [
  `\\)?\\s?(?:\\?:|\\?\\?=?|\\|\\||(?<=\\)\\s?)or\\b)\\s?`,
  `(?<=${reads}\\(\\s?${quote}[\\w.-]{1,80}${quote}),\\s?`,
  `(?<=fetch\\(${quote}[\\w.-]{1,80}${quote})\\)\\s?\\{\\s?`,
  `\\s?\\|\\s?(?:default|d)\\(\\s?`,
  `(?<=\\?\\s?\\$[\\w'"[\\]>-]{1,80})\\s:\\s`,
].join('|');
/**
 * The same where the value is read under another name: `password: config.DB_PW || '…'`, `set :password, ENV["DB_PW"] ||
 * "…"`
 */
const elsewhere = [
  `[$\\w.\\\\:>-]{1,60}(?:[[(]${quote}[\\w.-]{1,80}${quote}[\\])])?\\s?(?:\\?:|\\?\\?|\\|\\||\\bor\\b)\\s?`,
  `(?:[$\\w\\\\]{1,40}(?:\\.|->|::))?${reads}\\(${quote}[\\w.-]{1,80}${quote}(?:,|\\)\\s?\\{)\\s?`,
].join('|');

export const codeDefaultsOf = (hint: string): readonly MaskingRule[] => [
  {
    hint,
    begins: tellingNames,
    also: '\\?:|\\?\\?|\\|\\|| or | or"| or\'|env|fetch|config|setting|lookup|hiera|get\\(|option\\(|property\\(|default|string\\(|d\\(| : ',
    shape: new RegExp(
      `(?<before>(?:${passwords}|${credentialNames}|${keys})${suffix}${nameEnd}(?:${either}|[ \\t]{0,8}(?:=>|:=|[:=]|(?<=\\bset[ (]\\s?:[\\w.-]{1,60}),)[ \\t]{0,8}(?:${elsewhere})))(?<open>${quote})${begun}(?:(?!(?<!\\\\)\\k<open>)${valueCharacter}){1,300}(?=\\k<open>)`,
      'gi',
    ),
    isSecret: (value, before) =>
      !state.test(value) &&
      !isPlace(value) &&
      !isTelling(value) &&
      (/pass|pwd|pw|wort/i.test(before) || isCoined(value) || value.length >= 12),
  },
];
