import { listDnsRecords } from '../../hosting/contract/dns.ts';
import type { Domain } from '../../hosting/contract/target.ts';
import type { Sources } from '../kit/sources.ts';
import { wholeName } from './names.ts';
import { meaning, type RecordType } from './values.ts';

/** A record as the host lists it; a TTL in seconds that it does not tell is null. */
export type ListedRecord = {
  readonly type: string;
  readonly name: string;
  readonly ttl: number | null;
  readonly values: readonly string[];
};

/** What somebody wants of one record. */
export type Wanted = {
  readonly domain: Domain;
  readonly type: RecordType;
  readonly name: string;
  readonly ttl: number | undefined;
  readonly add: readonly string[] | undefined;
  readonly remove: readonly string[] | undefined;
};

/** How long an answer about a new record may be kept, in seconds, where nobody says. */
export const newTtl = 3_600;
export const maxTtl = 2_147_483_647;

/** What stands at a name before it is changed: all of its records, whatever their type. */
export type Before = {
  readonly whole: string;
  readonly records: readonly ListedRecord[];
  /** The least TTL that the host takes; left out: any. */
  readonly least?: number | undefined;
};

/** Looks at the name that is meant. */
export async function recordsAt(
  { read, leastTtl }: Pick<Sources, 'read' | 'leastTtl'>,
  { domain, name }: Wanted,
): Promise<Before> {
  const whole = wholeName(name, domain.name);
  const records = await read(listDnsRecords({ domain_id: domain.id }));
  return {
    whole,
    least: leastTtl,
    records: records.flatMap(({ type, name, ttl, resource_records: values }) =>
      type === undefined || name === undefined || wholeName(name, domain.name) !== whole
        ? []
        : [{ type: type.toUpperCase(), name, ttl: told(ttl), values: values.flatMap(({ value }) => sayable(value)) }],
    ),
  };
}

const told = (ttl: number | undefined): number | null =>
  ttl !== undefined && Number.isInteger(ttl) && ttl >= 0 && ttl <= maxTtl ? ttl : null;

/** What could not be sent back as it is cannot be changed here. */
const sayable = (value: string | undefined): readonly string[] =>
  value !== undefined && /^\P{Cc}{1,4096}$/u.test(value) ? [value] : [];

/** What a wish makes of the records that are there. */
export type Plan = {
  readonly whole: string;
  readonly isApex: boolean;
  /** Those of this name and type: more than one cannot be told apart. */
  readonly records: readonly ListedRecord[];
  /** Those of this name and of other types. */
  readonly others: readonly ListedRecord[];
  readonly was: readonly string[];
  /** Wanted, and not there yet. */
  readonly adds: readonly string[];
  /** Wanted, and there already. */
  readonly known: readonly string[];
  /** To be taken away, in the host's own spelling. */
  readonly gone: readonly string[];
  /** To be taken away, and not there. */
  readonly missing: readonly string[];
  readonly after: readonly string[];
  readonly oldTtl: number | null | undefined;
  /** Undefined where the host does not tell the present one and nobody says another. */
  readonly ttl: number | undefined;
};

/** Holds a wish against the records of its name. */
export function planOf(wanted: Wanted, { whole, records: all }: Before): Plan {
  const { domain, type, add = [], remove = [] } = wanted;
  const records = all.filter((record) => record.type === type);
  const [first] = records;
  const was = records.flatMap(({ values }) => values);
  const there = new Set(was.map((value) => meaning(type, value)));
  const away = new Set(remove.map((value) => meaning(type, value)));
  const isThere = (value: string): boolean => there.has(meaning(type, value));
  const adds = add.filter((value) => !isThere(value));
  return {
    whole,
    isApex: whole === wholeName('@', domain.name),
    records,
    others: all.filter((record) => record.type !== type),
    was,
    adds,
    known: add.filter(isThere),
    gone: was.filter((value) => away.has(meaning(type, value))),
    missing: remove.filter((value) => !isThere(value)),
    after: [...was.filter((value) => !away.has(meaning(type, value))), ...adds],
    oldTtl: first?.ttl,
    ttl: wanted.ttl ?? (first === undefined ? newTtl : (first.ttl ?? undefined)),
  };
}
