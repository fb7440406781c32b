import type { Offer, Args } from '../../base/errors.ts';
import type { Write } from '../../hosting/contract/call.ts';
import type { Risk } from '../../words/states.ts';
import type { Inline, Text } from '../../words/text.ts';
import type { Field, Fields, Input, PlainField, TargetKey } from './fields.ts';
import type { LookSources, Sources } from './sources.ts';

/** What people type after the command's path; empty: nothing. Help shows up to three; a test tries them all. */
export type Examples = readonly [string, ...string[]];
/**
 * What a read says about a change: it happened; not yet, so read again; it did not happen. `isUnclear`: the host's answer
 * can't be read in full, so it does not speak against it either.
 */
export type ActionProof = {
  readonly verdict: 'yes' | 'not yet' | 'no';
  readonly says: Text;
  readonly isUnclear?: boolean;
};
/** Why the input or the look is refused, before anybody is asked to approve. */
export type Invalid<Name extends string = string> = {
  readonly field?: Name;
  readonly says: Inline;
  readonly hint?: Inline;
  /** A required value is missing, so the form opens if there is one. */
  readonly unsaid?: true;
  readonly offers?: readonly Offer[];
};

type WithSnapshot<F extends Fields, S> = { readonly input: Input<F>; readonly snapshot: S };

/**
 * A command that changes something at the host. It describes its call and never makes it: everything here is pure
 * except `look`, which may only read. `S` is what `look` returns; it is stored with the change, so it must survive JSON.
 */
export type Action<F extends Fields, S> = {
  readonly shape: 'action';
  /** One line for help; starts with a verb. */
  readonly summary: string;
  /** The form's title and its submit button, at most 24 characters. */
  readonly button: string;
  readonly examples: Examples;
  /**
   * What else people call it: phrases with commas between them, whose words may stand in any order, with kinds of things
   * such as `<address>`.
   */
  readonly also?: string;
  readonly risk: Risk;
  /** The commands whose results its form offers to choose from, if the person may run them there too. */
  readonly shows?: readonly string[];
  /** It can break the site of its target. The site is read before the send and after the end. */
  readonly mayBreakSite?: true;
  /** Destructive actions require the target's name to be typed if it is live; `always` requires it everywhere. */
  readonly typedName?: 'always';
  /** In the order in which people type them. */
  readonly fields: F;
  /** The field that names what is changed. Policy, locks and the audit trail use it. */
  readonly target: TargetKey<F> | 'company';
  /** Fields for which policy requires the right to read (push: its source). */
  readonly alsoReads?: readonly TargetKey<F>[];
  /** How form fields depend on other fields. */
  readonly dependent?: { readonly [K in keyof F]?: Dependent<F> };
  /** Whether it only takes access away, so that no freeze of the policy holds it. */
  takesAccess?(input: Partial<Input<F>>): boolean;
  /** Checks the fields together, without I/O. The result is shown on the form before its ack. */
  invalid?(input: Input<F>): Invalid<keyof F & string> | undefined;
  /** Whether the fields are probably a mistake. Then a review shows the card's warning first, whatever the target. */
  isDoubtful?(input: Input<F>): boolean;
  look?(of: { readonly input: Input<F> } & LookSources): Promise<S>;
  /** Refuses if the look shows that the change is impossible or already made. */
  impossible?(of: WithSnapshot<F, S>): Invalid<keyof F & string> | undefined;
  /** What must still be the same when the change is sent; by default all of `snapshot`. */
  preconditions?(of: WithSnapshot<F, S>): unknown;
  call(of: WithSnapshot<F, S>): Write;
  card(of: WithSnapshot<F, S> & { readonly now: number }): Wording;
  /** What the host's current state says about the change, with a sentence for people. */
  proof?(of: WithSnapshot<F, S> & { readonly current: S }): ActionProof;
  /** A sentence about what a look shows after the answer to a send at `sentAt` was lost. It decides nothing. */
  traces?(of: WithSnapshot<F, S> & { readonly current: S; readonly sentAt: number }): Text;
  /**
   * It can be done to many environments together. Returns what the card of the batch says, or why these fields can't
   * be used in one. `where` says how many environments: `12 environments`.
   */
  batch?(of: {
    readonly input: Omit<Input<F>, TargetKey<F>>;
    readonly where: string;
  }): Pick<Wording, 'title' | 'done'> | Invalid<keyof F & string>;
  /**
   * The fields for one environment of a batch (`themes update`: only the themes that have an update there). By
   * default the batch's own.
   */
  meant?(of: WithSnapshot<F, S>): Input<F>;
  /** What to expect after the host accepted, if nothing can be followed or read back. */
  readonly after?: string;
  /** What running it twice would do, shown when somebody asks again after an unknown outcome. */
  readonly twice?: string;
  /** The arguments of another command that reverses this change, with ids in them. */
  undo?(of: WithSnapshot<F, S>): Args | undefined;
  /** What must still be the same for `undo` to run at once (`allowlist add`: the list). By default the preconditions. */
  leaves?(current: S): unknown;
  /**
   * Whether no request is needed (`allowlist add` of an address with timed access: only its end changes). The change
   * takes the usual steps and is done without its call.
   */
  unwritten?(of: WithSnapshot<F, S>): boolean;
  /** What the change does to timed access once it is done; approved and stored with its card. */
  access?(of: WithSnapshot<F, S>): Access;
  /** Buttons under the final message. `sentAt`: epoch ms. */
  next?(of: WithSnapshot<F, S> & { readonly sentAt: number }): readonly Offer[];
};

