import type { Target } from '../../hosting/contract/target.ts';
import { parseStored } from '../../storage/parse-json.ts';
import type { StoredTargets } from '../access/visibility.ts';

/** The details of an audit line. Fields of the wrong shape are left out, so an altered line can't break a list. */
export type AuditDetails = {
  readonly name: string | undefined;
  readonly target: string | undefined;
  readonly reason: string | undefined;
  /** Environments that a batch left out when it went on. */
  readonly without: readonly string[] | undefined;
  readonly rules: readonly number[];
  readonly policy: string | undefined;
  readonly fingerprint: string | undefined;
  readonly receipt: string | undefined;
  /** The target of an event that belongs to no change; undefined: it has none. */
  readonly about: StoredTargets | undefined;
};

type Fields = Readonly<Record<string, unknown>>;

/** Parses `details`, JSON as the trail stores it; never throws. */
export function parseDetails(details: string): AuditDetails {
  const all = fieldsOf(details);
  const authorization = fieldsOf(all['authorization']);
  const [target, key] = [text(all['target']), text(all['target_key'])];
  const rules = Array.isArray(authorization['rules']) ? authorization['rules'] : [];
  return {
    name: text(all['name']),
    without: Array.isArray(all['without']) ? all['without'].filter((one) => typeof one === 'string') : undefined,
    target,
    reason: text(all['reason']),
    rules: rules.filter((line) => typeof line === 'number'),
    policy: text(authorization['policy']) ?? text(all['hash']),
    fingerprint: text(all['fingerprint']),
    receipt: receiptIn(fieldsOf(all['receipt'])),
    about: key === undefined ? undefined : { targets: JSON.stringify([namedBy(key, target ?? '')]) },
  };
}

/** A target from the key and name in a line. The line doesn't say whether it is live, so it counts as live. */
function namedBy(key: string, name: string): Target {
  const [kind, id = ''] = key.split(':');
  if (kind === 'domain') return { kind, id, name, site: undefined };
  const [site = '', own] = name.split('/');
  return {
    kind: 'environment',
    id,
    name,
    live: true,
    site: own === undefined ? undefined : { id: undefined, name: site },
  };
}

function receiptIn(receipt: Fields): string | undefined {
  const { kind, status, operation, message, why } = receipt;
  const parts = [kind, status, operation, message, why].filter((part) => part !== undefined && part !== '');
  return parts.length === 0 ? undefined : parts.map(String).join(' ');
}

/** The fields of an object or of a JSON object; otherwise no fields. Never throws. */
export function fieldsOf(value: unknown): Fields {
  try {
    const read = typeof value === 'string' ? parseStored<unknown>(value) : value;
    return isObject(read) ? read : {};
  } catch {
    return {};
  }
}

const isObject = (value: unknown): value is Fields => typeof value === 'object' && value !== null;
const text = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);
