import { requestIn, type Request } from './requests.ts';
import { masker } from './masking.ts';
import { causeIn, unwrapped, type Unwrapped } from './nginx.ts';
import { stampReader } from './timestamps.ts';

export const toldBy = (line: Line): Told => ({ line, request: requestIn(line.text) });

/** A line, and the request that it tells of; undefined where there is none in it. */
export type Told = { readonly line: Line; readonly request: Request | undefined };

/** A line of a log that may be shown. */
export type Line = Unwrapped & {
  /** Masked, and as long as may be shown; the messages are parts of it, without its time. */
  readonly text: string;
  /** Epoch milliseconds: its own, else of the line before it. */
  readonly at: number | undefined;
  /** It goes on with the entry before it, as the lines of a stack trace do. */
  readonly continues: boolean;
};

/** Between these (epoch ms) a time is believed; a visitor may write any into a log. */
export type Plausible = { readonly from: number; readonly to: number };

const goesOn = /^(?:\s|#\d+ |Stack trace:|Caused by|Next [\w\\]{0,100}(?:Exception|Error)\b|thrown in |[)}\]]|$)/;

/** Reads a log piece by piece, in its order: the same lines, wherever it is cut. */
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
        // Where a trace has its lines, what nginx was asked stands behind the last of them.
        return { text, messages: [text], isCut: false, cause: causeIn(text), at: before, continues: true };
      }
      const stamp = stampOf(text);
      before = stamp?.at ?? before;
      return { ...unwrapped(text.slice(stamp?.end ?? 0)), text, at: before, continues: false };
    });
}

/** The newest lines of a text, oldest first, at most so many; what the host adds beyond what was asked is older. */
export function newestOf(text: string, most: number): readonly string[] {
  const end = text.endsWith('\n') ? text.length - 1 : text.length;
  if (end <= 0) return [];
  let start = end;
  for (let count = 0; count < most && start >= 0; count += 1)
    start = start === 0 ? -1 : text.lastIndexOf('\n', start - 1);
  return text.slice(start + 1, end).split('\n');
}
