import type { MaskingRule } from '../rule.ts';
import { nameEnd, quote, valueCharacter } from '../syntax.ts';

/** Lists of two texts: a name and a password. */

/** Names of such lists. */
const paired = '(?:\\b(?:http_?|basic_?)?auth|credentials?|passw(?:or[dt]|d)|\\bpass|userpwd)';
export const namePasswordPairs: readonly MaskingRule[] = [
  {
    hint: 'auth|credential|pass',
    shape: new RegExp(
      `(?<before>${paired}${nameEnd}[ \\t]{0,4}(?:=>|[:=]|,)\\s{0,40}(?:\\[|\\(|array ?\\(|array\\(\\d\\) ?\\{)\\s{0,40}(?:0 => |\\[0\\]=>\\s{0,40})?(?:string\\(\\d{1,3}\\) )?${quote}[^"'\\n]{1,100}${quote}(?:,|(?=\\s))\\s{0,40}(?:1 => |\\[1\\]=>\\s{0,40})?(?:string\\(\\d{1,3}\\) )?)(?<open>${quote})(?:(?!(?<!\\\\)\\k<open>[ \\t]{0,2}(?:$|[,)\\]}]))${valueCharacter}){1,200}`,
      'gim',
    ),
  },
  {
    // The format of `print_r`, on one line or more.
    hint: 'auth|credential|pass',
    shape: new RegExp(
      `(?<before>${paired}\\] => Array\\s{1,40}\\(\\s{1,40}\\[0\\] => [^\\n]{1,100}?\\s{1,40}\\[1\\] => )(?!\\s)[^\\n]{1,200}?(?=[ \\t\\r]*$| \\)| \\[)`,
      'gim',
    ),
  },
  {
    hint: 'auth',
    shape: /(?<before>auth(?:\[\]|%5B%5D)=[^&\s"'\\]{1,64}&auth(?:\[\]|%5B%5D)=)[^&\s"'\\]{1,200}/gi,
  },
];
