import { isName } from '../commands/kit/action.ts';
import { isYes, type Field, type NameKind, type PlainField } from '../commands/kit/fields.ts';
import { changesSomething, type Command } from '../commands/index.ts';
import type { Thing } from './plain-things.ts';
import { takePlain, takeWords, wordsNotTaken, listOf } from './fill-plain.ts';
import {
  beginFilling,
  take,
  type Filling,
  type SpokenLine,
  isTurned,
  isVague,
  isWhole,
  isDestructive,
} from './filling.ts';
import { createLexicon } from './lexicon.ts';
import type { Spoken } from './spoken.ts';
import { actionOptions, nearestOption, optionNames, takesRest, takesValue, type Extra } from './usage.ts';
import { takesMany } from './resolve.ts';

/** What of a line a command takes, by field, as in a typed line but with ids for names. */
export type Filled = {
  readonly given: Readonly<Record<string, readonly string[]>>;
  readonly extra: Extra;
  /** The names of the ids in `given`. */
  readonly shown: ReadonlyMap<string, string>;
  readonly missing: number;
  /** Things that the command has no place for. */
  readonly free: readonly Thing[];
  /** How many words were taken as somebody's own, such as a reason. */
  readonly ownWords: number;
  /** Words that say something, and that nothing took. */
  readonly left: readonly Spoken[];
  /** Whether every word has its place: see `isWhole`. */
  readonly isWhole: boolean;
  /** Whether a word was left that can turn it round (`not`, `except`), or it does not say which name is which. */
  readonly isTurned: boolean;
  /** Whether what was said may be about a part of what is named, or about something else. */
  readonly isVague: boolean;
  readonly isQuestion: boolean;
  /** Whether an environment was taken of which only the site was said. */
  readonly isImplied: boolean;
};

/** Fills the fields of a command with what a line says, each thing once, in the order of the fields. */
export function fill(path: string, command: Command, line: SpokenLine): Filled {
  const filling = beginFilling(path, command, line);
  const fields = Object.entries<Field>(command.fields);
  const given: Record<string, readonly string[]> = {};
  const extra = command.shape === 'action' ? takeExtra(filling) : {};
  // Names come first, and last what people say in their own words, when everything else is taken.
  const takers: readonly ((name: string, field: Field) => readonly string[] | undefined)[] = [
    (name, field) => takeOption(filling, name, field),
    (name, field) => (isName(field) ? takeName(filling, name, field) : undefined),
    (name, field) => (isName(field) ? undefined : takePlain(filling, name, field)),
    (_, field) => (isName(field) ? undefined : takeWords(filling, field)),
  ];
  for (const taken of takers)
    for (const [name, field] of fields) {
      const words = given[name] ?? taken(name, field) ?? [];
      if (words.length > 0) given[name] = words;
    }
  takeWhole(filling);
  const left = leftOver(filling);
  return {
    given,
    extra,
    shown: filling.shown,
    missing: fields.filter(([name, field]) => isMissing(field) && given[name] === undefined).length,
    free: unusedIn(filling),
    left,
    ownWords: filling.ownWords,
    isWhole: isWhole(filling),
    isTurned: isTurned(filling),
    isVague: isVague(filling, left),
    // What would happen is shown, and not done.
    isQuestion: line.isQuestion && extra.dryRun !== true,
    isImplied: filling.isImplied,
  };
}

/** Things that nothing took. What only looks at something may leave a time or a text aside: it is offered, not answered. */
const unusedIn = ({ free, command }: Filling): readonly Thing[] =>
  [...free].filter((thing) =>
    changesSomething(command) || takesRest(command) ? !isToday(thing) : !aside.has(thing.kind),
  );

const isToday = (thing: Thing): boolean => thing.kind === 'time' && thing.text === 'today';

const aside: ReadonlySet<Thing['kind']> = new Set(['time', 'count', 'text']);

/** Whatever is about the whole company is about all sites. */
function takeWhole(filling: Filling): void {
  const isOfSome = Object.values<Field>(filling.command.fields).some(({ kind }) => kind === 'environment');
  if (isOfSome) return;
  for (const thing of filling.free) if (thing.kind === 'many' && thing.text === '*/*') take(filling, thing);
}

