import type { Field } from '../../commands/kit/fields.ts';
import type { Command } from '../../commands/index.ts';
import { Refusal } from '../../errors.ts';
import { code, say } from '../../text.ts';
import { usage } from './usage.ts';
import type { Word } from './tokenize.ts';

/** Which word is meant for which field. */

/** The words given for each field, read no further; fields nobody spoke of are absent. */
export type Given = Readonly<Record<string, readonly string[]>>;

/** What a line may leave unsaid because of where it is said. */
export type Context = {
  /** Name or id of the target of the thread in which it is said. */
  readonly target?: string | undefined;
  /** What a bare word means there (`live` beside `acme-shop/staging`): an id, or undefined. */
  readonly sibling?: (word: string) => string | undefined;
  /** That meaning comes from the channel alone: too little for what destroys something. */
  readonly isLoose?: boolean;
};

/** Words given to the fields in their order. A name with a slash always wins; an unsaid target comes from the thread. */
export function assigned(words: readonly Word[], path: string, command: Command, context: Context): Given {
  const given: Record<string, readonly string[]> = {};
  const left = [...words];
  const fields = Object.entries(command.fields).filter(([, field]) => field.place === 'word');
  let ahead = fields.filter(([, field]) => field.kind !== 'plain').length;
  for (const [name, field] of fields) {
    if (field.kind === 'plain') continue;
    const full = fullNameIn(left, field.kind, ahead);
    ahead -= 1;
    const sibling = full === -1 ? context.sibling?.(left[0]?.text ?? '') : undefined;
    if (sibling !== undefined && context.isLoose && isDestructive(command)) throw wholeName(path, left[0]?.text ?? '');
    const bare = sibling !== undefined || context.target === undefined ? 0 : -1;
    const [taken] = full === -1 && bare === -1 ? [] : left.splice(Math.max(full, 0), 1);
    if (field.optional && taken !== undefined) refuseEmpty(taken, field);
    const said = sibling ?? taken?.text ?? context.target;
    if (said !== undefined) given[name] = [said];
  }
  for (const [name, field] of fields) {
    if (field.kind !== 'plain') continue;
    if (left[0] && field.optional) refuseEmpty(left[0], field);
    if (left[0] && field.optional && field.fits?.(left[0].text) === false) continue;
    const taken = left.splice(0, field.many ? left.length : 1);
    if (taken.length > 0) given[name] = taken.map((word) => word.text);
  }
  if (left.length > 0)
    throw new Refusal(
      say`${code(path)} does not know what to do with “${left[0]?.text.slice(0, 60)}”. Nothing was done.`,
      { hint: say`Usage: ${code(usage(path, command))}` },
    );
  return given;
}

/**
 * Where the next full name stands; -1 where there is none, or where a bare one stands before it that is meant for the
 * first of several: `push staging shop/live` must not come to mean the other direction.
 */
function fullNameIn(left: readonly Word[], kind: NameKind, ahead: number): number {
  const full = left.map((word) => looksLikeName(word.text, kind));
  const isShort = left.length >= ahead && full.filter(Boolean).length < ahead;
  return isShort && !full[0] ? -1 : full.indexOf(true);
}

/** What is said and empty is not the same as left out, by which a command may mean everything. */
function refuseEmpty({ text }: Word, { label }: Field): void {
  if (text.trim() !== '') return;
  throw new Refusal(say`${label} is an empty word. Nothing was done.`, { hint: 'Leave it out, or say what it is.' });
}

const isDestructive = (command: Command): boolean => command.shape === 'action' && command.risk === 'destructive';

const wholeName = (path: string, word: string): Refusal =>
  new Refusal(
    say`${code(path)} wants the whole name of what it destroys, not only “${word.slice(0, 60)}”. Nothing was done.`,
    {
      hint: say`Write it as ${code('site/environment')}.`,
    },
  );

type NameKind = Exclude<Field['kind'], 'plain'>;

/** `site/environment` (an address range such as 10.0.0.0/8 is none), a UUID, for domains a name with a dot, for sites any. */
const looksLikeName = (word: string, kind: NameKind): boolean =>
  kind === 'site' ||
  /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i.test(word) ||
  (kind === 'domain' ? /^[^\s/]+\.[^\s/]+$/.test(word) : /^[^\s/]+\/[^\s/]*\p{L}[^\s/]*$/u.test(word));
