import { createHash } from 'node:crypto';
import type { Config } from '../config.ts';
import type { AuditDestination } from '../pipeline/audit/audit-out.ts';
import { appendTo } from './appended-file.ts';
import { jsonLines } from './format.ts';
import { print } from './standard-output.ts';
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
      return { id: idOf(`file:${to.path}`), name: to.path, deliver: (batch) => appendTo(to.path, jsonLines(batch)) };
    case 'stdout':
      return { id: idOf('stdout'), name: 'standard output', deliver: (batch) => print(jsonLines(batch)) };
  }
}

/** A digest: the address may hold a token, and the database keeps the id. */
const idOf = (address: string): string => createHash('sha256').update(address).digest('hex').slice(0, 16);
