import { domainToASCII } from 'node:url';
import { Refusal } from '../../errors.ts';
import { code, say } from '../../text.ts';
import { wordField, type PlainField } from '../kit/fields.ts';
import { folded, wrongLabels } from '../kit/values/hostnames.ts';

/** A part of a record's name. */
export const recordLabel = /^(?:\*|[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?)$/;

/** A record's name as people say it: `@`, `www`, `www.example.com`; a dot at its end says that nothing is missing there. */
export const recordName = (): PlainField<string, false> =>
  wordField('Name', { read: ([first = '']) => readName(first.trim()) });

function readName(text: string): string {
  if (text === '@') return text;
  const name = inAscii(text.toLowerCase().replace(/\.$/, ''));
  const wrong = wrongLabels(name, recordLabel) ?? (name.lastIndexOf('*') > 0 ? 'has a wildcard inside' : undefined);
  if (wrong === undefined) return text.endsWith('.') ? `${name}.` : name;
  throw new Refusal(say`“${text.slice(0, 80)}” ${wrong}. Nothing was done.`, {
    hint: say`Say ${code('@')} for the domain itself, ${code('www')}, or a whole name.`,
  });
}

/** Part by part: stars and underscores are none of a hostname. */
const inAscii = (name: string): string =>
  name
    .split('.')
    .map((part) => {
      if (/^\p{ASCII}*$/u.test(part)) return part;
      // What cannot be seen would be left out without a word.
      return /^[\p{L}\p{M}\p{N}_-]+$/u.test(part) ? domainToASCII(part) || '?' : '?';
    })
    .join('.');

/** The whole name of a record in a zone, in small letters, without a dot at its end. */
export function wholeName(name: string, domain: string): string {
  const zone = folded(domain);
  // Some list a star by its number.
  const said = name
    .trim()
    .toLowerCase()
    .replace(/^\\052/, '*');
  if (said === '@' || said === '') return zone;
  if (said.endsWith('.')) return said.slice(0, -1);
  return isInZone(said, domain) ? said : `${said}.${zone}`;
}

/** Whether a whole name is the domain's own or lies below it. */
export const isInZone = (name: string, domain: string): boolean => {
  const zone = folded(domain);
  return name === zone || name.endsWith(`.${zone}`);
};
