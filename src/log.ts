import { pino, type DestinationStream, type Logger } from 'pino';
import { scrub } from './secret.ts';

export type { Logger };

/** Keys whose values never reach a log line, wherever they stand. */
const unspeakable = [
  'token',
  'authorization',
  'secret',
  'password',
  'key',
  'signing_secret',
  'response_url',
  'trigger_id',
];

/** JSON lines on standard output; secrets are removed by key and, whatever their key, by value. */
export function createLog(level: string, destination: DestinationStream = process.stdout): Logger {
  const scrubbed: DestinationStream = { write: (line) => destination.write(scrub(line)) };
  const paths = unspeakable.flatMap((key) => [key, `*.${key}`, `*.*.${key}`]);
  return pino({ level, base: undefined, redact: { paths, censor: '***' } }, scrubbed);
}
