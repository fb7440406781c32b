import type { Read } from './contract/call.ts';

/** `document`: every literal as in the API document. `kinsta`: the public service with this interface. */
export type Dialect = 'document' | 'kinsta';

/** Names of parameters and body fields that the document leaves open; both dialects use the same. */
export const names = {
  /** 4.3: the field with DELETE, DELETE_ALL, NEW or UPDATE, and the field with the new rule. */
  ruleAction: 'action_type',
  newRule: 'new_value',
  /** 4.7 */
  company: 'company',
  /** 4.19 */
  logFile: 'file_name',
  logLines: 'lines',
  logFrom: 'from',
  logTo: 'to',
  logSearch: 'search',
} as const;

/** Values that the document leaves open, or shows only one of. */
export const values = {
  redirectTypes: ['permanent', 'redirect'],
  setupTypes: ['quick', 'avoid_downtime'],
  imageOptimizations: ['off', 'lossy', 'lossless'],
  expirationIntervals: ['hours_24', 'days_7', 'days_30', 'days_90', 'never'],
} as const;

/** The lowest TTL of a DNS record (4.6) the host accepts, in seconds; the document names none. */
export const leastTtl: Readonly<Record<Dialect, number>> = { document: 0, kinsta: 300 };

/** The key of the list in 4.17: as documented, and as the service has been seen to send it. Both are only read. */
export const allowlistKeys = ['sftp_ip_allowlist', 'stfp_ip_allowlist'] as const;

/** A timestamp of 4.22 below this is in seconds: as milliseconds it would be in early 1973. */
const firstMilliseconds = 1e11;
const lastMilliseconds = 8.64e15;

/** A timestamp of 4.22 in epoch milliseconds; the document does not state its unit. Undefined if it is no moment. */
export function momentOf(timestamp: number | undefined): number | undefined {
  if (timestamp === undefined || !(timestamp > 0)) return undefined;
  const moment = timestamp < firstMilliseconds ? timestamp * 1_000 : timestamp;
  return moment <= lastMilliseconds ? moment : undefined;
}

/** When a key expires, from ISO 8601 or epoch milliseconds (the public service's); undefined if it is neither. */
export function endOf(expires: string | number | undefined): number | undefined {
  if (typeof expires === 'number' || /^\d{1,16}$/.test(expires ?? '')) return momentOf(Number(expires));
  const at = /^\d{4}-\d{2}-\d{2}/.test(expires ?? '') ? Date.parse(expires ?? '') : Number.NaN;
  return Number.isNaN(at) ? undefined : at;
}

/** Translates a read into the host's dialect. Writes are never translated: what was approved is what is sent. */
export function inDialect<R>(call: Read<R>, dialect: Dialect): Read<R> {
  if (dialect === 'document' || call.query?.[names.logFile] !== 'service-cache-perf') return call;
  return { ...call, query: { ...call.query, [names.logFile]: 'kinsta-cache-perf' } };
}
