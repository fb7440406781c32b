import { pino, type DestinationStream, type Logger } from 'pino';
import { z } from 'zod';
import { scrub } from './secret.ts';

export type { Logger };

/** Keys that end in one of these names: their values never reach a log line, at any depth. */
const names = '(?:token|authorization|secret|password|key|cookie|response_url|trigger_id)s?';
const secretValues = new RegExp(`("[\\w-]*${names}":)(?:"(?:[^"\\\\]|\\\\.)*"|-?\\d[\\d.eE+-]*)`, 'gi');
/** The same for objects and arrays, whose whole value is removed. */
const hasSecretObject = new RegExp(`${names}":[[{]`, 'i');
const isSecretName = new RegExp(`${names}$`, 'i');

/** Writes JSON lines to standard output. Secrets are removed by key, and also by value under any key. */
export function createLog(level: string, destination: DestinationStream = process.stdout): Logger {
  const clean = (line: string): string => {
    const plain = (hasSecretObject.test(line) ? withoutParts(line) : line).replace(secretValues, '$1"***"');
    const scrubbed = scrub(plain);
    // If a text ends with the start of a credential, `scrub` may take the rest of the line for its end. Then scrub each
    // field.
    return scrubbed === plain || namesIn(scrubbed) === namesIn(plain) ? scrubbed : `${scrubFields(plain)}\n`;
  };
  return pino({ level, base: null }, { write: (line) => destination.write(clean(line)) });
}

const withoutParts = (line: string): string =>
  `${JSON.stringify(
    JSON.parse(line, (name, value: unknown) =>
      typeof value === 'object' && value !== null && isSecretName.test(name) ? '***' : value,
    ),
  )}\n`;

/** The names of all fields in order; undefined if the line isn't JSON. */
function namesIn(line: string): string | undefined {
  const names: string[] = [];
  try {
    JSON.parse(line, (name, value: unknown) => (names.push(name), value));
  } catch {
    return undefined;
  }
  return names.join('\n');
}

/** Scrubs each field separately, together with its name. */
const scrubFields = (line: string): string =>
  JSON.stringify(
    JSON.parse(line, (name, value: unknown) => {
      if (typeof value !== 'string') return scrubNames(value);
      const pair = scrub(JSON.stringify({ [name]: value }));
      return namesIn(pair) === `${name}\n` ? fields.parse(JSON.parse(pair))[name] : scrub(value);
    }),
  );

/** Names may contain credentials too. */
const scrubNames = (value: unknown): unknown =>
  typeof value !== 'object' || value === null || Array.isArray(value)
    ? value
    : Object.fromEntries(Object.entries(value).map(([name, one]): [string, unknown] => [scrub(name), one]));

const fields = z.record(z.string(), z.unknown());

/** Lines of the log that could not be written, since the start. */
type LogLoss = {
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
