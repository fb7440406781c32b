import { pino, type DestinationStream, type Logger } from 'pino';
import { z } from 'zod';
import { scrub } from './secret.ts';

export type { Logger };

/** What never reaches a log line, however deep it stands: the values of these keys, and of all that end in one of them. */
const names = '(?:token|authorization|secret|password|key|cookie|response_url|trigger_id)s?';
const unspeakable = new RegExp(`("[\\w-]*${names}":)(?:"(?:[^"\\\\]|\\\\.)*"|-?\\d[\\d.eE+-]*)`, 'gi');
/** The same where the value has parts: it is left out whole. */
const inParts = new RegExp(`${names}":[[{]`, 'i');
const isUnspeakable = new RegExp(`${names}$`, 'i');

/** JSON lines on standard output; secrets are removed by key and, whatever their key, by value. */
export function createLog(level: string, destination: DestinationStream = process.stdout): Logger {
  const clean = (line: string): string => {
    const plain = (inParts.test(line) ? withoutParts(line) : line).replace(unspeakable, '$1"***"');
    const scrubbed = scrub(plain);
    // A text that ends where a credential begins has its end taken for one, and what follows in the line with it.
    return scrubbed === plain || namesIn(scrubbed) === namesIn(plain) ? scrubbed : `${eachApart(plain)}\n`;
  };
  return pino({ level, base: undefined }, { write: (line) => destination.write(clean(line)) });
}

const withoutParts = (line: string): string =>
  `${JSON.stringify(
    JSON.parse(line, (name, value: unknown) =>
      typeof value === 'object' && value !== null && isUnspeakable.test(name) ? '***' : value,
    ),
  )}\n`;

/** The names of all fields of a line, in their order; undefined where it is no JSON. */
function namesIn(line: string): string | undefined {
  const names: string[] = [];
  try {
    JSON.parse(line, (name, value: unknown) => (names.push(name), value));
  } catch {
    return undefined;
  }
  return names.join('\n');
}

/** Each field of the line scrubbed by itself, with its name. */
const eachApart = (line: string): string =>
  JSON.stringify(
    JSON.parse(line, (name, value: unknown) => {
      if (typeof value !== 'string') return withNames(value);
      const pair = scrub(JSON.stringify({ [name]: value }));
      return namesIn(pair) === `${name}\n` ? fields.parse(JSON.parse(pair))[name] : scrub(value);
    }),
  );

/** A name may be a credential, too. */
const withNames = (value: unknown): unknown =>
  typeof value !== 'object' || value === null || Array.isArray(value)
    ? value
    : Object.fromEntries(Object.entries(value).map(([name, one]): [string, unknown] => [scrub(name), one]));

const fields = z.record(z.string(), z.unknown());
