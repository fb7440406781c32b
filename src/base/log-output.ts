/** Lines of the log that could not be written, since the start. */
export type LogLoss = {
  readonly lines: number;
  /** The code of the last error, such as `ENOSPC`; undefined: nothing was lost. */
  readonly why: string | undefined;
  /** Whether the last line was lost, too. */
  readonly isLosing: boolean;
};

export type LogOutput = {
  readonly write: (line: string) => void;
  readonly loss: () => LogLoss;
};

/** Where lines go, such as standard output. Its errors come to the callback of each write. */
type Stream = {
  readonly writableLength: number;
  readonly write: (line: string, onWritten: (error?: (Error & { readonly code?: string }) | null) => void) => unknown;
};

/** How much may wait for a reader, in bytes. Beyond that, lines are lost. */
const maxWaiting = 1_000_000;

/**
 * The log's way out. What can't be written is lost and counted. The process goes on: what it promises is in its database.
 * `complain` gets a sentence each time that a loss begins; it leads elsewhere.
 */
export function logTo(stream: Stream, complain: (says: string) => void): LogOutput {
  let lines = 0;
  let why: string | undefined;
  let isLosing = false;
  /** Lines so far, and the number of the last one that was lost. */
  let [written, lastLost] = [0, 0];
  const lose = (number: number, code: string): void => {
    lastLost = Math.max(lastLost, number);
    if (!isLosing)
      complain(`Sitehand can't write its log (${code}). It goes on working, and counts the lines that are lost.\n`);
    lines += 1;
    why = code;
    isLosing = true;
  };
  return {
    loss: () => ({ lines, why, isLosing }),
    write: (line) => {
      written += 1;
      const number = written;
      if (stream.writableLength > maxWaiting) return lose(number, 'nobody reads it');
      // A full disk may have taken half of a line.
      const whole = isLosing ? `\n${line}` : line;
      stream.write(whole, (error) => {
        if (error) lose(number, error.code ?? 'unknown error');
        // A line from before the loss may be written late.
        else if (number > lastLost) isLosing = false;
      });
    },
  };
}
