import { requestIn, type LoggedRequest } from './requests.ts';
import { masker } from './masking.ts';
import { causeIn, unwrapped, type Unwrapped } from './nginx.ts';
import { stampReader } from './timestamps.ts';
import { dayMs } from '../../duration.ts';

export const withRequest = (line: Line): LineWithRequest => ({ line, request: requestIn(line.text) });

/** A line, and the request in it, if there is one. */
export type LineWithRequest = { readonly line: Line; readonly request: LoggedRequest | undefined };

/** A line of a log that may be shown. */
export type Line = Unwrapped & {
  /** The line, masked and limited in length. The messages are parts of it, without its time. */
  readonly text: string;
  /** Epoch milliseconds: its own time, or that of the line before it. */
  readonly at: number | undefined;
  /** Whether its own time has no zone and was read as UTC. */
  readonly isZoneless?: boolean;
  /** Whether it continues the entry before it, like a line of a stack trace. */
  readonly continues: boolean;
};

/** Times outside these bounds (epoch ms) are ignored: visitors can write any time into a log. */
type Plausible = { readonly from: number; readonly to: number };

/** Times older than this are ignored. */
const oldestDays = 400;

export const plausibleAt = (now: number): Plausible => ({ from: now - oldestDays * dayMs, to: now + dayMs });

const goesOn = /^(?:\s|#\d+ |Stack trace:|Caused by|Next [\w\\]{0,100}(?:Exception|Error)\b|thrown in |[)}\]]|$)/;

/** Reads a log in chunks, in order. The result does not depend on where the chunks begin. */
export function lineReader(
  alias: (address: string) => string,
  { from, to }: Plausible,
): (raw: readonly string[]) => readonly Line[] {
  const mask = masker(alias);
  const stampOf = stampReader(from, to);
  let before: number | undefined;
  return (raw) =>
    raw.map((line) => {
      const text = mask(line);
      if (goesOn.test(text)) {
        // After a multi-line trace, nginx puts the request behind the last line.
        return { text, messages: [text], isCut: false, cause: causeIn(text), at: before, continues: true };
      }
      const stamp = stampOf(text);
      before = stamp?.at ?? before;
      return {
        ...unwrapped(text.slice(stamp?.end ?? 0)),
        text,
        at: before,
        continues: false,
        ...(stamp?.isZoneless && { isZoneless: true }),
      };
    });
}

/** The last `most` lines of a text, oldest first. If the host sends too many, the extra ones are the oldest. */
export function newestOf(text: string, most: number): readonly string[] {
  const end = text.endsWith('\n') ? text.length - 1 : text.length;
  if (end <= 0) return [];
  let start = end;
  for (let count = 0; count < most && start >= 0; count += 1)
    start = start === 0 ? -1 : text.lastIndexOf('\n', start - 1);
  return text.slice(start + 1, end).split('\n');
}
