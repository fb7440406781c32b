/** A part of a command's usage: a positional word or an option. */
export type Slot = {
  /** As written in the usage: `<site/environment>`, `[--type permanent|redirect]`. */
  readonly text: string;
  /** `--type`; undefined for a word. */
  readonly option: string | undefined;
  /** The value's placeholder, such as `permanent|redirect`; undefined for an option without a value. */
  readonly value: string | undefined;
  readonly optional: boolean;
};

const PART =
  /<(?<word>[^>]+)>|\[(?<option>--[^\s\]]+)(?: (?<value>[^\]]+))?\]|\[(?<maybe>[^\]]+)\]|(?<must>--\S+) (?<of>\S+)/g;

/** The parts of a usage after the command's name. */
export function slotsOf({ path, usage }: { readonly path: string; readonly usage: string }): readonly Slot[] {
  return [...usage.slice(path.length).matchAll(PART)].map(({ 0: text, groups = {} }) => ({
    text,
    option: groups['option'] ?? groups['must'],
    value: groups['word'] ?? groups['maybe'] ?? groups['value'] ?? groups['of'],
    optional: text.startsWith('['),
  }));
}

/** How far a line of words fills the slots. */
export type UsageProgress = {
  /** The option whose value comes next. */
  readonly waiting: Slot | undefined;
  /** The slots that can come next: optional ones, up to the first required one. */
  readonly open: readonly Slot[];
  /** Whether a required word is still missing. */
  readonly isIncomplete: boolean;
  /** The options that are not typed yet. */
  readonly options: readonly Slot[];
  /** The index where the words of an inner command begin, or would begin. */
  readonly inner: number;
};

/** Matches the words of a line to slots, and says what can follow. */
export function progressOf(slots: readonly Slot[], words: readonly string[]): UsageProgress {
  const places = slots.filter(({ option }) => option === undefined);
  const options = slots.filter(({ option }) => option !== undefined);
  const typed = new Set<string>();
  let waiting: Slot | undefined;
  let [at, filled] = [0, false];
  for (const [index, word] of words.entries()) {
    const [name = '', value] = word.split('=', 2);
    if (word.startsWith('--')) {
      typed.add(name);
      const slot = options.find(({ option }) => option === name);
      waiting = value === undefined && slot?.value !== undefined ? slot : undefined;
    } else if (waiting !== undefined) waiting = undefined;
    else {
      while (isSkipped(places[at], word)) at += 1;
      if (takesCommand(places[at]))
        return { waiting, open: places.slice(at), isIncomplete: true, options: [], inner: index };
      filled = places[at]?.value?.endsWith('…') === true;
      if (!filled) at += 1;
    }
  }
  const required = places.findIndex(({ optional }, index) => index >= at && !optional);
  return {
    waiting,
    open: places.slice(at, required < 0 ? undefined : required + 1),
    isIncomplete: required >= 0 && !filled,
    options: options.filter(({ option = '' }) => !typed.has(option)),
    inner: words.length,
  };
}

/** Whether a slot takes the words of another command. */
export const takesCommand = (slot: Slot | undefined): boolean => slot?.value === 'command…';

/** An optional person is left out if the word is no mention. */
const isSkipped = (slot: Slot | undefined, word: string): boolean =>
  slot?.optional === true && slot.value?.startsWith('@') === true && !word.startsWith('@');
