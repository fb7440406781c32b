import type { Field } from '../commands/kit/fields.ts';
import type { Command } from '../commands/index.ts';
import { Refusal } from '../base/errors.ts';
import { holdsKey, holdsOwn, holdsPrivateKey } from '../base/secret.ts';
import { plain } from '../words/text.ts';

/** Refuses credentials pasted into a line or a form; service tokens except in fields where such words are ordinary. */

type KeyCheck = { readonly field?: string | undefined; readonly mayHoldTokens?: boolean };

/** Throws `Refusal` for text with a credential, from a line or a form. The refusal does not repeat the credential. */
export function refuseKeys(text: string, { field, mayHoldTokens = false }: KeyCheck = {}): void {
  if (!(mayHoldTokens ? holdsPrivateKey(text) : holdsKey(text))) return;
  const newOne = 'It may have been kept on its way here, so please revoke it and make a new one.';
  const [what, hint] = holdsOwn(text)
    ? ['one of my own credentials', newOne]
    : holdsPrivateKey(text)
      ? ['a private key', `${newOne} Certificates and their keys are read from my machine, by name.`]
      : ["a service's token", newOne];
  throw new Refusal(`That contains ${what}. I didn't keep it. Nothing was done.`, {
    hint,
    ...(field !== undefined && { field }),
  });
}

/** Whether this field may hold text that looks like a service token. */
export const takesTokens = (field: Field | undefined): boolean => field?.kind === 'plain' && field.takesTokens === true;

/** The typed words of a parsed line that are kept or repeated. */
type Repeated = {
  readonly given: Readonly<Record<string, readonly string[]>>;
  readonly reason: string | undefined;
};

/** Returns what `read` parses. Throws `Refusal` for a token, also if a refusal of `read` would repeat the token. */
export function parseWithoutTokens<Parsed extends Repeated>(
  words: readonly { readonly text: string }[],
  command: Command | undefined,
  read: () => Parsed,
): Parsed {
  const exempt = Object.entries(command?.fields ?? {}).flatMap(([name, field]) => (takesTokens(field) ? [name] : []));
  if (exempt.length === 0) refuseTokens(words.map(({ text }) => text));
  const parsed = unrepeated(read);
  for (const [name, values] of Object.entries(parsed.given)) if (!exempt.includes(name)) refuseTokens(values, name);
  if (parsed.reason !== undefined) refuseTokens([parsed.reason], 'reason');
  return parsed;
}

/** A refusal quotes a misplaced word. If that word is a token, refuses the token instead. */
function unrepeated<Parsed>(read: () => Parsed): Parsed {
  try {
    return read();
  } catch (error) {
    if (error instanceof Refusal) refuseTokens([error.says, error.hint].map(plain));
    throw error;
  }
}

function refuseTokens(values: readonly string[], field?: string): void {
  for (const text of values) refuseKeys(text, { field });
}
