/** A timestamp of 4.22 below this is in seconds: in milliseconds it would be before March 1973. */
const firstMilliseconds = 1e11;
const lastMilliseconds = 8.64e15;

/** A timestamp of 4.22 in epoch milliseconds; the document does not say its unit. Undefined if it is not a time. */
export function momentOf(timestamp: number | undefined): number | undefined {
  if (timestamp === undefined || !(timestamp > 0)) return undefined;
  const moment = timestamp < firstMilliseconds ? timestamp * 1_000 : timestamp;
  return moment <= lastMilliseconds ? moment : undefined;
}

/** When a key expires, from ISO 8601 or epoch milliseconds (the public service's); undefined if it is neither. */
export function expiryOf(expires: string | number | undefined): number | undefined {
  if (typeof expires === 'number' || /^\d{1,16}$/.test(expires ?? '')) return momentOf(Number(expires));
  const at = /^\d{4}-\d{2}-\d{2}/.test(expires ?? '') ? Date.parse(expires ?? '') : Number.NaN;
  return Number.isNaN(at) ? undefined : at;
}
