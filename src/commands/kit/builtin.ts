import type { Args } from '../../base/errors.ts';
import type { Examples } from './action.ts';
import type { Fields } from './fields.ts';
import type { Page } from './page.ts';

/** A page, or the arguments of another command to run instead, with this person's rights. */
export type BuiltinAnswer = Page | { readonly instead: Args };

/**
 * A command about Sitehand itself, answered by `talk/builtin-pages.ts`. `right`: everybody, any reader, or only people
 * with a rule that names it.
 */
type Builtin<F extends Fields> = {
  readonly shape: 'builtin';
  readonly summary: string;
  readonly button: string;
  /** Left out if nothing can follow its path. */
  readonly examples?: Examples;
  /** What else people call it, as in an action. */
  readonly also?: string;
  readonly right: 'anyone' | 'read' | 'named';
  /** It changes something: saved before the ack, and run once even if it is delivered twice. */
  readonly changes?: true;
  /** It stops or resumes things, so it has its own lane and doesn't wait behind other work. */
  readonly urgent?: true;
  /** It stops things: allowed even if the right depends on a Slack user group whose members are unknown. */
  readonly brake?: true;
  /** A right that includes its own: a rule that names that one means this command too. */
  readonly within?: string;
  /** Other commands whose results it shows too, each only on targets on which the person may run that command. */
  readonly shows?: readonly string[];
  /** It only shows what people may do, so slightly old answers about Slack user groups are good enough. */
  readonly glances?: true;
  /** It lists what exists: the host's lists are briefly refreshed first. */
  readonly freshens?: true;
  /** It affects everything: a rule that is limited to some targets does not allow it. */
  readonly everywhere?: true;
  /** A flag that needs a right of its own: a rule has to name it with the command, as in `unlock --force`. */
  readonly ownRight?: keyof F & string;
  readonly fields: F;
};

export function builtin<const F extends Fields>(of: Omit<Builtin<F>, 'shape'>): Builtin<F> {
  return { shape: 'builtin', ...of };
}

export type AnyBuiltin = Builtin<Fields>;
