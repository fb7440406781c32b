import type { MaskingRule } from '../rule.ts';
import { prose } from '../placeholders.ts';

/** Application passwords, which are shown in groups of four characters with spaces between them. */

const signs = /[a-z][A-Z]|\d[A-Za-z]|[A-Za-z]\d/;
/** Only hexadecimal digits: a fingerprint. */
const isFingerprint = (value: string): boolean => /^[\dA-F ]+$|^[\da-f ]+$/.test(value);
const mixed = (value: string): number => value.split(' ').filter((group) => signs.test(group)).length;

/** Text right before a value. */
const announces = /(?:[:=]|=>|\b(?:is|ist|lautet|est|es|è|é|er|är)) ?["'`]?$/i;

export const applicationPasswordsOf = (hint: string): readonly MaskingRule[] => [
  {
    // WordPress: six groups of letters in both cases and digits.
    hint,
    shape:
      /(?<before>)(?<!\w)(?!(?:pass|user|with|from|word|code|your|auth|mdp)\b)[A-Za-z\d]{4}(?: [A-Za-z\d]{4}){5}(?!\w)/gi,
    isSecret: (value, _, lead) =>
      !isFingerprint(value) &&
      (mixed(value) >= 3 || (announces.test(lead) && !value.split(' ').some((one) => prose.test(one)))),
  },
  {
    // Google: four groups of small letters.
    hint,
    shape:
      /(?<before>(?:passwor[dt]|app_?pass|wachtwoord|kennwort|passe|senha|contraseña|pass)["'\]]{0,2} ?(?:[:=]|=>|is|ist) ?["']?)[a-z]{4}(?: [a-z]{4}){3}(?![\w=:]| \w)/gi,
    isSecret: (value) => !value.split(' ').some((one) => prose.test(one)),
  },
];