/** What a change of an SSH allowlist means for timed access. Addresses are in their canonical spelling. */
export type Access = {
  /** Addresses that it lets in (`allowlist add`): for `forMs` milliseconds, or for good if that is left out. */
  readonly lets: readonly string[];
  readonly forMs?: number;
  /** Whether the list may become empty when timed access ends, because no address is on it for good. */
  readonly mayEmpty: boolean;
  /** Addresses that it removes (`allowlist remove`); `all others` for `allowlist set`. */
  readonly takes: readonly string[] | 'all others';
};

/** A form field that depends on others; it is evaluated again whenever one of them changes. */
type Dependent<F extends Fields> = {
  readonly on: readonly (keyof F & string)[];
  /** Whether the form shows it; by default always. */
  asked?(input: Partial<Input<F>>): boolean;
  /** Its choices, in the order shown; called once all fields in `on` are filled in. */
  choices?(of: { readonly input: Partial<Input<F>> } & Sources): Promise<readonly string[]>;
};

/** What people read about a change before it is made; pinned and fingerprinted with the call. */
export type Wording = {
  /** Imperative: `Clear the cache of acme-shop/live`. */
  readonly title: Text;
  /** Past tense: `Cleared the cache of acme-shop/live`. */
  readonly done: Text;
  readonly warning?: Text | undefined;
  readonly facts?: Readonly<Record<string, Inline>>;
};

/** Declares an action. The types ensure that its target is a target field and its call a write. */
export function action<const F extends Fields, S = undefined>(of: Omit<Action<F, S>, 'shape'>): Action<F, S> {
  return { shape: 'action', ...of };
}

/** Any action, without the types of its fields and its look. */
export type AnyAction = Omit<Action<Fields, unknown>, 'target' | 'alsoReads'> & {
  readonly target: string;
  readonly alsoReads?: readonly string[];
};

/** Whether a field names an environment, a domain or a site. */
export const isName = (field: Field): field is Exclude<Field, PlainField<unknown>> => field.kind !== 'plain';

/** What every action can be told besides its own fields: how it is typed, and what it means. */
export const commonOptions = {
  reason: ['--reason "…"', 'Why. It stands on the card and in the audit trail.'],
  'dry-run': ['--dry-run', 'Shows what would be sent, and sends nothing.'],
  queue: ['--queue', 'If a lock is in the way, waits for its end instead of giving up.'],
  at: ['--at "tomorrow 02:00"', 'Sends it then, by your own clock; the approval is asked for now.'],
  within: ['--within 1h', 'How long after that time it may still be sent: 15 min, or up to 2 h.'],
  'break-glass': [
    '--break-glass',
    'In an emergency, skips approval and any freeze. Everybody is told, and somebody reviews it.',
  ],
  canary: ['--canary site/environment', 'Of several, goes there first, and on only if its site is well.'],
} as const satisfies Readonly<Record<string, readonly [typed: string, means: string]>>;
