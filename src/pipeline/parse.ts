import type { Command } from '../commands/index.ts';
import { flag, type Field } from '../commands/fields.ts';
import { Refusal, type Words } from '../errors.ts';
import { code, say } from '../text.ts';
import { unknownCommand, unknownOption } from './meant.ts';
import { optionName, takesRest, takesValue, usage } from './usage.ts';
import { split, type Word } from './words.ts';

/** The words given for each field, read no further; fields nobody spoke of are absent. */
export type Given = Readonly<Record<string, readonly string[]>>;

/** What somebody wants, as far as the words alone can tell. */
export type Wish = {
  readonly path: string;
  readonly command: Command;
  readonly given: Given;
  readonly reason: string | undefined;
  readonly dryRun: boolean;
};

/** What a line may leave unsaid because of where it is said. */
export type Context = {
  /** Name or id of the target of the thread in which it is said. */
  readonly target?: string | undefined;
  /** What a bare word means there (`live` beside `acme-shop/staging`): an id, or undefined. */
  readonly sibling?: (word: string) => string | undefined;
  /** That meaning comes from the channel alone: too little for what destroys something. */
  readonly isLoose?: boolean;
};

/** Reads a line; throws `Refusal` with the nearest match for what it does not know. An empty line is `undefined`. */
export function parse(line: string, commands: ReadonlyMap<string, Command>, context: Context = {}): Wish | undefined {
  const words = split(line);
  return words.length === 0 ? undefined : wishOf(words, commands, context);
}

/** Reads words that were stored, rather than a line that somebody typed; throws `Refusal`. */
export const parseWords = (words: Words, commands: ReadonlyMap<string, Command>): Wish =>
  wishOf(
    words.map((text) => ({ text, quoted: !text.startsWith('--') })),
    commands,
    {},
  );

function wishOf(words: readonly Word[], commands: ReadonlyMap<string, Command>, context: Context): Wish {
  const { path, command, rest } = commandOf(words, commands);
  const { positional, options } = takesRest(command) ? { positional: rest, options: {} } : sorted(rest, path, command);
  const { reason, 'dry-run': dryRun, ...named } = options;
  return {
    path,
    command,
    given: { ...assigned(positional, path, command, context), ...byField(named, command) },
    reason: reason?.at(-1)?.trim() || undefined,
    dryRun: dryRun !== undefined && flag('--dry-run').read(dryRun),
  };
}

function commandOf(
  words: readonly Word[],
  commands: ReadonlyMap<string, Command>,
): { path: string; command: Command; rest: readonly Word[] } {
  const typed = words.map((word) => word.text.toLowerCase());
  for (const length of [3, 2, 1]) {
    const path = typed.slice(0, length).join(' ');
    const command = typed.length >= length ? commands.get(path) : undefined;
    if (command) return { path, command, rest: words.slice(length) };
  }
  throw unknownCommand(words, [...commands.keys()]);
}

type Sorted = { readonly positional: readonly Word[]; readonly options: Readonly<Record<string, readonly string[]>> };

/** Options apart from words; `--` ends the options. */
function sorted(words: readonly Word[], path: string, command: Command): Sorted {
  const positional: Word[] = [];
  const options: Record<string, string[]> = {};
  const known = optionsOf(command);
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at];
    if (word === undefined) break;
    if (word.text === '--' && !word.quoted) return { positional: [...positional, ...words.slice(at + 1)], options };
    const match = word.quoted ? null : /^--([^=]+)(?:=([\s\S]*))?$/.exec(word.text);
    if (match === null) {
      refuseOneHyphen(word, known);
      positional.push(word);
      continue;
    }
    const name = (match[1] ?? '').toLowerCase();
    const option = known.get(name);
    if (option === undefined) throw unknownOption(name, path, [...known.keys()]);
    let value = match[2];
    if (value === undefined && option.takesValue) value = valueAt(words, (at += 1));
    // What is said and empty is not the same as left out: `--only=""` must not come to mean everything.
    const isEmpty = value === undefined ? option.takesValue : value.trim() === '' && name !== 'reason';
    if (isEmpty) {
      throw new Refusal(say`${code(`--${name}`)} needs a value. Nothing was done.`);
    }
    const values = (options[name] ??= []);
    if (values.length > 0 && !option.many)
      throw new Refusal(say`${code(`--${name}`)} is said twice. Nothing was done.`);
    values.push(value ?? 'yes');
  }
  return { positional, options };
}

/** `-dry-run` is neither: taken for a word, it could become a part of a name. */
function refuseOneHyphen({ text, quoted }: Word, known: ReadonlyMap<string, Option>): void {
  const name = quoted ? undefined : /^-(\p{L}[^=]*)/u.exec(text)?.[1];
  if (name === undefined || !known.has(name.toLowerCase())) return;
  throw new Refusal(say`${code(`-${name}`)} begins with one hyphen. Nothing was done.`, {
    hint: say`An option begins with two: ${code(`--${name.toLowerCase()}`)}. In quotes it is a word.`,
  });
}

/** What follows an option, unless it is an option itself: `--reason --dry-run` must not lose the dry run. */
function valueAt(words: readonly Word[], at: number): string | undefined {
  const word = words[at];
  return word === undefined || (!word.quoted && word.text.startsWith('--')) ? undefined : word.text;
}

type Option = { readonly takesValue: boolean; readonly many: boolean };

function optionsOf(command: Command): ReadonlyMap<string, Option> {
  const known = new Map<string, Option>();
  for (const [name, field] of Object.entries(command.fields)) {
    const many = field.kind === 'plain' && field.many;
    if (field.place === 'option') known.set(optionName(name), { takesValue: takesValue(field), many });
  }
  if (command.shape === 'action') {
    known.set('reason', { takesValue: true, many: false }).set('dry-run', { takesValue: false, many: false });
  }
  return known;
}

/** Options are keyed as typed; fields by their own names. */
function byField(options: Readonly<Record<string, readonly string[]>>, command: Command): Given {
  return Object.fromEntries(
    Object.keys(command.fields)
      .filter((name) => options[optionName(name)] !== undefined)
      .map((name) => [name, options[optionName(name)] ?? []]),
  );
}

/** Words given to the fields in their order. A name with a slash always wins; an unsaid target comes from the thread. */
function assigned(words: readonly Word[], path: string, command: Command, context: Context): Given {
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
