import { Refusal } from '../../errors.ts';
import { code, say } from '../../text.ts';
import { wordField, type PlainField } from '../kit/fields.ts';

/** The name of a certificate on this machine. Impossible names are refused before any file is read. */
export const certificateName = (): PlainField<string, false> =>
  wordField('Certificate', {
    shown: 'name',
    read: ([first = '']) => {
      if (/^[\w.-]{1,100}$/.test(first) && !/^\.{1,2}$/.test(first)) return first;
      throw new Refusal(say`“${first.slice(0, 40)}” cannot be the name of a certificate. Nothing was done.`, {
        hint: say`Ask the person who runs me for their names: ${code('NAME')} stands for NAME.pem and NAME.key.`,
      });
    },
  });

/** Whether a certificate with these names covers the domain; a wildcard matches one label. */
export function speaksFor(names: readonly string[], domain: string): boolean {
  const above = domain.replace(/^[^.]+/, '*');
  return names.some((name) => name === domain || name === above);
}
