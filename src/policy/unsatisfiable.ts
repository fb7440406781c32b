import type { Mistake } from './mistakes.ts';
import { canonicalId, isUserGroup } from './people.ts';
import { approvalBy, speaksOf, type Approval, type Audience, type Command, type Policy, type Rule } from './rules.ts';

/** Slack user group → who is in it, as far as that is known. */
export type Members = ReadonlyMap<string, readonly string[]>;

/** People, each by one id; undefined where not everybody can be known. */
type People = ReadonlySet<string> | undefined;

/**
 * The rules whose approval nobody could ever complete, whoever asks: too few approvers, or just enough of them and one
 * always asks. Only what is certain is claimed: where a user group is missing from `members`, it could be anybody.
 */
export function impossibleRules(policy: Policy, members: Members): readonly Mistake[] {
  const census = new Census(policy, members);
  return policy.rules.flatMap((rule) => {
    if (rule.effect === 'deny') return [];
    const found = policy.catalogue
      .filter((command) => speaksOf(rule, command))
      .map((command) => trouble(census, rule, command))
      .find((says) => says !== undefined);
    return found === undefined ? [] : [{ line: rule.line, column: rule.column, says: found }];
  });
}

function trouble(census: Census, rule: Rule, command: Command): string | undefined {
  const approval = approvalBy(rule, command);
  if (approval === 'none') return undefined;
  const approvers = approval.by === 'allowed' ? census.allowed(command) : census.free(approval.by, command);
  const askers = census.free(rule.to, command);
  // Where nobody can ask, nobody waits for approval.
  if (!approvers || approvers.size > approval.count || askers?.size === 0) return undefined;
  const tooFew = approvers.size < approval.count;
  if (!tooFew && !(askers && [...askers].every((id) => approvers.has(id)))) return undefined;
  return `"${command.path}" could never be approved: ${explain(approval, approvers, tooFew)}`;
}

function explain({ by, count }: Approval, approvers: ReadonlySet<string>, tooFew: boolean): string {
  const who = by === 'allowed' ? 'of those who may do it themselves' : `of ${by.join(', ')}`;
  const there =
    approvers.size === 0 ? 'there is nobody' : `there ${approvers.size === 1 ? 'is' : 'are'} only ${listed(approvers)}`;
  const asks = tooFew ? '' : ', and whoever asks is one of them and does not count';
  return `it needs ${count} ${who}, and ${there}${asks}`;
}

function listed(people: ReadonlySet<string>): string {
  return [...people].join(' and ');
}

/** Who is meant by an audience, worked out once for each command. */
class Census {
  readonly #policy: Policy;
  readonly #members: Members;
  readonly #allowed = new Map<string, People>();
  readonly #denied = new Map<string, ReadonlySet<string>>();

  constructor(policy: Policy, members: Members) {
    this.#policy = policy;
    this.#members = members;
  }

  /** The people of an audience who are not denied the command everywhere. */
  free(audience: Audience, command: Command): People {
    const people = this.#of(audience);
    const denied = this.#deniedEverywhere(command);
    return people && new Set([...people].filter((id) => !denied.has(id)));
  }

  /** The people whom any rule allows the command somewhere. */
  allowed(command: Command): People {
    if (!this.#allowed.has(command.path)) this.#allowed.set(command.path, this.#countAllowed(command));
    return this.#allowed.get(command.path);
  }

  #countAllowed(command: Command): People {
    const people = new Set<string>();
    for (const rule of this.#policy.rules) {
      if (rule.effect === 'deny' || !speaksOf(rule, command)) continue;
      const some = this.free(rule.to, command);
      if (!some) return undefined;
      some.forEach((id) => people.add(id));
    }
    return people;
  }

  #deniedEverywhere(command: Command): ReadonlySet<string> {
    const known = this.#denied.get(command.path);
    if (known) return known;
    const everywhere = this.#policy.rules.filter(
      (rule) => rule.effect === 'deny' && rule.where === undefined && speaksOf(rule, command),
    );
    const ids = everywhere.flatMap(({ to }) => (to === 'everyone' ? [] : to.flatMap((name) => this.#certain(name))));
    const denied = new Set(ids);
    this.#denied.set(command.path, denied);
    return denied;
  }

  #of(audience: Audience): People {
    if (audience === 'everyone') return undefined;
    const ids = audience.flatMap((name) => [...(this.#policy.groups.get(name) ?? [])]);
    if (ids.some((id) => isUserGroup(id) && !this.#members.has(id))) return undefined;
    return new Set(audience.flatMap((name) => this.#certain(name)));
  }

  /** The people who are in a group for certain, by the one id that stands for each. */
  #certain(name: string): readonly string[] {
    return [...(this.#policy.groups.get(name) ?? [])]
      .flatMap((id) => (isUserGroup(id) ? (this.#members.get(id) ?? []) : [id]))
      .map((id) => canonicalId(this.#policy, id));
  }
}
