import { z } from 'zod';

/** Fields of requests: strict and bounded. */

/**
 * A UUID, in small letters. RFC 9562 has both spellings mean the same, and a host may use now the one and now the other.
 * So this one place decides how ids are written here: what is compared, locked and sent has one spelling.
 */
export const uuid = z.guid().toLowerCase();
export const flag = z.boolean();
export const count = z.int().min(0);
export const sortOrder = z.enum(['ascend', 'descend']);
/** One line of text: no control characters. */
export const line = z
  .string()
  .max(4_096)
  .regex(/^\P{Cc}*$/u, 'has control characters');
/** One line that is not empty. */
export const filledLine = line.min(1);
/** As the host gives it in a 202: printable, without spaces. The two names that a path could climb by are not ids. */
export const operationId = z
  .string()
  .max(200)
  .regex(/^(?!\.{1,2}$)[\x21-\x7e]+$/);
/** A credential in a body: named, with the SHA-256 of what was approved; the client fills it in as it sends. */
export const secretReference = z.strictObject({
  $secret: z.string().regex(/^[\w.-]{1,128}$/),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
});

/** Fields of replies: what is missing, null or of another type is undefined, and the rest of the answer stands. */
export const cell = <T extends z.ZodType>(type: T): z.ZodCatch<z.ZodOptional<T>> => type.optional().catch(undefined);
export const textCell = cell(z.string());
export const numberCell = cell(z.number());
export const flagCell = cell(z.boolean());
/** What is no UUID names nothing that could be asked for. */
export const idCell = cell(uuid);

/** A list whose unreadable entries are left out. Something else in its place is an odd answer. */
export const entries = <T extends z.ZodType>(entry: T): z.ZodType<readonly z.output<T>[]> =>
  z.array(z.unknown()).transform((found) =>
    found.flatMap((one) => {
      const read = entry.safeParse(one);
      return read.success ? [read.data] : [];
    }),
  );

/** The same where an absent list is an empty one: for what is shown, never for what a change rests on. */
export const list = <T extends z.ZodType>(entry: T): z.ZodType<readonly z.output<T>[]> =>
  entries(entry)
    .nullish()
    .transform((found) => found ?? []);

/** A list that a change may rest on: absent, or with an entry that cannot be read, it is an odd answer. */
export const wholeList = <T extends z.ZodType>(entry: T): z.ZodReadonly<z.ZodArray<T>> => z.array(entry).readonly();