const isMissing = (field: Field): boolean => !field.optional && (isName(field) || field.absent === undefined);

/** What nothing took. Of what is said to me, or names something, only the clauses count that say which command is meant. */
function leftOver(filling: Filling): readonly Spoken[] {
  const { words, explained, place, said } = filling;
  const clauses = new Set([...explained].map((at) => words[at]?.clause));
  const isMeant = place.isAddressed === true || said.things.some(({ at }) => clauses.has(words[at]?.clause));
  const isCounted = ({ clause }: Spoken): boolean => !isMeant || clauses.size === 0 || clauses.has(clause);
  return wordsNotTaken(filling).filter(isCounted);
}

type SaidOption = Extract<Thing, { readonly kind: 'option' }>;

/** The option of one of these names, or a mistyped one that is nearest to them. */
function optionAmong({ free, command }: Filling, names: readonly string[]): SaidOption | undefined {
  const ofFields = Object.entries(command.fields).flatMap((one) => optionNames(...one));
  const all = command.shape === 'action' ? [...ofFields, ...actionOptions] : ofFields;
  return [...free].find(
    (thing): thing is SaidOption => thing.kind === 'option' && names.includes(nearestOption(thing.name, all) ?? ''),
  );
}

/** The options that every action has. */
function takeExtra(filling: Filling): Extra {
  const option = (name: string): string | undefined => {
    const thing = optionAmong(filling, [name]);
    return thing && valueOf(filling, thing, name === 'reason');
  };
  const [reason, typedDryRun, queue, breakGlass] = ['reason', 'dry-run', 'queue', 'break-glass'].map(option);
  const dryRun = typedDryRun ?? takeDryRun(filling);
  const why = filling.why.map(({ typed }) => typed).join(' ');
  return {
    ...((reason || why) && { reason: reason || why }),
    ...(dryRun !== undefined && { dryRun: true }),
    ...(queue !== undefined && { queue: true }),
    ...(breakGlass !== undefined && { breakGlass: true }),
  };
}

const dryRuns = createLexicon([
  {
    of: '',
    phrases: `
      dry run, dry, simulate, don't run yet, dont run yet, just show what it will do, what would happen, what would
      happen not yet, what would happen don't do it, what would happen dont do it, what would happen don't do it yet`,
  },
]);

/** `what would happen if …, don't do it yet`. */
function takeDryRun({ words, said, used, meant }: Filling): string | undefined {
  const [match] = dryRuns.matches(words, (at) => !said.covered.has(at), new Map());
  for (const at of match?.explains ?? []) for (const taken of [used, meant]) taken.add(at);
  return match?.of;
}

/** The value of an option: after its `=`, or the words that follow up to the next option. */
function valueOf(filling: Filling, option: SaidOption, takesWords: boolean): string {
  take(filling, option);
  if (option.value !== undefined || !takesWords) return option.value ?? '';
  const { words } = filling;
  const next = words.findIndex(({ text, quoted }, at) => at >= option.end && !quoted && text.startsWith('--'));
  const end = next === -1 ? words.length : next;
  for (let at = option.end; at < end; at += 1) filling.used.add(at);
  for (const thing of filling.free) if (thing.at >= option.end && thing.at < end) filling.free.delete(thing);
  return words
    .slice(option.end, end)
    .map(({ typed }) => typed)
    .join(' ');
}

/** Typed as `--name`, or by another word for it. */
function takeOption(filling: Filling, name: string, field: Field): readonly string[] | undefined {
  const thing = optionAmong(filling, optionNames(name, field));
  if (thing === undefined) return undefined;
  if (!takesValue(field) && thing.value !== undefined && !isYes(thing.value)) return undefined;
  const value = valueOf(filling, thing, takesValue(field));
  if (!takesValue(field)) return ['yes'];
  // Without its value it can't be left out either: that could be more than was asked for.
  if (value === '') filling.free.add(thing);
  return value === '' ? undefined : [value];
}

type NameField = Exclude<Field, PlainField<unknown>>;

