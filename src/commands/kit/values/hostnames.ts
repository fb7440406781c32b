import { domainToASCII, domainToUnicode } from 'node:url';
import ipaddr from 'ipaddr.js';
import { Refusal } from '../../../base/errors.ts';
import { code, say, type Text } from '../../../words/text.ts';
import { wordField, type PlainField } from '../fields.ts';

type ReadName = { readonly name: string } | { readonly wrong: string };

const siteLabel = /^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/;
const maxLabelLength = 63;
const maxNameLength = 253;

/** A domain name in its ASCII form (`xn--…`). */
export const hostname = (label: string): PlainField<string, false> =>
  wordField(label, {
    takes: 'a host name',
    read: ([first = '']) => {
      const read = hostnameIn(first);
      if ('name' in read) return read.name;
      throw new Refusal(say`“${first.slice(0, 80)}” ${read.wrong}. Nothing was done.`, {
        hint: say`${label} is a name like ${code('shop.example.com')}.`,
      });
    },
  });

/** A lower-case ASCII hostname (`xn--…`) without a trailing dot. `wrong`: a clause that says why it isn't one. */
export function hostnameIn(text: string): ReadName {
  const shape = wrongShape(text);
  if (shape !== undefined) return { wrong: shape };
  const name = domainToASCII(text.toLowerCase().replace(/\.$/, ''));
  if (name === '' || !isReadable(name)) return { wrong: 'has letters in it that a domain name cannot have' };
  if (ipaddr.isValid(name)) return { wrong: 'is an IP address' };
  const wrong = wrongLabels(name, siteLabel);
  if (wrong !== undefined) return { wrong };
  if (!name.includes('.')) return { wrong: 'is a single word without a dot' };
  return { name };
}

/** Whether every `xn--…` label decodes to Unicode, and encodes back to the same name. */
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
  // `domainToASCII` turns some symbols into letters, so pass it only real letters, marks and digits.
  return /^[\p{L}\p{M}\p{N}.-]+$/u.test(text) ? undefined : 'has characters in it that a domain name cannot have';
}

/** What is wrong with the length or the labels of a name or a part of it; undefined if nothing is. */
export function wrongLabels(name: string, label: RegExp): string | undefined {
  if (name.length > maxNameLength) return `is longer than ${maxNameLength} characters`;
  for (const one of name.split('.')) {
    if (one === '') return 'has an empty part between two dots';
    if (one.length > maxLabelLength) return `has a part with more than ${maxLabelLength} characters`;
    if (!label.test(one)) return 'has a part that a name cannot have';
  }
  return undefined;
}

/** A name from elsewhere in a comparable form; text that is not a name is only lower-cased. */
export const comparableHostname = (name: string): string => {
  const bare = name.trim().toLowerCase().replace(/\.$/, '');
  return domainToASCII(bare) || bare;
};

/** A name as it is sent, and its Unicode form if that differs. */
export function shownName(name: string): Text {
  const looks = domainToUnicode(name);
  return looks === name || looks === '' ? say`${code(name)}` : say`${code(name)} (looks like “${looks}”)`;
}
