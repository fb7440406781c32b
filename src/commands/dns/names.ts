import { domainToASCII } from 'node:url';
import { Refusal } from '../../base/errors.ts';
import { code, say } from '../../words/text.ts';
import { wordField, type PlainField } from '../kit/fields.ts';
import { comparableHostname, wrongLabels } from '../kit/values/hostnames.ts';

/** One label of a record's name. */
export const recordLabel = /^(?:\*|[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?)$/;

/** A record's name as people type it: `@`, `www`, `www.example.com`; a trailing dot marks a complete name. */
export const recordName = (): PlainField<string, false> =>
  wordField('Name', {
    takes: 'a record name',
    hint: '@ is the domain itself; else www, or a whole name.',
    read: ([first = '']) => readName(first.trim()),
  });

function readName(text: string): string {
  if (text === '@') return text;
  const name = inAscii(text.toLowerCase().replace(/\.$/, ''));
  const wrong = wrongLabels(name, recordLabel) ?? (name.lastIndexOf('*') > 0 ? 'has a wildcard inside' : undefined);
  if (wrong === undefined) return text.endsWith('.') ? `${name}.` : name;
  throw new Refusal(say`“${text.slice(0, 80)}” ${wrong}. Nothing was done.`, {
    hint: say`Say ${code('@')} for the domain itself, ${code('www')}, or a whole name.`,
  });
}

/** Encodes only the labels that are not ASCII, so that `*` and `_` are kept. */
const inAscii = (name: string): string =>
  name
    .split('.')
    .map((part) => {
      if (/^\p{ASCII}*$/u.test(part)) return part;
      // `domainToASCII` would silently drop invisible characters, so such a label is refused instead.
      return /^[\p{L}\p{M}\p{N}_-]+$/u.test(part) ? domainToASCII(part) || '?' : '?';
    })
    .join('.');

/** The complete name of a record in a zone, in lower case and without a trailing dot. */
export function wholeName(name: string, domain: string): string {
  const zone = comparableHostname(domain);
  // Some hosts list `*` as `\052`.
  const said = name
    .trim()
    .toLowerCase()
    .replace(/^\\052/, '*');
  if (said === '@' || said === '') return zone;
  if (said.endsWith('.')) return said.slice(0, -1);
  return isInZone(said, domain) ? said : `${said}.${zone}`;
}

/** Whether a typed name looks complete, and not like one inside the zone: it ends as the zone does, such as in `.com`. */
export const looksComplete = (name: string, domain: string): boolean =>
  !isInZone(name, domain) && name.includes('.') && lastLabel(name) === lastLabel(comparableHostname(domain));
const lastLabel = (name: string): string => name.slice(name.lastIndexOf('.') + 1);

/** Whether a complete name is the domain or below it. */
export const isInZone = (name: string, domain: string): boolean => {
  const zone = comparableHostname(domain);
  return name === zone || name.endsWith(`.${zone}`);
};
