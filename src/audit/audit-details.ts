import type { Target } from '../hosting/contract/target.ts';
import { fieldsOf } from '../storage/parse-json.ts';
import type { StoredTargets } from '../access/visibility.ts';

/** The details of an audit line. Fields of the wrong shape are left out, so an altered line can't break a list. */
export type AuditDetails = {
  readonly name: string | undefined;
  readonly command: string | undefined;
  readonly target: string | undefined;
  readonly reason: string | undefined;
  /** Environments that a batch left out when it went on. */
  readonly without: readonly string[] | undefined;
  readonly rules: readonly number[];
  readonly policy: string | undefined;
  readonly fingerprint: string | undefined;
  readonly receipt: string | undefined;
  /** The targets of an event that belongs to no change; undefined: it is about the company. */
  readonly about: StoredTargets | undefined;
};

type Fields = ReturnType<typeof fieldsOf>;

/** Parses `details`, JSON as the trail stores it; never throws. */
export function parseDetails(details: string): AuditDetails {
  const all = fieldsOf(details);
  const authorization = fieldsOf(all['authorization']);
  const targets = Array.isArray(all['targets']) ? all['targets'].map(targetIn) : [];
  const rules = Array.isArray(authorization['rules']) ? authorization['rules'] : [];
  return {
    name: text(all['name']),
    command: text(all['command']),
    without: Array.isArray(all['without']) ? all['without'].filter((one) => typeof one === 'string') : undefined,
    target: text(all['target']) ?? (targets.length > 0 ? targets.map((one) => one.name).join(', ') : undefined),
    reason: text(all['reason']),
    rules: rules.filter((line) => typeof line === 'number'),
    policy: text(authorization['policy']) ?? text(all['hash']),
    fingerprint: text(all['fingerprint']),
    receipt: receiptIn(fieldsOf(all['receipt'])),
    about: targets.length === 0 ? undefined : { targets: JSON.stringify(targets) },
  };
}

/** A target as a line has it. The line doesn't say whether it is live, so it counts as live. */
function targetIn(value: unknown): Target {
  const all = fieldsOf(value);
  const [id = '', name = '', siteName] = [text(all['id']), text(all['name']), text(all['site'])];
  const site = siteName === undefined ? undefined : { id: undefined, name: siteName };
  if (all['kind'] === 'company') return { kind: 'company', id, name };
  if (all['kind'] === 'domain') return { kind: 'domain', id, name, site };
  return { kind: 'environment', id, name, live: true, site };
}

function receiptIn(receipt: Fields): string | undefined {
  const { kind, status, operation, why, message } = receipt;
  const parts = [kind, status, operation, why, message].filter((part) => part !== undefined && part !== '');
  return parts.length === 0 ? undefined : parts.map(String).join(' ');
}

const text = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);
