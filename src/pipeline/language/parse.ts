import type { Command } from '../../commands/index.ts';
import { flag } from '../../commands/kit/fields.ts';
import { Refusal, type Words } from '../../errors.ts';
import { code, say } from '../../text.ts';
import { assigned, type Context, type Given } from './bind-arguments.ts';
import { unknownCommand, unknownOption } from './did-you-mean.ts';
import { optionName, takesRest, takesValue } from './usage.ts';
import { commandsIn, withoutTokens, type Found } from './pasted-tokens.ts';
import { split, type Word } from './tokenize.ts';
import type { ParsedCommand } from './parsed-command.ts';
import { valueAt, type Option } from './option-value.ts';

export type { Context, Given } from './bind-arguments.ts';

/** Reads a line; throws `Refusal` with the nearest match for what it does not know. An empty line is `undefined`. */
export function parse(
  line: string,
  commands: ReadonlyMap<string, Command>,
  context: Context = {},
): ParsedCommand | undefined {
  const words = split(line);
  if (words.length === 0) return undefined;
  const parsed = (): ParsedCommand => parsedFrom(words, commands, context);
  return withoutTokens(words, commandsIn(words, commands)[0]?.command, parsed);
}

/** Reads words that were stored, rather than a line that somebody typed; throws `Refusal`. */
export const parseWords = (words: Words, commands: ReadonlyMap<string, Command>): ParsedCommand =>
  parsedFrom(
    words.map((text) => ({ text, quoted: !text.startsWith('--') })),
    commands,
    {},
  );

function parsedFrom(words: readonly Word[], commands: ReadonlyMap<string, Command>, context: Context): ParsedCommand {
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

function commandOf(words: readonly Word[], commands: ReadonlyMap<string, Command>): Found {
  const [found] = commandsIn(words, commands);
  if (found) return found;
  throw unknownCommand(words, commands);
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
    const { value, last } = valueAt(words, at, match[2], option);
    at = last;
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

function optionsOf(command: Command): ReadonlyMap<string, Option> {
  const known = new Map<string, Option>();
  for (const [name, field] of Object.entries(command.fields)) {
    const { many, isTime = false } = field.kind === 'plain' ? field : { many: false };
    if (field.place === 'option') known.set(optionName(name), { takesValue: takesValue(field), many, isTime });
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
