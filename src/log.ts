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

/** The log is a witness of its own: kept elsewhere, it holds what the database cannot take back. */
export function logHead(
  log: Logger,
  telling: { readonly kind: 'told' | 'altered'; readonly head: object } | undefined,
): void {
  if (telling?.kind === 'told') log.info({ trail: telling.head }, 'the audit trail ends here');
  if (telling?.kind === 'altered')
    log.error({ trail: telling.head }, 'the audit trail was altered: this line is not in it');
}
