import { z } from 'zod';
import { quoted } from './mistakes.ts';

/**
 * What the schemas of the policy file are made of. A message that begins with `expected` is completed with what the file
 * has instead.
 */

/** The error of a schema: quotes the text and says what is wrong with it. */
export const inputError = (says: string) => ({
  error: ({ input }: { input?: unknown }) => `${quoted(String(input))} ${says}`,
});

export type Context = Pick<z.core.$RefinementCtx, 'addIssue'>;
/** Refuses a part of what a check is about. */
export const refuse = (ctx: Context, path: PropertyKey[], message: string): void =>
  ctx.addIssue({ code: 'custom', path, message });

export const listShape = <T extends z.ZodType>(item: T, of: string) => z.array(item, `expected a list of ${of}`);
/** The same, but not an empty one. */
export const filledList = <T extends z.ZodType>(item: T, of: string) =>
  listShape(item, of).min(1, `this list is empty; expected ${of}`);
/** A mapping with these keys and no others. */
export const fields = <S extends z.ZodRawShape>(shape: S, expected: string) =>
  z.strictObject(shape, {
    error: ({ code }) => (code === 'unrecognized_keys' ? Object.keys(shape).join(' ') : `expected ${expected}`),
  });

/** A text with a meaning. `read` returns a sentence if it has none. */
export const parsedText = <T>(text: z.ZodString, read: (text: string) => T | string) =>
  text.transform((given, ctx) => {
    const value = read(given);
    if (typeof value !== 'string') return value;
    ctx.addIssue(value);
    return z.NEVER;
  });
