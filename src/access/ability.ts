import type { Text } from '../words/text.ts';

/** A rule of the policy: the line where it starts, and its text or what of it applies. */
export type RuleLine = { readonly line: number; readonly text: string };

/** Whether somebody may run a command on a target, and what decides it. */
export type Ability = {
  readonly person: { readonly id: string; readonly name: string };
  readonly path: string;
  /** The class of the command; `named` means that a rule has to name it. */
  readonly risk: string;
  /** The target, or how many there are if none was named; undefined if the command has none. */
  readonly target: string | undefined;
  /** Why it is refused in the channel of the question, whatever the rules allow, and where it isn't. */
  readonly notHere?: Text;
  readonly answer:
    | { readonly kind: 'for everybody' }
    | { readonly kind: 'allowed'; readonly rules: readonly RuleLine[]; readonly approval: 'none' | RequiredApproval }
    /** No target was named, and it is allowed on some. */
    | {
        readonly kind: 'allowed somewhere';
        readonly rules: readonly RuleLine[];
        readonly approval: 'none' | ApprovalSomewhere | 'depends on the target';
      }
    | { readonly kind: 'denied'; readonly rule: RuleLine; readonly whoMay: readonly string[] }
    | { readonly kind: 'no rule'; readonly lets: readonly RuleLine[]; readonly whoMay: readonly string[] }
    /** Guests, bots and people from outside: the rules do not apply to them. */
    | { readonly kind: 'not welcome'; readonly why: string }
    | { readonly kind: 'hidden'; readonly what: string }
    /** It depends on who is in these Slack user groups, which Slack doesn't say. */
    | { readonly kind: 'unknown'; readonly userGroups: readonly string[] };
};

/** The approval that the rules require. `expires` is in milliseconds. */
export type RequiredApproval = {
  readonly asks: readonly { readonly count: number; readonly people: number; readonly groups: readonly string[] }[];
  /** The names of the approvers. */
  readonly who: Text;
  /** Who is notified, if the rules name anybody; else empty. */
  readonly notified: Text;
  /** That too few people can approve it right now, if that is certain. */
  readonly tooFew: Text | undefined;
  readonly expires: number;
  readonly reason: 'required' | 'optional';
};

/** As `RequiredApproval`; `who` has the groups, because who of them may see it depends on the target. */
export type ApprovalSomewhere = Pick<RequiredApproval, 'who' | 'expires' | 'reason'>;
