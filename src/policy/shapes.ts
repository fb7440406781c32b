import { z } from 'zod';
import { parseDuration, showDuration } from '../words/duration.ts';
import { quoted } from './yaml-document.ts';

/** The parts of the policy file's schemas. If a message begins with `expected`, what the file has instead is added. */

/** The error of a schema: quotes the text and says what is wrong with it. */
export const inputError = (says: string) => ({
  error: ({ input }: { input?: unknown }) => `${quoted(String(input))} ${says}`,
});

export type Context = Pick<z.core.$RefinementCtx, 'addIssue'>;
/** Reports a mistake at this path of the checked value. */
export const refuse = (ctx: Context, path: PropertyKey[], message: string): void =>
  ctx.addIssue({ code: 'custom', path, message });

export const listShape = <T extends z.ZodType>(item: T, of: string) => z.array(item, `expected a list of ${of}`);
/** As `listShape`, but refuses an empty list. */
export const filledList = <T extends z.ZodType>(item: T, of: string) =>
  listShape(item, of).min(1, `this list is empty; expected ${of}`);
/** A mapping with these keys and no others. */
export const fields = <S extends z.ZodRawShape>(shape: S, expected: string) =>
  z.strictObject(shape, {
    error: ({ code }) => (code === 'unrecognized_keys' ? Object.keys(shape).join(' ') : `expected ${expected}`),
  });

/** A text that `read` gives a meaning. If it has none, `read` returns a sentence. */
export const parsedText = <T>(text: z.ZodString, read: (text: string) => T | string) =>
  text.transform((given, ctx) => {
    const value = read(given);
    if (typeof value !== 'string') return value;
    ctx.addIssue(value);
    return z.NEVER;
  });

/** Ids of channels. */
export const channelShape = /^[CG][A-Z0-9]{2,20}$/;
export const personShape = /^[UW][A-Z0-9]{2,20}$/;
export const personId = z
  .string('expected a Slack id')
  .regex(personShape, inputError('is not the Slack id of a person: U… or W…'));
export const channelId = z
  .string('expected the id of a channel')
  .regex(channelShape, inputError('is not the id of a channel: C… or G…, never its name'));

const minDurationMs = 60_000;
export const durationUpTo = (longest: number) =>
  parsedText(
    z
      .string('expected a duration, like 30m or 1h')
      .regex(/^\d{1,8}[smhd]$/, inputError('is not a duration; write it like 90s, 30m, 1h or 7d')),
    (text) => {
      const length = parseDuration(text) ?? 0;
      const isInBounds = length >= minDurationMs && length <= longest;
      return isInBounds
        ? length
        : `${quoted(text)} is out of bounds: from ${showDuration(minDurationMs)} to ${showDuration(longest)}`;
    },
  );
