import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { mask } from '../../../src/masking/mask.ts';
import { isPlaceholder } from '../../../src/masking/value-shapes.ts';
import { tokens } from '../../../src/masking/rules/tokens.ts';
import { holdsKey } from '../../../src/base/secret.ts';

/** The context that makes a token recognisable, for any characters. */
const around = [
  ['use ', ', it works'],
  ['it=', ''],
  ["it is '", "' now"],
  ['{"it":"', '"}'],
  ['it came with ', '\nand went'],
] as const;

const signs = Array.from({ length: 95 }, (_, at) => String.fromCharCode(32 + at));
/** Draws each character of a class equally often, not each range of it. */
const evenly = (source: string): string =>
  source.replaceAll(/\[[^\]]+\]|\\[dw]/g, (found) => {
    const shape = new RegExp(`^${found}$`);
    return `[${signs.flatMap((sign) => (shape.test(sign) ? sign.replace(/\W/, '\\$&') : [])).join('')}]`;
  });

/** Random letters can form identifiers, such as `value` and `toString`, which are not tokens. */
function isWord(shape: RegExp, text: string): boolean {
  const own = text.slice(shape.exec(text)?.groups?.['before']?.length ?? 0);
  return isPlaceholder(own) || own in Object.prototype;
}

/** Texts with a token at their end. */
function drawnFrom(shape: RegExp): readonly string[] {
  const source = shape.source.replaceAll('(?<before>', '(?:').replaceAll(/\(\?<?[=!](?:[^()]|\([^()]*\))*\)/g, '');
  const whole = new RegExp(`^(?:${shape.source})$`);
  const [usual, even] = [source, evenly(source)].map((one) =>
    fc.stringMatching(new RegExp(`^(?:${one})$`)).filter((text) => whole.test(text) && !isWord(shape, text)),
  );
  if (usual === undefined || even === undefined) throw new Error('nothing to draw from');
  return [...fc.sample(usual, 100), ...fc.sample(fc.noBias(even), 200)];
}

/** Lines with a token of this kind that are not masked as they should be. */
const missedOf = (shape: RegExp): readonly string[] =>
  drawnFrom(shape).flatMap((text, at) => {
    const [before, behind] = around[at % around.length] ?? ['', ''];
    const line = `${before}${text}${behind}`;
    const start = `${before}${shape.exec(text)?.groups?.['before'] ?? ''}***`;
    // A comma may belong to the token.
    const isMasked = [`${start}${behind}`, `${start}${behind.replace(/^,/, '')}`].includes(mask(line));
    return isMasked && holdsKey(line) ? [] : [`${String(shape)}: ${line} → ${mask(line)}`];
  });

test('recognises every token of every kind, with any of its characters', () => {
  expect(tokens.flatMap(missedOf)).toEqual([]);
});
