import { createHash } from 'node:crypto';
import type { Config } from '../../base/config.ts';
import type { AuditBatch, AuditDestination, DeliveryResult } from '../audit-out.ts';
import { within } from '../../base/time-limit.ts';
import { appendTo } from './appended-file.ts';
import { jsonLines } from './format.ts';
import { postBatch } from './webhook.ts';

type AuditOut = NonNullable<Config['auditOut']>;

/** The destination that the settings name. */
export function destinationOf(to: AuditOut): AuditDestination {
  switch (to.kind) {
    case 'webhook': {
      const url = to.url.reveal();
      return {
        id: idOf(url),
        name: new URL(url).host,
        deliver: (batch, signal) => postBatch(to, batch, signal),
      };
    }
    case 'file':
      return { id: idOf(`file:${to.path}`), name: to.path, deliver: oneAtATime((lines) => appendTo(to.path, lines)) };
    case 'stdout':
      return { id: idOf('stdout'), name: 'standard output', deliver: oneAtATime(writeToOutput) };
  }
}

/**
 * Allows one write at a time. A write to a disk that is gone, or to an output that nobody reads, may never end: it
 * counts as failed, and nothing more is written until it ends.
 */
export function oneAtATime(
  write: (lines: string) => Promise<DeliveryResult>,
  limitMs = 15_000,
): (batch: AuditBatch) => Promise<DeliveryResult> {
  let running: Promise<DeliveryResult> | undefined;
  const late: DeliveryResult = {
    kind: 'failed',
    why: `a write to it has not ended within ${limitMs / 1_000} s`,
    lasting: false,
  };
  return async (batch) => {
    if (running !== undefined) return late;
    running = write(jsonLines(batch)).finally(() => (running = undefined));
    return within(limitMs, running).catch(() => late);
  };
}

/** Writes the text to standard output, between lines of the log; resolves once the system has taken it. */
const writeToOutput = (text: string): Promise<DeliveryResult> =>
  new Promise((resolve) => {
    process.stdout.write(text, (error) =>
      resolve(error ? { kind: 'failed', why: 'it is closed', lasting: false } : { kind: 'taken' }),
    );
  });

/** A hash, because the address may hold a token and the database keeps the id. */
const idOf = (address: string): string => createHash('sha256').update(address).digest('hex').slice(0, 16);
