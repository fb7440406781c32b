import { jsonFields } from './json-line.ts';

const protocol = ' HTTP/';
const answer = /^ HTTP\/[\d.]{1,3}"? (\d{3})(?!\d)/;
const method = /(?:^|[\s"])([A-Z]{3,12})$/;
const duration = /[\s=](\d{1,6}\.\d{1,6})$/;
const alias = /\bclient-[\da-f]{4,}\b/;

/** The request in a line of an access or cache log. */
export type LoggedRequest = {
  /** Without the query. */
  readonly path: string;
  readonly status: number;
  readonly seconds: number | undefined;
  /** The visitor's alias. */
  readonly visitor: string | undefined;
  /** The line without the request, because a path may contain any word. */
  readonly beside: string;
};

/** Reads a masked line. */
export function requestIn(text: string): LoggedRequest | undefined {
  const fields = jsonFields(text);
  if (fields !== undefined) return requestInJson(fields);
  const end = text.indexOf(protocol);
  const answered = end <= 0 ? null : answer.exec(text.slice(end, end + 24));
  if (answered === null) return undefined;
  const start = text.lastIndexOf(' ', end - 1);
  const asked = method.exec(text.slice(Math.max(0, start - 14), start));
  if (start === -1 || asked === null) return undefined;
  const before = text.slice(0, start);
  const after = text.slice(end + answered[0].length);
  const seconds = duration.exec(after.slice(-24))?.[1];
  return {
    path: pathOf(text.slice(start + 1, end)),
    status: Number(answered[1]),
    seconds: seconds === undefined ? undefined : Number(seconds),
    visitor: alias.exec(before)?.[0],
    beside: `${before} ${after}`,
  };
}

/** The names that web servers give to these fields. */
const jsonKeys = {
  request: ['request', 'request_uri', 'uri', 'path', 'url'],
  status: ['status', 'status_code', 'code'],
  seconds: ['request_time', 'duration', 'upstream_response_time'],
  visitor: ['remote_addr', 'client_ip', 'remote_ip', 'client', 'ip'],
};

function requestInJson(fields: ReadonlyMap<string, string>): LoggedRequest | undefined {
  const valueOf = (keys: readonly string[]): string => keys.map((key) => fields.get(key)).find(Boolean) ?? '';
  const request = valueOf(jsonKeys.request);
  const path = request.split(' ').find((word) => word.startsWith('/'));
  const status = valueOf(jsonKeys.status);
  if (path === undefined || !/^[1-9]\d\d$/.test(status)) return undefined;
  const seconds = valueOf(jsonKeys.seconds);
  return {
    path: pathOf(path),
    status: Number(status),
    seconds: /^\d{1,6}(?:\.\d{1,9})?$/.test(seconds) ? Number(seconds) : undefined,
    visitor: alias.exec(valueOf(jsonKeys.visitor))?.[0],
    beside: [...fields.values()].filter((value) => value !== request).join(' '),
  };
}

/** A path without its query, at most 200 characters. */
export function pathOf(target: string): string {
  const bare = target.includes('"') ? target.replaceAll('"', '') : target;
  const query = bare.indexOf('?');
  return (query === -1 ? bare : `${bare.slice(0, query)}?…`).slice(0, 200);
}

/** Counts for one path, or for paths that differ only in numbers and ids. */
export type PathCount = {
  /** The path, with `*` for the parts that differ. */
  path: string;
  count: number;
  readonly seconds: { sum: number; most: number; count: number };
  readonly statuses: Map<number, number>;
};

// A single digit is kept: it is a version or a page number.
const varying = /(?<![\da-f])(?=[a-f]*\d)[\da-f]{8,}(?:-[\da-f]{4,12})*|\d{2,}/gi;

/** Counts requests by path, one at a time. */
export function pathCounter() {
  const byPath = new Map<string, PathCount>();
  const byFolded = new Map<string, PathCount>();
  const countOf = (path: string): PathCount => {
    const folded = path.replace(varying, '*');
    const known = byFolded.get(folded);
    const counted = known ?? { path, count: 0, seconds: { sum: 0, most: 0, count: 0 }, statuses: new Map() };
    // This is the second path of this kind: show their common form from now on.
    if (known) known.path = folded;
    else byFolded.set(folded, counted);
    byPath.set(path, counted);
    return counted;
  };
  return {
    add: ({ path, status, seconds }: Pick<LoggedRequest, 'path'> & Partial<LoggedRequest>): void => {
      const counted = byPath.get(path) ?? countOf(path);
      counted.count += 1;
      if (status !== undefined) counted.statuses.set(status, (counted.statuses.get(status) ?? 0) + 1);
      if (seconds === undefined) return;
      counted.seconds.sum += seconds;
      counted.seconds.count += 1;
      counted.seconds.most = Math.max(counted.seconds.most, seconds);
    },
    counts: (): readonly PathCount[] => [...byFolded.values()],
  };
}

/** The most frequent first. */
export const mostFrequent = (paths: readonly PathCount[]): readonly PathCount[] =>
  ranked(paths, ({ count }) => count, pathOfCount);
export const pathOfCount = ({ path }: PathCount): string => path;

/** What was counted, the most frequent first. */
export const byCount = <K>(counts: ReadonlyMap<K, number>): readonly (readonly [K, number])[] =>
  ranked(
    [...counts],
    ([, count]) => count,
    ([key]) => String(key),
  );

/** Sorted by measure, largest first, then by name for a stable order. */
export const ranked = <T>(all: readonly T[], measure: (one: T) => number, name: (one: T) => string): readonly T[] =>
  all.toSorted((one, other) => measure(other) - measure(one) || (name(one) < name(other) ? -1 : 1));
