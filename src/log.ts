import { pino, type DestinationStream, type Logger } from 'pino';
import { scrub } from './secret.ts';

export type { Logger };

/** What never reaches a log line, however deep it stands: the values of these keys, and of all that end in one of them. */
const unspeakable =
  /("[\w-]*(?:token|authorization|secret|password|key|cookie|response_url|trigger_id)":)(?:"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*)/gi;

/** JSON lines on standard output; secrets are removed by key and, whatever their key, by value. */
export function createLog(level: string, destination: DestinationStream = process.stdout): Logger {
  const clean = (line: string): string => scrub(line.replace(unspeakable, '$1"***"'));
  return pino({ level, base: undefined }, { write: (line) => destination.write(clean(line)) });
}
