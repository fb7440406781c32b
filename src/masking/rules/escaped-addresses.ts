import { codesOf } from '../prefilter.ts';
import { links } from './links.ts';
import { byPosition } from './by-position.ts';
import { maskWith, type MaskingRule } from '../rule.ts';
import { hinted, maskTokens } from './tokens.ts';

/** Web addresses in JSON: each slash has a backslash before it, or several in nested JSON. */

const addressed = [...hinted.filter(({ shape }) => shape.source.includes('/')), ...links, ...byPosition].map(
  (rule) => ({
    rule,
    hint: new RegExp(rule.hint, 'i'),
  }),
);

/** A part of an address that may be a key. */
const keyed = /[/=:](?=[^/=:]{0,40}\d)[\w%~.-]{5,}/;
/** Masks the address without its backslashes, then puts them back. */
function shown(match: string, { mark = '' }: Readonly<Record<string, string | undefined>>): string {
  const plain = match.replaceAll(mark, '/');
  if (!keyed.test(plain)) return match;
  let left = maskTokens(plain, codesOf(plain));
  for (const { rule, hint } of addressed) if (hint.test(left)) left = maskWith(left, rule);
  return left === plain ? match : left.replaceAll('/', mark);
}

export const escapedAddresses: readonly MaskingRule[] = [
  { hint: '\\\\/', shape: /(?<mark>(?<!\\)\\{1,4}\/)(?:[^\s"'<>\\]|\k<mark>){16,1000}/g, shown },
];
