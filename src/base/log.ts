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
