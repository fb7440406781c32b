import { z } from 'zod';
import { parseDuration, showDuration } from '../words/duration.ts';
import { localDay } from '../words/zoned-time.ts';
import { readPattern } from './pattern.ts';
import { classes, type Catalogue } from './rules.ts';
import { quoted, unknownAmong } from './yaml-document.ts';

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

/** The names that rules may use: every command, and each group of the file with the number of its ids. */
export type RuleNames = {
  readonly catalogue: Catalogue;
  readonly groups: ReadonlyMap<string, number>;
  /** As rules name them: `caller:NAME`. */
  readonly callers: readonly string[];
};

/** An entry of `where` or `live`. Its text is kept to show the rule as written. */
export const target = parsedText(z.string('expected a target, like "acme-shop/*"'), (text) => {
  const pattern = readPattern(text);
  return typeof pattern === 'string' ? `${quoted(text)} is not a target: ${pattern}` : { text, pattern };
});

export function commandAmong(catalogue: Catalogue) {
  const names = [...classes, ...catalogue.map(({ path }) => path)];
  return z.enum(names, {
    error: ({ input }) =>
      typeof input === 'string' ? unknownAmong('command or class', input, names) : 'expected a command or a class',
  });
}

export const audienceAmong = (names: readonly string[]) =>
  filledList(
    z.string('expected the name of a group').refine((name) => names.includes(name), {
      error: ({ input }) => unknownAmong('group', String(input), names),
    }),
    'groups, like [leads]',
  );

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

const callerName = z
  .string()
  .regex(/^[a-z0-9-]{1,40}$/, inputError('cannot name a caller; use small letters a to z, digits and -, 40 at most'));
const callerKey = parsedText(
  z
    .string('expected sha256: and 64 hex digits')
    // What is written there instead may be the key itself, so it is not repeated.
    .regex(
      /^sha256:[0-9a-f]{64}$/,
      'this is not the hash of a key, sha256: and 64 hex digits; `sitehand caller new` prints one',
    ),
  (text) => ({ hash: text.slice('sha256:'.length) }),
);
const day = parsedText(
  z.string('expected a day, like 2027-03-01').regex(/^\d{4}-\d\d-\d\d$/, inputError('is not a day, like 2027-03-01')),
  (text) => localDay(text) ?? `${quoted(text)} is not a day`,
);
/** The schema of `callers`. */
export const callersShape = (groups: ReadonlyMap<string, number>) =>
  z
    .record(
      callerName,
      fields(
        {
          keys: filledList(callerKey, 'hashes of keys').max(2, 'a caller has two keys at most'),
          for: personId.describe('The person for whom it asks'),
          operators: filledList(
            z
              .string('expected a Slack id or the name of a group')
              .refine((one) => personShape.test(one) || groups.has(one), {
                error: ({ input }) => unknownAmong('group', String(input), [...groups.keys()]),
              }),
            'Slack ids of people, and names of groups',
          ).describe('Everybody who can read or trigger a key: none of them decides what it asks for'),
          channel: channelId.describe('Where its cards are posted'),
          expires: day.describe('The first day on which its keys are refused, in UTC'),
        },
        '{ keys, for, operators, channel, expires }',
      ),
      'expected names of callers, each with { keys, for, operators, channel, expires }',
    )
    .superRefine((all, ctx) => {
      const taken = new Set<string>();
      for (const [name, { keys }] of Object.entries(all))
        for (const [index, { hash }] of keys.entries()) {
          if (taken.has(hash)) refuse(ctx, [name, 'keys', index], 'this key is listed twice');
          taken.add(hash);
        }
    });
