import { type Slot, type Standing, slotsOf, standingOf, takesCommand } from './usage.ts';

/** A command as `npm run commands` prints it. */
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

/** An offer: how the list shows it, and the whole line after taking it. */
export type Offer = { readonly shown: string; readonly note: string; readonly line: string };

/** What fits at the end of a line, and the command's usage; `now` marks the part being typed. */
export type Completion = {
  readonly offers: readonly Offer[];
  readonly usage: readonly { readonly text: string; readonly now: boolean }[];
};

/** A typed line: its complete words, the unfinished word, and the line before that word. */
type Typed = { readonly words: readonly string[]; readonly begun: string; readonly kept: string };

const NAME = '/site';
const NOTHING: Completion = { offers: [], usage: [] };

/** What fits at the end of a line; nothing if it is not a `/site` command or ends within quotes. */
export function complete(line: string, known: Vocabulary): Completion {
  const whole = line !== '' && NAME.startsWith(line) ? `${NAME} ` : line;
  const rest = /^\/site\s+([^]*)$/.exec(whole)?.[1];
  if (rest === undefined || rest.split('"').length % 2 === 0) return NOTHING;
  const words: string[] = rest.match(/(?:"[^"]*"|[^\s"])+/g) ?? [];
  const begun = /\s$/.test(whole) ? '' : (words.pop() ?? '');
  return completed({ words, begun, kept: whole.slice(0, whole.length - begun.length) }, known);
}

function completed(typed: Typed, known: Vocabulary): Completion {
  const command = chosen(typed.words, known.commands);
  if (command === undefined) return { offers: pathOffers(typed, known.commands), usage: [] };
  const slots = slotsOf(command);
  const rest = typed.words.slice(command.path.split(' ').length);
  const standing = standingOf(slots, rest);
  const now = slotNow(standing, typed.begun);
  const usage = [{ text: command.path, now: false }, ...slots.map((slot) => ({ text: slot.text, now: slot === now }))];
  const another = standing.open.find(takesCommand);
  if (another === undefined) {
    const offers = [...nextOffers(standing, slots, typed, known), ...pathOffers(typed, known.commands)];
    return { offers, usage: slots.length > 0 ? usage : [] };
  }
  const inner = { ...typed, words: rest.slice(standing.inner) };
  // An optional command is named without its arguments, so offer names only.
  const found = another.optional ? { offers: pathOffers(inner, known.commands), usage } : completed(inner, known);
  return {
    offers: [...standing.open.flatMap((slot) => valueOffers(slot, typed, known)), ...found.offers],
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
function slotNow({ waiting, options, open }: Standing, begun: string): Slot | undefined {
  if (waiting !== undefined) return waiting;
  return begun.startsWith('--') ? options.find(({ option }) => option === nameOf(begun)) : open[0];
}

const nameOf = (word: string): string => word.split('=', 1)[0] ?? '';

function nextOffers(standing: Standing, slots: readonly Slot[], typed: Typed, known: Vocabulary): readonly Offer[] {
  const { waiting, open, options, lacks } = standing;
  const { begun, kept } = typed;
  if (waiting !== undefined) return valueOffers(waiting, typed, known);
  const optionOffers = options
    .filter(({ option = '' }) => option.startsWith(begun))
    .map(({ text, option = '' }) => ({ shown: text.replace(/^\[|\]$/g, ''), note: '', line: `${kept}${option} ` }));
  if (begun.startsWith('--')) {
    const name = nameOf(begun);
    const slot = options.find(({ option }) => option === name);
    if (name === begun || slot === undefined) return optionOffers;
    return valueOffers(slot, { ...typed, begun: begun.slice(name.length + 1), kept: `${kept}${name}=` }, known);
  }
  // A domain after an environment is a new one, so there is no name to offer.
  const named = open.filter((slot) => slot.value !== 'domain' || slot === slots[0]);
  const values = named.flatMap((slot) => valueOffers(slot, typed, known));
  return begun === '' && !lacks ? [...values, ...optionOffers] : values;
}

/** A slot's choices, or the known names, if the name or a part of it begins with the typed text. */
function valueOffers({ value = '' }: Slot, { words, begun, kept }: Typed, { names }: Vocabulary): readonly Offer[] {
  // `onto site/environment`: the last word says what it is.
  const kind = value.split(' ').at(-1) ?? '';
  const choices = value.includes('|') ? value.split('|').map((name): Named => ({ name })) : names[kind];
  const wanted = begun.toLowerCase();
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
    .map(({ name, note = '' }) => ({ shown: name, note, line: `${kept}${name} ` }));
}

/** The commands that continue the line; for its first word, also those with that word later in their name. */
function pathOffers({ words, begun, kept }: Typed, commands: readonly Command[]): readonly Offer[] {
  const typed = [...words, begun].join(' ').toLowerCase();
  const starts = commands.filter(({ path }) => path.startsWith(typed) && path.split(' ').length > words.length);
  const inside = commands.filter(
    (command) => words.length === 0 && begun !== '' && command.path.includes(` ${typed}`) && !starts.includes(command),
  );
  return [...starts, ...inside].map(({ path, summary, class: kind }) => ({
    shown: path,
    note: `${summary} · ${kind}`,
    line: `${kept}${path.split(' ').slice(words.length).join(' ')} `,
  }));
}
