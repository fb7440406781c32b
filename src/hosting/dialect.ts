import type { Read } from './contract/call.ts';

/** `document`: every literal as the API document prints it. `kinsta`: the public service with this interface. */
export type Dialect = 'document' | 'kinsta';

/** Names of parameters and body fields that the document does not show; both dialects use the same. */
export const names = {
  /** 4.3: the field with DELETE, DELETE_ALL, NEW or UPDATE, and the one with the rule as it shall be. */
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

/** Values that the document does not show, or only one of. */
export const values = {
  redirectTypes: ['permanent', 'redirect'],
  setupTypes: ['quick', 'avoid_downtime'],
  imageOptimizations: ['off', 'lossy', 'lossless'],
  expirationIntervals: ['hours_24', 'days_7', 'days_30', 'days_90', 'never'],
} as const;

/** The least TTL of a DNS record (4.6) that a host takes, in seconds; the document names none. */
export const leastTtl: Readonly<Record<Dialect, number>> = { document: 0, kinsta: 300 };

/** How 4.17 spells its list: as documented, and as the service has been seen to. Both are read, neither is written. */
export const allowlistKeys = ['sftp_ip_allowlist', 'stfp_ip_allowlist'] as const;

/** Below this a timestamp of 4.22 is in seconds: as milliseconds it would lie in early 1973. */
const firstMilliseconds = 1e11;
const lastMilliseconds = 8.64e15;

/** A timestamp of 4.22, whose unit is not stated, in epoch milliseconds; undefined if it can be no moment. */
export function momentOf(timestamp: number | undefined): number | undefined {
  if (timestamp === undefined || !(timestamp > 0)) return undefined;
  const moment = timestamp < firstMilliseconds ? timestamp * 1_000 : timestamp;
  return moment <= lastMilliseconds ? moment : undefined;
}

/** The end of a key: ISO 8601, or as the public service says it, epoch milliseconds as a text; undefined if it is neither. */
export function endOf(said: string | number | undefined): number | undefined {
  if (typeof said === 'number' || /^\d{1,16}$/.test(said ?? '')) return momentOf(Number(said));
  const at = /^\d{4}-\d{2}-\d{2}/.test(said ?? '') ? Date.parse(said ?? '') : Number.NaN;
  return Number.isNaN(at) ? undefined : at;
}

/** The read as a host of this dialect understands it. There is none for writes: what was approved is what is sent. */
export function inDialect<R>(call: Read<R>, dialect: Dialect): Read<R> {
  if (dialect === 'document' || call.query?.[names.logFile] !== 'service-cache-perf') return call;
  return { ...call, query: { ...call.query, [names.logFile]: 'kinsta-cache-perf' } };
}
