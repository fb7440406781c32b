import { inline, plain, type Inline, type Text } from '../words/text.ts';

/** The arguments of a command, without the slash: `['cache', 'clear', 'acme-shop/live']`. */
export type Args = readonly string[];
/** A button: a press is the same as typing its arguments. With `opens`, it opens their form instead, filled in. */
export type Offer = { readonly label: string; readonly args: Args; readonly opens?: 'form' };

type RefusalDetails = {
  /** What to do next. */
  readonly hint?: Inline;
  /** The form field with the problem. */
  readonly field?: string;
  /** What the person may have meant, as buttons. */
  readonly offers?: readonly Offer[];
  /** Whether something could not be asked right now, so that the same request may succeed in a minute. */
  readonly isLater?: boolean;
};

/**
 * Something the person can fix. It has one sentence that says what was wrong and what was not done, and a hint about
 * what to do next. Only that person sees it.
 */
export class Refusal extends Error {
  readonly says: Text;
  readonly hint: Text;
  readonly field: string | undefined;
  readonly offers: readonly Offer[];
  readonly isLater: boolean;

  constructor(says: Inline, details: RefusalDetails = {}) {
    super(plain(inline(says)));
    this.name = 'Refusal';
    this.says = inline(says);
    this.hint = inline(details.hint);
    this.field = details.field;
    this.offers = details.offers ?? [];
    this.isLater = details.isLater ?? false;
  }
}

/** The same refusal with these buttons, and another hint if there is one. */
export const offering = (refusal: Refusal, offers: readonly Offer[], hint: Inline = refusal.hint): Refusal =>
  new Refusal(refusal.says, {
    hint,
    offers,
    isLater: refusal.isLater,
    ...(refusal.field !== undefined && { field: refusal.field }),
  });

/** For a button or form whose value we cannot read: an older version made it, or nobody did. */
export const notRecognised = (what: 'button' | 'form'): Refusal =>
  new Refusal(`I don't recognise this ${what} any more. Nothing was done.`, { hint: 'Type the command again.' });

/** Something we must fix. The person gets a sentence and the id of the request, and the log the cause. */
export class Fault extends Error {
  override readonly name = 'Fault';

  constructor(activity: string, cause: unknown) {
    super(activity, { cause });
  }
}

/** What the work returns; undefined if it throws. */
export function attempt<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}

/** The code of an error of Node or a library, such as `ENOENT`; empty if it has none. */
export const errorCode = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';

/** The message of whatever was thrown. */
export const errorMessage = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** Throws the error for a port that can't be used; `where` names the variables with their values. */
export function notListening(where: string, cause: unknown): never {
  throw new Error(`Cannot listen on ${where}: ${errorMessage(cause)}. Use another one, or stop what is using it.`, {
    cause,
  });
}
