import type { z } from 'zod';
import { listDnsRecords } from '../../hosting/contract/domains.ts';
import type { Domain } from '../../hosting/contract/target.ts';
import type { Sources } from '../kit/sources.ts';
import { wholeName, comparableValue, type RecordType } from './records.ts';

/** A record as the host lists it; the TTL is in seconds, null if unknown. */
type ListedRecord = {
  readonly type: string;
  readonly name: string;
  readonly ttl: number | null;
  readonly values: readonly string[];
};

export type RecordChange = {
  readonly domain: Domain;
  readonly type: RecordType;
  readonly name: string;
  readonly ttl: number | undefined;
  readonly add: readonly string[] | undefined;
  readonly remove: readonly string[] | undefined;
};

/** The default TTL of a new record, in seconds. */
export const newTtl = 3_600;
export const maxTtl = 2_147_483_647;

/** All records of a name, of any type, before the change. */
export type Snapshot = {
  readonly whole: string;
  readonly records: readonly ListedRecord[];
  /** Of the record that the change is about, the host lists something that can't be read, or could not be sent back. */
  readonly hasUnread?: true;
  /** The lowest TTL that the host accepts, in seconds; undefined if there is no limit. */
  readonly least?: number | undefined;
};

export async function recordsAt(
  { read, leastTtl }: Pick<Sources, 'read' | 'leastTtl'>,
  { domain, type: wanted, name }: RecordChange,
): Promise<Snapshot> {
  const whole = wholeName(name, domain.name);
  const listed = (await read(listDnsRecords({ domain_id: domain.id }))).filter(
    (one) => one.name === undefined || wholeName(one.name, domain.name) === whole,
  );
  const hasUnread = listed.some(
    (one) => (one.type === undefined || one.type.toUpperCase() === wanted) && !isReadable(one),
  );
  return {
    whole,
    least: leastTtl,
    records: listed.flatMap(({ type, name, ttl, resource_records: values }) =>
      type === undefined || name === undefined
        ? []
        : [{ type: type.toUpperCase(), name, ttl: ttlOf(ttl), values: valuesOf(values).filter(isSendable) }],
    ),
    ...(hasUnread && { hasUnread }),
  };
}

type HostRecord = z.output<ReturnType<typeof listDnsRecords>['reply']>[number];

const valuesOf = (values: HostRecord['resource_records']): readonly string[] =>
  (values?.entries ?? []).map(({ value }) => value);

/** Whether it is known which record this is, and all of its values. */
const isReadable = ({ type, name, resource_records: values }: HostRecord): boolean =>
  type !== undefined && name !== undefined && values?.unread === 0 && valuesOf(values).every(isSendable);

/** The TTL in seconds, if it is one. */
export const ttlOf = (ttl: number | undefined): number | null =>
  ttl !== undefined && Number.isInteger(ttl) && ttl >= 0 && ttl <= maxTtl ? ttl : null;

/** Whether a value can be sent back unchanged; any other can't be changed here. */
const isSendable = (value: string): boolean => /^\P{Cc}{1,4096}$/u.test(value);

/** What the request does to the existing records. */
export type Plan = ReturnType<typeof planOf>;

/** Compares a request with the records of its name. */
export function planOf(wanted: RecordChange, { whole, records: all }: Snapshot) {
  const { domain, type, add = [], remove = [] } = wanted;
  const records = all.filter((record) => record.type === type);
  const [first] = records;
  const was = records.flatMap(({ values }) => values);
  const there = new Set(was.map((value) => comparableValue(type, value)));
  const away = new Set(remove.map((value) => comparableValue(type, value)));
  const isThere = (value: string): boolean => there.has(comparableValue(type, value));
  const adds = add.filter((value) => !isThere(value));
  return {
    whole,
    isApex: whole === wholeName('@', domain.name),
    /** Records of this name and type. If there are several, they can't be told apart. */
    records,
    /** Records of this name with other types. */
    others: all.filter((record) => record.type !== type),
    was,
    adds,
    /** Values to add that already exist. */
    known: add.filter(isThere),
    /** Values to remove, in the host's spelling. */
    gone: was.filter((value) => away.has(comparableValue(type, value))),
    /** Values to remove that do not exist. */
    missing: remove.filter((value) => !isThere(value)),
    after: [...was.filter((value) => !away.has(comparableValue(type, value))), ...adds],
    oldTtl: first?.ttl,
    /** Undefined if the host does not list the current TTL and the request has none. */
    ttl: wanted.ttl ?? (first === undefined ? newTtl : (first.ttl ?? undefined)),
  };
}
