import type { Offer, Words } from '../../errors.ts';
import type { Write } from '../../hosting/contract/call.ts';
import type { Domain, Environment, NamedSite } from '../../hosting/contract/target.ts';
import type { Inline, Text } from '../../text.ts';
import type { Field, Fields, Input, NameField, TargetKey } from './fields.ts';
import type { LookSources, Sources } from './sources.ts';

export type Risk = 'routine' | 'sensitive' | 'destructive';
/** Words after the command's own, as people type them: help shows the first, and the contract test tries them all. */
export type Examples = readonly [string, ...string[]];
/** What a read says of a change: it is so; not yet, ask again; it is not so. */
export type Evidence = 'yes' | 'not yet' | 'no';
/** A reason to refuse before anything is asked of anybody. */
export type Wrong<Name extends string = string> = {
  readonly field?: Name;
  readonly says: Inline;
  readonly hint?: Inline;
  /** Something that has to be said was not: where there is a form, it opens. */
  readonly unsaid?: true;
  readonly offers?: readonly Offer[];
};

type Before<F extends Fields, S> = { readonly input: Input<F>; readonly before: S };
type Late = { readonly now: number };

/**
 * A command that changes something at the host. It describes its call and never makes it: everything here is pure but
 * `look`, which may only read. `S` is what `look` sees; it is stored with the change, so it must survive JSON.
 */
export type Action<F extends Fields, S> = ActionParts<F, S> & {
  /** The field that is changed: policy, locks and audit use it. */
  readonly target: TargetKey<F> | 'company';
  /** Fields for which policy asks the right to read (push: its source). */
  readonly alsoReads?: readonly TargetKey<F>[];
};

type ActionParts<F extends Fields, S> = {
  readonly shape: 'action';
  /** One line for help: what it does, as a verb. */
  readonly summary: string;
  /** Words on the form's title and its submit button, at most 24 characters. */
  readonly button: string;
  readonly examples: Examples;
  readonly risk: Risk;
  /** Destructive ones ask for the target's name to be typed where it is live; this one asks always. */
  readonly typedName?: 'always';
  /** In the order in which they are typed. */
  readonly fields: F;
  /** Fields of its form that hang on others. */
  readonly dependent?: { readonly [K in keyof F]?: Dependent<F> };
  /** Across fields, without I/O: shown on the form before its ack. */
  valid?(input: Input<F>): Wrong<keyof F & string> | undefined;
  look?(of: { readonly input: Input<F> } & LookSources): Promise<S>;
  /** Says no when the look shows that it cannot be or is so already. */
  possible?(of: Before<F, S>): Wrong<keyof F & string> | undefined;
  /** What must be the same when it is sent; left out: all of `before`. */
  rests?(of: Before<F, S>): unknown;
  call(of: Before<F, S>): Write;
  card(of: Before<F, S> & Late): Wording;
  /** What the host's present state says of the change, and in words. */
  proof?(of: Before<F, S> & { readonly now: S }): { readonly verdict: Evidence; readonly says: Text };
  /** What a look shows of a change that was sent at `sentAt` and whose answer is lost: said, and believed no further. */
  evidence?(of: Before<F, S> & { readonly now: S; readonly sentAt: number }): Text;
  /** What to expect of the host after it accepted, where nothing can be followed or read back. */
  readonly after?: string;
  /** What it means to do it a second time, for whoever asks again because nobody knows whether it was done. */
  readonly twice?: string;
  /** The words of another command that takes back what this one did, with ids in them. */
  undo?(of: Before<F, S>): Words | undefined;
  /** What of a look has to be the same still for `undo` to run at once; left out: what it rests on. */
  leaves?(now: S): unknown;
  /** Nothing has to be written for it: it goes the same way as every change, and is done without its call. */
  unwritten?(of: Before<F, S>): boolean;
  /** What becomes of access that ends by itself, once it is done; agreed on and stored with its card. */
  access?(of: Before<F, S>): Access;
  /** Buttons under the last word. `sentAt`: epoch ms. */
  next?(of: Before<F, S> & { readonly sentAt: number }): readonly Offer[];
};

/** What a change of an SSH allowlist means for access that ends by itself. Addresses in their canonical spelling. */
export type Access = {
  /** Those that it lets in: for so many milliseconds or, without `forMs`, for good. */
  readonly lets: readonly string[];
  readonly forMs?: number;
  /** Whether the list may be empty once they are taken away: nobody is on it for good. */
  readonly mayEmpty: boolean;
  /** Those that it takes away. */
  readonly takes: readonly string[] | 'all others';
};

/** A field of a form that hangs on others: whenever one of them changes it is looked at again. */
export type Dependent<F extends Fields> = {
  readonly on: readonly (keyof F & string)[];
  /** Whether it is asked for at all; left out: always. */
  asked?(input: Partial<Input<F>>): boolean;
  /** What can be chosen for it, in the order in which it is offered; asked for once `on` are all filled in. */
  choices?(of: { readonly input: Partial<Input<F>> } & Sources): Promise<Words>;
};

/** What a person reads of a change before it is made; frozen and fingerprinted with the call. */
export type Wording = {
  /** As a wish: `Clear the cache of acme-shop/live`. */
  readonly title: Text;
  /** The same once it is done: `Cleared the cache of acme-shop/live`. */
  readonly done: Text;
  readonly warning?: Text;
  readonly facts?: Readonly<Record<string, Inline>>;
};

/** Declares an action; the types see to it that its target is a target and its call a write. */
export function action<const F extends Fields, S = undefined>(of: Omit<Action<F, S>, 'shape'>): Action<F, S> {
  return { shape: 'action', ...of };
}

/** Any action: which fields it has and what it looks at is not known here. */
export type AnyAction = ActionParts<Fields, unknown> & {
  readonly target: string;
  readonly alsoReads?: readonly string[];
};

/** Whether a field names something of the company's. */
export const isName = (field: Field): field is NameField<Environment> | NameField<Domain> | NameField<NamedSite> =>
  field.kind !== 'plain';
