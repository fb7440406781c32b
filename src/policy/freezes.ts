import type { AccessRequest } from './matching.ts';
import type { Pattern } from './pattern.ts';
import type { Member, Needed, Policy, Rule } from './rules.ts';
/** stub */
export type Freeze = {
  readonly name: string;
  readonly reason?: string | undefined;
  readonly where?: readonly Pattern[] | undefined;
  readonly what?: ReadonlySet<string> | undefined;
  readonly except?: { readonly to: readonly string[]; readonly approval: Rule['approval'] } | undefined;
};
export type FreezeDecision =
  | {
      readonly kind: 'open';
      readonly approval: 'none' | Needed;
      readonly names: readonly string[];
      readonly nextAt: number | undefined;
    }
  | {
      readonly kind: 'frozen';
      readonly by: readonly Freeze[];
      readonly until: number | undefined;
      readonly mayStill: readonly string[];
    }
  | { readonly kind: 'unknown'; readonly groups: readonly string[] };
export function decideFreeze(_policy: Policy, _person: Member, _request: AccessRequest, _at: number): FreezeDecision {
  return { kind: 'open', approval: 'none', names: [], nextAt: undefined };
}
