import { domainToASCII, domainToUnicode } from 'node:url';
import ipaddr from 'ipaddr.js';
import { Refusal } from '../../../errors.ts';
import { code, say, type Text } from '../../../text.ts';
import { plainField, type PlainField } from '../fields.ts';

type ReadName = { readonly name: string } | { readonly wrong: string };

const siteLabel = /^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/;
const maxLabelLength = 63;
const maxNameLength = 253;

/** The name of a domain, in the letters that DNS knows (`xn--…`). */
export const hostname = (label: string): PlainField<string, false> =>
  plainField(label, {
    read: ([first = '']) => {
      const read = hostnameIn(first);
      if ('name' in read) return read.name;
      throw new Refusal(say`“${first.slice(0, 80)}” ${read.wrong}. Nothing was done.`, {
        hint: say`${label} is a name like ${code('shop.example.com')}.`,
      });
    },
    show: (value) => [value],
  });

/** A hostname in small letters, other scripts as `xn--…`, without a dot at its end; or why it is none, as the end of a sentence. */
export function hostnameIn(text: string): ReadName {
  const shape = wrongShape(text);
  if (shape !== undefined) return { wrong: shape };
  const name = domainToASCII(text.toLowerCase().replace(/\.$/, ''));
  if (name === '' || !isReadable(name)) return { wrong: 'has letters in it that no domain name can have' };
  if (ipaddr.isValid(name)) return { wrong: 'is an IP address' };
  const wrong = wrongLabels(name, siteLabel);
  if (wrong !== undefined) return { wrong };
  if (!name.includes('.')) return { wrong: 'is a single word without a dot' };
  return { name };
}

/** Whether every part in other letters (`xn--…`) can be shown in them, and means itself. */
function isReadable(name: string): boolean {
  if (!/(?:^|\.)xn--/.test(name)) return true;
  const looks = domainToUnicode(name);
  return !/(?:^|\.)xn--/.test(looks) && domainToASCII(looks) === name;
}

function wrongShape(text: string): string | undefined {
  if (/^[a-z][a-z\d+.-]*:\/\/|^\/\//i.test(text)) return 'is an address with a scheme';
  if (/[/\\?#]/.test(text)) return 'has a path in it';
  if (ipaddr.isValid(text) || /^\[.*\]/.test(text)) return 'is an IP address';
  if (/:\d*$/.test(text)) return 'has a port in it';
  if (text.includes('*')) return 'has a wildcard in it';
  // What Unicode folds into other characters is told by its letters; the rest is no part of a name.
  return /^[\p{L}\p{M}\p{N}.-]+$/u.test(text) ? undefined : 'has characters in it that no domain name has';
}

/** What is wrong with a whole name or a part of one, by its length and its labels. */
export function wrongLabels(name: string, label: RegExp): string | undefined {
  if (name.length > maxNameLength) return `is longer than ${maxNameLength} characters`;
  for (const one of name.split('.')) {
    if (one === '') return 'has an empty part between two dots';
    if (one.length > maxLabelLength) return `has a part with more than ${maxLabelLength} characters`;
    if (!label.test(one)) return 'has a part that no name can have';
  }
  return undefined;
}

/** A name that somebody else wrote, for comparing: what is no name means itself. */
export const folded = (name: string): string => {
  const bare = name.trim().toLowerCase().replace(/\.$/, '');
  return domainToASCII(bare) || bare;
};

/** A name as it is sent, and beside it how it looks where it has other letters than plain Latin ones. */
export function shownName(name: string): Text {
  const looks = domainToUnicode(name);
  return looks === name || looks === '' ? say`${code(name)}` : say`${code(name)} (looks like “${looks}”)`;
}
