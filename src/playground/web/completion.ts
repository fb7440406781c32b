import { type Slot, type UsageProgress, slotsOf, progressOf, takesCommand } from './usage.ts';

/** A command as `sitehand commands` prints it. */
export type Command = {
  readonly path: string;
  readonly usage: string;
  readonly summary: string;
  readonly class: string;
};

/** A name with an optional note. */
export type Named = { readonly name: string; readonly note?: string };

/** What can be typed: commands, and names by the last word of their placeholder in a usage (`site/environment`). */
export type Vocabulary = {
  readonly commands: readonly Command[];
  readonly names: Readonly<Record<string, readonly Named[]>>;
};

/** A suggestion: how the list shows it, and the whole line after taking it. */
export type Suggestion = { readonly shown: string; readonly note: string; readonly line: string };

/** What fits at the end of a line, and the command's usage; `now` marks the part being typed. */
export type Completion = {
  readonly suggestions: readonly Suggestion[];
  readonly usage: readonly { readonly text: string; readonly now: boolean }[];
};

/** A typed line: its complete words, the word being typed, and the line before that word. */
type Typed = { readonly words: readonly string[]; readonly prefix: string; readonly before: string };

const NAME = '/site';
const NOTHING: Completion = { suggestions: [], usage: [] };

/** What fits at the end of a line; nothing if it is not a `/site` command or ends within quotes. */
export function complete(line: string, known: Vocabulary): Completion {
  const whole = line !== '' && NAME.startsWith(line) ? `${NAME} ` : line;
  const rest = /^\/site\s+([^]*)$/.exec(whole)?.[1];
  if (rest === undefined || rest.split('"').length % 2 === 0) return NOTHING;
  const words: string[] = rest.match(/(?:"[^"]*"|[^\s"])+/g) ?? [];
  const prefix = /\s$/.test(whole) ? '' : (words.pop() ?? '');
  return completed({ words, prefix, before: whole.slice(0, whole.length - prefix.length) }, known);
}

function completed(typed: Typed, known: Vocabulary): Completion {
  const command = chosen(typed.words, known.commands);
  if (command === undefined) return { suggestions: pathSuggestions(typed, known.commands), usage: [] };
  const slots = slotsOf(command);
  const rest = typed.words.slice(command.path.split(' ').length);
  const progress = progressOf(slots, rest);
  const now = slotNow(progress, typed.prefix);
  const usage = [{ text: command.path, now: false }, ...slots.map((slot) => ({ text: slot.text, now: slot === now }))];
  const another = progress.open.find(takesCommand);
  if (another === undefined) {
    const suggestions = [...nextSuggestions(progress, slots, typed, known), ...pathSuggestions(typed, known.commands)];
    return { suggestions, usage: slots.length > 0 ? usage : [] };
  }
  const inner = { ...typed, words: rest.slice(progress.inner) };
  // An optional command is named without its arguments, so suggest names only.
  const found = another.optional
    ? { suggestions: pathSuggestions(inner, known.commands), usage }
    : completed(inner, known);
  return {
    suggestions: [...progress.open.flatMap((slot) => valueSuggestions(slot, typed, known)), ...found.suggestions],
    usage: found.usage.length > 0 ? found.usage : usage,
  };
}

/** The command with the longest name that the line begins with. */
function chosen(words: readonly string[], commands: readonly Command[]): Command | undefined {
  const line = `${words.join(' ').toLowerCase()} `;
  return commands
    .filter(({ path }) => line.startsWith(`${path} `))
    .toSorted((one, other) => other.path.length - one.path.length)[0];
}

/** The slot being typed: the value of an option, an option's name, or the next word. */
function slotNow({ waiting, options, open }: UsageProgress, prefix: string): Slot | undefined {
  if (waiting !== undefined) return waiting;
  return prefix.startsWith('--') ? options.find(({ option }) => option === nameOf(prefix)) : open[0];
}

const nameOf = (word: string): string => word.split('=', 1)[0] ?? '';

function nextSuggestions(
  progress: UsageProgress,
  slots: readonly Slot[],
  typed: Typed,
  known: Vocabulary,
): readonly Suggestion[] {
  const { waiting, open, options, isIncomplete } = progress;
  const { prefix, before } = typed;
  if (waiting !== undefined) return valueSuggestions(waiting, typed, known);
  const optionSuggestions = options
    .filter(({ option = '' }) => option.startsWith(prefix))
    .map(({ text, option = '' }) => ({ shown: text.replace(/^\[|\]$/g, ''), note: '', line: `${before}${option} ` }));
  if (prefix.startsWith('--')) {
    const name = nameOf(prefix);
    const slot = options.find(({ option }) => option === name);
    if (name === prefix || slot === undefined) return optionSuggestions;
    return valueSuggestions(
      slot,
      { ...typed, prefix: prefix.slice(name.length + 1), before: `${before}${name}=` },
      known,
    );
  }
  // A domain after an environment is a new one, so there is no name to suggest.
  const named = open.filter((slot) => slot.value !== 'domain' || slot === slots[0]);
  const values = named.flatMap((slot) => valueSuggestions(slot, typed, known));
  return prefix === '' && !isIncomplete ? [...values, ...optionSuggestions] : values;
}

/** A slot's choices, or the known names, if the name or a part of it begins with the typed text. */
function valueSuggestions(
  { value = '' }: Slot,
  { words, prefix, before }: Typed,
  { names }: Vocabulary,
): readonly Suggestion[] {
  // `onto site/environment`: the last word says what it is.
  const kind = value.split(' ').at(-1) ?? '';
  const choices = value.includes('|') ? value.split('|').map((name): Named => ({ name })) : names[kind];
  const wanted = prefix.toLowerCase();
  const placeIn = (name: string): number =>
    [0, ...[...name.matchAll(/[@/.-]/g)].map(({ index }) => index + 1)].findIndex((at) =>
      name.toLowerCase().startsWith(wanted, at),
    );
  const found = (choices ?? []).filter(({ name }) => placeIn(name) >= 0 && !words.includes(name));
  const siteOf = (name: string): string | undefined => /^([^/]+)\/[^/]+$/.exec(name)?.[1];
  const sites = new Set(words.map(siteOf));
  // Two environments in one command usually belong to one site.
  const orderOf = ({ name }: Named): number => (placeIn(name) === 0 ? 0 : 2) + (sites.has(siteOf(name)) ? 0 : 1);
  return found
    .toSorted((one, other) => orderOf(one) - orderOf(other))
    .map(({ name, note = '' }) => ({ shown: name, note, line: `${before}${name} ` }));
}

/** The commands that continue the line; for its first word, also those with that word later in their name. */
function pathSuggestions({ words, prefix, before }: Typed, commands: readonly Command[]): readonly Suggestion[] {
  const typed = [...words, prefix].join(' ').toLowerCase();
  const starts = commands.filter(({ path }) => path.startsWith(typed) && path.split(' ').length > words.length);
  const inside = commands.filter(
    (command) => words.length === 0 && prefix !== '' && command.path.includes(` ${typed}`) && !starts.includes(command),
  );
  return [...starts, ...inside].map(({ path, summary, class: kind }) => ({
    shown: path,
    note: `${kind} · ${summary}`,
    line: `${before}${path.split(' ').slice(words.length).join(' ')} `,
  }));
}
