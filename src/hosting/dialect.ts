import type { Read } from './contract/call.ts';

/** `document`: every literal as in the API document. `kinsta`: the public service with this interface. */
export type Dialect = 'document' | 'kinsta';

/** The base address of the one service that a dialect belongs to. */
export const serviceAddress: Readonly<Record<Dialect, string | undefined>> = {
  document: undefined,
  kinsta: 'https://api.kinsta.com/v2',
};

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

/**
 * 4.11: what is sent for `off`. Of the public service, an older description (1.87) has the text, and two newer clients
 * send `false`.
 */
export const imagesOff: Readonly<Record<Dialect, 'off' | false>> = { document: 'off', kinsta: false };

/** The lowest TTL of a DNS record (4.6) the host accepts, in seconds; the document names none. */
export const leastTtl: Readonly<Record<Dialect, number>> = { document: 0, kinsta: 300 };

/** How many requests a minute the host answers one company, in all replicas together; the document names no limit. */
export const requestsPerMinute: Readonly<Record<Dialect, number>> = { document: Infinity, kinsta: 120 };

/** The key of the list in 4.17: as documented, and as the service has been seen to send it. Both are only read. */
export const allowlistKeys = ['sftp_ip_allowlist', 'stfp_ip_allowlist'] as const;

/** Translates a read into the host's dialect. Writes are never translated: what was approved is what is sent. */
export function inDialect<R>(call: Read<R>, dialect: Dialect): Read<R> {
  if (dialect === 'document' || call.query?.[names.logFile] !== 'service-cache-perf') return call;
  return { ...call, query: { ...call.query, [names.logFile]: 'kinsta-cache-perf' } };
}