/** The ids of what a field names: of all that was said if it takes several, else of the one whose role fits. */
export function takeName(filling: Filling, name: string, field: NameField): readonly string[] | undefined {
  const { command, free, shown } = filling;
  const isMany = field.orMany === true || takesMany(command, name);
  // What is named in full comes before what only a site or an address stands for.
  const fits = [...free]
    .filter((thing) => idIn(thing, field) !== undefined || (isMany && thing.kind === 'many'))
    .toSorted((one, other) => rankOf(one) - rankOf(other));
  const isTarget = command.shape !== 'action' || command.target === name || command.alsoReads?.includes(name) !== true;
  // One of two that doesn't say which it is: mostly the live one is overwritten. The form shows both.
  const named = filling.said.things.filter((thing) => thing.kind === 'environment');
  const [either] = named.length === 1 && named[0]?.role === undefined ? named : [];
  const isOther = either !== undefined && isNameOf(command, 'onto') && either.of.live !== (name === 'onto');
  const isFree = (thing: Thing): boolean =>
    // Out of it something else is to be deleted.
    !(isDestructive(command) && roleOf(thing) === 'from') &&
    !isNameOf(command, roleOf(thing)) &&
    !(isOther && thing.kind === 'environment') &&
    (isTarget || thing.kind !== 'site' || !isNameOf(command, 'onto'));
  const first = fits.find((thing) => roleOf(thing) === name) ?? fits.find(isFree);
  const isNamed = fits.some((thing) => rankOf(thing) === 0);
  const many = (isNamed ? fits.filter((thing) => rankOf(thing) === 0) : fits).toSorted(
    (one, other) => one.at - other.at,
  );
  const taken = isMany ? listOf(filling, many) : [first].filter((thing) => thing !== undefined);
  if (taken.length === 0) return idOfPlace(filling, name, field);
  const ids = taken.map((thing) => {
    take(filling, thing);
    filling.isGuessed ||= thing.kind === 'environment' && thing.isNear === true;
    filling.isImplied ||= field.kind === 'environment' && (thing.kind === 'site' || thing.kind === 'host');
    const found = idIn(thing, field);
    if (found) shown.set(found.id, found.name);
    return found?.id ?? (thing.kind === 'many' ? thing.text : '');
  });
  return [[...new Set(ids)].join(',')];
}

const rankOf = ({ kind }: Thing): number => (kind === 'host' ? 2 : kind === 'site' ? 1 : 0);

/** Whether a command has a field of this name for a name: then `from` and `onto` say where, in any order. */
const isNameOf = ({ fields }: Command, role = ''): boolean => fields[role] !== undefined && isName(fields[role]);

/** The environment that a thread is about, for a command that is about one. */
function idOfPlace(filling: Filling, name: string, field: NameField): readonly string[] | undefined {
  const { command, place, shown } = filling;
  const { environment } = place;
  const isTarget = (command.shape === 'builtin' || command.target === name) && field.kind === 'environment';
  const isOnly = Object.values<Field>(command.fields).filter(isName).length === 1;
  if (environment === undefined || !isTarget || !isOnly) return undefined;
  shown.set(environment.id, environment.name);
  filling.isOfThread = true;
  return [environment.id];
}

const roleOf = (thing: Thing): string | undefined =>
  thing.kind === 'environment' || thing.kind === 'site' ? thing.role : undefined;

/** The id and the name of what a thing is for a field of this kind; undefined if it is nothing of the kind. */
function idIn(thing: Thing, { kind, orDomain }: NameKind): { readonly id: string; readonly name: string } | undefined {
  if (kind === 'site') {
    if (thing.kind === 'site') return thing.site;
    const of = thing.kind === 'environment' || thing.kind === 'host' ? thing.of : undefined;
    return of?.site && { id: of.site.id ?? of.site.name, name: of.site.name };
  }
  if (thing.kind === 'host' && orDomain) return thing.domain;
  if (kind === 'domain') return 'domain' in thing ? thing.domain : undefined;
  return thing.kind === 'environment' || thing.kind === 'site' || thing.kind === 'host' ? thing.of : undefined;
}
