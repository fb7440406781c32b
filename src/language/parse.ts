import type { Command } from '../commands/index.ts';
import { flag } from '../commands/kit/fields.ts';
import type { Args } from '../base/errors.ts';
import { bindWords, type BindContext, type Given, type ParsedCommand } from './bind-arguments.ts';
import { refuseOneHyphen, unknownCommand, unknownOption } from './unknown-words.ts';
import type { Option, ValueAt } from './usage.ts';
import { checked, optionName, optionNames, takesRest, takesValue, usage, valueAt, withQuotes } from './usage.ts';
import { parseWithoutTokens } from './pasted-credentials.ts';
import { split, type Word } from './tokenize.ts';

/** Parses a line; undefined if it is empty. Throws `Refusal`, with the nearest match for an unknown word. */
export function parse(
  line: string,
  commands: ReadonlyMap<string, Command>,
  context: BindContext = {},
  read?: Parameters<typeof split>[1],
): ParsedCommand | undefined {
  const words = split(line, read);
  return words.length === 0 ? undefined : parseWords(words, commands, context);
}

/** Parses arguments from outside, each of them one word; throws as `parse`. */
export const parseGiven = (args: Args, commands: ReadonlyMap<string, Command>): ParsedCommand =>
  parseWords(wordsOf(args), commands, {});

/** Parses stored arguments instead of a typed line; throws `Refusal`. */
export const parseArgs = (args: Args, commands: ReadonlyMap<string, Command>): ParsedCommand =>
  parsedFrom(wordsOf(args), commands, {});

const wordsOf = (args: Args): readonly Word[] => args.map((text) => ({ text, quoted: !text.startsWith('--') }));

function parseWords(
  words: readonly Word[],
  commands: ReadonlyMap<string, Command>,
  context: BindContext,
): ParsedCommand {
  const parsed = (): ParsedCommand => parsedFrom(words, commands, context);
  return parseWithoutTokens(words, typedCommands(words, commands)[0]?.command, parsed);
}

/** The commands that the words begin with, longest first. */
export function typedCommands(words: readonly Word[], commands: ReadonlyMap<string, Command>) {
  const typed = words.map((word) => word.text.toLowerCase());
  return [3, 2, 1].flatMap((length) => {
    const path = typed.slice(0, length).join(' ');
    const command = typed.length >= length ? commands.get(path) : undefined;
    return command ? [{ path, command, rest: words.slice(length) }] : [];
  });
}

function parsedFrom(
  words: readonly Word[],
  commands: ReadonlyMap<string, Command>,
  context: BindContext,
): ParsedCommand {
  const [found] = typedCommands(words, commands);
  if (found === undefined) throw unknownCommand(words, commands);
  const { path, command, rest } = found;
  const { positional, options, values } = takesRest(command)
    ? { positional: rest, options: {}, values: [] }
    : sorted(rest, path, command);
  const inQuotes = (left: readonly Word[]): string | undefined => withQuotes(rest, values, left);
  const { reason, 'dry-run': dryRun, queue, canary, at, within, ...others } = options;
  const { 'break-glass': breakGlass, 'hand-on': handOn, 'handed-on': handedOn, ...named } = others;
  return {
    path,
    command,
    given: bindWords(positional, path, command, { ...context, inQuotes, named: byField(named, command) }),
    reason: reason?.at(-1)?.trim() || undefined,
    dryRun: dryRun !== undefined && flag('--dry-run').read(dryRun),
    ...(queue !== undefined && { queue: flag('--queue').read(queue) }),
    when: typedTime(at, within),
    canary: canary?.[0],
    ...(breakGlass !== undefined && { breakGlass: flag('--break-glass').read(breakGlass) }),
    ...(handOn !== undefined && { handOn: flag('--hand-on').read(handOn) }),
    handedOn: handedOn?.[0],
  };
}

const typedTime = ([at]: Args = [], [within]: Args = []): ParsedCommand['when'] =>
  at === undefined && within === undefined ? undefined : { at, within };

type Sorted = {
  readonly positional: readonly Word[];
  readonly options: Readonly<Record<string, readonly string[]>>;
  readonly values: readonly ValueAt[];
};

/** Separates options from other words. After `--` there are no more options. */
function sorted(words: readonly Word[], path: string, command: Command): Sorted {
  const positional: Word[] = [];
  const options: Record<string, string[]> = {};
  const typed: ValueAt[] = [];
  const known = optionsOf(command);
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at];
    if (word === undefined) break;
    if (word.text === '--' && !word.quoted)
      return { positional: [...positional, ...words.slice(at + 1)], options, values: typed };
    const match = word.quoted ? null : /^--([^=]+)(?:=([\s\S]*))?$/.exec(word.text);
    if (match === null) {
      refuseOneHyphen(word, [...known.keys()], usage(path, command));
      positional.push(word);
      continue;
    }
    const typedName = (match[1] ?? '').toLowerCase();
    const option = known.get(typedName);
    if (option === undefined) throw unknownOption(path, typedName, offered(command));
    const { name } = option;
    const { value, last } = valueAt(words, at, match[2], option);
    const next = words[at + 1];
    // `--reason -dry-run` must stay a dry run.
    if (last > at && next !== undefined) refuseOneHyphen(next, [...known.keys()], usage(path, command));
    if (option.takesValue) typed.push({ option: at, last });
    at = last;
    const values = (options[name] ??= []);
    values.push(checked(name, value, option, values.length));
  }
  return { positional, options, values: typed };
}

/** The options that a refusal names: not those that only buttons use, nor what is usually typed in its place. */
const offered = (command: Command): readonly string[] => [
  ...Object.entries(command.fields).flatMap(([name, { place }]) => (place === 'option' ? [optionName(name)] : [])),
  ...(command.shape === 'action'
    ? ['reason', ...(command.batch ? ['canary'] : []), 'dry-run', 'queue', 'at', 'within', 'break-glass']
    : []),
];

function optionsOf(command: Command): ReadonlyMap<string, Option & { readonly name: string }> {
  const known = new Map<string, Option & { readonly name: string }>();
  if (command.shape === 'action') {
    for (const name of ['reason', 'handed-on', 'at', 'within', ...(command.batch ? ['canary'] : [])])
      known.set(name, { name, takesValue: true, many: false, isTime: name === 'at' });
    for (const name of ['dry-run', 'queue', 'break-glass', 'hand-on'])
      known.set(name, { name, takesValue: false, many: false });
  }
  for (const [field, of] of Object.entries(command.fields)) {
    const { many, isTime = false } = of.kind === 'plain' ? of : { many: false };
    const [name = field, ...others] = optionNames(field, of);
    for (const one of [name, ...others])
      if (one === name || !known.has(one)) known.set(one, { name, takesValue: takesValue(of), many, isTime });
  }
  return known;
}

/** Assigns the values of typed options to their fields. */
function byField(options: Readonly<Record<string, readonly string[]>>, command: Command): Given {
  return Object.fromEntries(
    Object.keys(command.fields)
      .filter((name) => options[optionName(name)] !== undefined)
      .map((name) => [name, options[optionName(name)] ?? []]),
  );
}
