import { z } from 'zod';

/** Request fields are strict and bounded. */

/**
 * A UUID in lower case. RFC 9562 treats both cases as equal, and a host may use either. This is the only place that
 * decides the spelling, so comparing, locking and sending agree.
 */
export const uuid = z.guid().toLowerCase();
export const trueOrFalse = z.boolean();
export const wholeNumber = z.int().min(0);
export const sortOrder = z.enum(['ascend', 'descend']);
/** One line of text: no control characters. */
export const line = z
  .string()
  .max(4_096)
  .regex(/^\P{Cc}*$/u, 'has control characters');
/** One line that is not empty. */
export const filledLine = line.min(1);
/** As in the host's 202: printable, without spaces. `.` and `..` are refused because they would change a path. */
export const operationId = z
  .string()
  .max(200)
  .regex(/^(?!\.{1,2}$)[\x21-\x7e]+$/);
/** A credential in a body: its name, and the SHA-256 of the approved value. The client fills it in when it sends. */
export const secretReference = z.strictObject({
  $secret: z.string().regex(/^[\w.-]{1,128}$/),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
});

/** Fields of replies: a missing, null or mistyped value is undefined, and the rest of the answer is kept. */
export const cell = <T extends z.ZodType>(type: T): z.ZodCatch<z.ZodOptional<T>> => type.optional().catch(undefined);
export const textCell = cell(z.string());
export const numberCell = cell(z.number());
export const flagCell = cell(z.boolean());
/** A value that is not a UUID can't be used in a request, so it is undefined. */
export const idCell = cell(uuid);

/** A list as far as it can be read. `unread`: how many entries can't be; any of them may be what somebody looks for. */
export type PartialList<T> = { readonly entries: readonly T[]; readonly unread: number };

/** A list with its readable entries. A missing list is an odd answer; as a `cell` it is undefined, which is not empty. */
export const partialList = <T extends z.ZodType>(entry: T): z.ZodType<PartialList<z.output<T>>> =>
  z.array(z.unknown()).transform((found) => {
    const entries = found.flatMap((one) => {
      const read = entry.safeParse(one);
      return read.success ? [read.data] : [];
    });
    return { entries, unread: found.length - entries.length };
  });

/** A list that a change may rely on: a missing list or an unreadable entry is an odd answer. */
export const wholeList = <T extends z.ZodType>(entry: T): z.ZodReadonly<z.ZodArray<T>> => z.array(entry).readonly();

/** A timestamp of 4.22 below this is in seconds: in milliseconds it would be before March 1973. */
const firstMilliseconds = 1e11;
const lastMilliseconds = 8.64e15;

/** A timestamp of 4.22 in epoch milliseconds; the document does not say its unit. Undefined if it is not a time. */
export function momentOf(timestamp: number | undefined): number | undefined {
  if (timestamp === undefined || !(timestamp > 0)) return undefined;
  const moment = timestamp < firstMilliseconds ? timestamp * 1_000 : timestamp;
  return moment <= lastMilliseconds ? moment : undefined;
}

/** When a key expires, from ISO 8601 or epoch milliseconds (the public service's); undefined if it is neither. */
export function expiryOf(expires: string | number | undefined): number | undefined {
  if (typeof expires === 'number' || /^\d{1,16}$/.test(expires ?? '')) return momentOf(Number(expires));
  const at = /^\d{4}-\d{2}-\d{2}/.test(expires ?? '') ? Date.parse(expires ?? '') : Number.NaN;
  return Number.isNaN(at) ? undefined : at;
}
