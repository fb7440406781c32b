import { isName } from '../commands/kit/action.ts';
import type { Field, NameKind, PlainField } from '../commands/kit/fields.ts';
import type { Command } from '../commands/index.ts';
import { parseDuration } from '../words/duration.ts';
import { Refusal } from '../base/errors.ts';
import { code, joined, sample, say, type Text } from '../words/text.ts';
import type { Timing } from './schedule.ts';
import { usage } from './usage.ts';
import { isArrow, type Word } from './tokenize.ts';

/** Assigns the words of a command to its fields. */

/** The unparsed words for each field. Fields without words are absent. */
export type Given = Readonly<Record<string, readonly string[]>>;

/** Words that a line can leave out because of the thread or channel in which it is typed. */
export type BindContext = {
  /** The fields that were typed as options. */
  readonly named?: Given;
  /** Name or id of the thread's target. */
  readonly target?: string | undefined;
  /** The id that a bare word means there (`live` next to `acme-shop/staging`), or undefined. */
  readonly sibling?: (word: string) => string | undefined;
  /** `sibling` comes only from the channel, which is not enough for a destructive command. */
  readonly isLoose?: boolean;
  /** The line with quotes around an option's value, if these words, which no field takes, belong to it. */
  readonly inQuotes?: (left: readonly Word[]) => string | undefined;
};

/** Assigns words to fields in order, full names first. A missing target comes from the thread. Throws `Refusal`. */
export function bindWords(typed: readonly Word[], path: string, command: Command, context: BindContext): Given {
  const words = withoutDirection(typed, command);
  const rest = [...words];
  const { named = {} } = context;
  const open = {
    ...command,
    fields: Object.fromEntries(Object.entries(command.fields).filter(([name]) => !(name in named))),
  };
  const names = bindNames(rest, path, open, context);
  refuseLimit(rest, names, path, open);
  const given = withLength({ ...names, ...bindPlain(rest, open), ...named }, command);
  const [first] = rest;
  if (first) {
    const inQuotes = context.inQuotes?.(rest);
    const surplus = (inQuotes === undefined ? words.find(isFiller) : undefined) ?? first;
    throw new Refusal(say`${code(path)} doesn't know what to do with ${placed(surplus, words)}. Nothing was done.`, {
      hint:
        inQuotes === undefined
          ? hintFor(surplus, rest, words, path, command)
          : say`A value with spaces goes into quotes: ${sample(`${path} ${inQuotes}`.slice(0, 300))}`,
    });
  }
  return given;
}

const lengthFirst = /^for (\S+?(?: [a-z]+?)?)(?:[,;.]? |$)/i;
const lengthLast = /(?:^| )for (\S+(?: [a-z]+)?)$/i;

const limit = /^(?:except|excluding|only|not|unless|without|in|at|before|after|and)$/i;
/** Until something has happened is a reason, until some time is an end. */
const untilTime =
  /\b(?:until|till?) (?:\d|today|tonight|tomorrow|noon|midnight|(?:mon|tues|wednes|thurs|fri|satur|sun)day|next|the end|end of|(?:this |the )?(?:morning|evening|afternoon))/i;

/**
 * Refuses a reason that may say where, or how long: `lock acme-shop/live until 6am`. What takes no length, such as
 * `pause`, holds everywhere until somebody ends it, and an emergency stop has to stop: whatever follows is its reason.
 */
function refuseLimit(rest: readonly Word[], names: Given, path: string, command: Command): void {
  const [own, ...others] = wordFields(command).filter(([, one]) => !isName(one));
  const [name, field] = own ?? [];
  const [first] = rest;
  if (field?.label !== 'Reason' || !command.fields['for'] || others.length > 0) return;
  if (first === undefined || rest.some(({ quoted }) => quoted)) return;
  const reason = textsOf(rest).join(' ');
  const isPlace = ({ text }: Word): boolean => /^\p{L}[^/]*\/[\p{L}*]|^except$/iu.test(text);
  if (!limit.test(first.text) && !untilTime.test(reason) && !rest.some(isPlace)) return;
  const args = [...path.split(' '), ...Object.values(names).flat(), `--${name}=${reason}`];
  throw new Refusal(say`I can't tell whether “${reason.slice(0, 60)}” is a reason. Nothing was done.`, {
    hint: say`Several environments have commas between them; a length goes after ${code('--for')}.`,
    offers: [{ label: `${command.button}, “${reason}”`, args }],
  });
}

/** A length of time where a reason goes is a length: `lock acme-shop/live for 2h deploying`. */
function withLength(given: Given, { fields }: Command): Given {
  const [name] = Object.entries<Field>(fields).find(([, { label }]) => label === 'Reason') ?? [];
  const why = name === undefined ? '' : (given[name] ?? []).join(' ');
  const length = [lengthFirst, lengthLast]
    .flatMap((shape) => shape.exec(why)?.[1] ?? [])
    .flatMap((said) => [said, said.split(' ')[0] ?? ''])
    .find((said) => parseDuration(said) !== undefined);
  if (name === undefined || length === undefined || !fields['for'] || given['for'] !== undefined) return given;
  const rest = why.replace(new RegExp(`(?:^| )for ${length}(?:[,;.](?= )|(?= |$))`, 'i'), '').trim();
  const words = rest === '' ? [] : rest.split(' ');
  return { ...given, [name]: words, for: [length] };
}

const timeWord =
  /^(?:today|tonight|tomorrow|noon|midnight|(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*|\d{1,2}:\d\d|\d{1,2}[ap]m)$/i;

/** Words that say nothing more than their place does. `from` is none of them: it turns a push around. */
const fillers: ReadonlySet<string> = new Set(['to', 'into', 'onto', 'over', 'on', 'at', 'in', 'of', 'for']);

/** `push staging to live` says nothing more than `push staging live`. */
function withoutDirection(words: readonly Word[], { fields }: Command): readonly Word[] {
  const [from, between] = words;
  const leads = (word: Word | undefined): boolean =>
    word !== undefined && !word.quoted && (/^(?:to|into|onto)$/i.test(word.text) || isArrow(word.text));
  const isBetween = fields['onto']?.place === 'word' && words.length > 2 && !leads(from) && leads(between);
  return isBetween ? words.toSpliced(1, 1) : words;
}

const isFiller = ({ text, quoted }: Word): boolean => !quoted && (fillers.has(text.toLowerCase()) || isArrow(text));

function hintFor(surplus: Word, rest: readonly Word[], words: readonly Word[], path: string, command: Command): Text {
  if (isListWithoutCommas(command, words, rest))
    return say`Put commas between several: ${sample(`${path} ${textsOf(words).join(',').replace(/,+/g, ',')}`.slice(0, 200))}`;
  const oneWord = asOneWord(rest, words, command);
  if (oneWord !== undefined) return say`An environment is written as one word: ${sample(`${path} ${oneWord}`)}`;
  const how = say`Usage: ${sample(usage(path, command))}`;
  if (command.shape === 'action' && textsOf(rest).some((word) => timeWord.test(word)))
    return joined([say`A time goes after ${code('--at')}, as in ${code('--at "tomorrow 02:00"')}.`, how]);
  return isFiller(surplus) ? joined([say`Please leave it out.`, how]) : how;
}

/** `acme-shop/live` if that was typed as two words, and nothing else is left over. */
function asOneWord(rest: readonly Word[], words: readonly Word[], command: Command): string | undefined {
  const [site, own] = textsOf(words);
  const isName = wordFields(command)[0]?.[1].kind === 'environment' && rest.length === 1 && rest[0] === words[1];
  return isName && [site, own].every((word) => /^[\p{L}\p{N}_-]+$/u.test(word ?? '')) ? `${site}/${own}` : undefined;
}

/** The word in quotes. If it was typed more than once, with the word before it, to say which one is meant. */
function placed(word: Word, words: readonly Word[]): Text {
  const shown = say`“${word.text.slice(0, 60)}”`;
  const before = words[words.indexOf(word) - 1];
  const isTwice = words.filter(({ text }) => text === word.text).length > 1;
  return isTwice && before ? say`${shown} after “${before.text.slice(0, 60)}”` : shown;
}

/** Whether the words that are left are more environments for a command whose only words are environments. */
function isListWithoutCommas(command: Command, words: readonly Word[], rest: readonly Word[]): boolean {
  const [only, ...others] = wordFields(command).map(([, field]) => field);
  if (only === undefined || others.length > 0 || !isName(only)) return false;
  const takesMany = only.orMany === true || (command.shape === 'action' && command.batch !== undefined);
  const isList = rest.every(({ text }) => looksLikeName(text, only)) && !words.some(({ text }) => text === 'except');
  return takesMany && isList;
}

const wordFields = (command: Command): readonly (readonly [string, Field])[] =>
  Object.entries<Field>(command.fields).filter(([, field]) => field.place === 'word');

/** Assigns words to the name fields, and removes those words from `rest`. */
function bindNames(rest: Word[], path: string, command: Command, context: BindContext): Given {
  const given: Record<string, readonly string[]> = {};
  const fields = wordFields(command).flatMap(([name, field]) => (isName(field) ? [{ name, field }] : []));
  const siblingOf = (word: string): string | undefined => {
    const sibling = context.sibling?.(word);
    if (sibling !== undefined && context.isLoose && isDestructive(command)) throw needsFullName(path, word);
    return sibling;
  };
  for (const [at, { name, field }] of fields.entries()) {
    const words =
      field.after === undefined
        ? takeName(rest, field, fields.length - at, siblingOf, context.target)
        : takeAfter(rest, field, field.after);
    if (words.length > 0) given[name] = words;
  }
  return given;
}

/** Takes a full name or several, or a bare word for a sibling. Takes nothing if only `target` is meant. */
function takeName(
  rest: Word[],
  field: Exclude<Field, PlainField<unknown>>,
  namesToCome: number,
  siblingOf: (word: string) => string | undefined,
  target: string | undefined,
): readonly string[] {
  const first = rest[0]?.text ?? '';
  const isMany = field.kind === 'environment' && beginsMany(first);
  const fullAt = isMany ? 0 : fullNameIn(rest, field, namesToCome);
  const sibling = fullAt === -1 ? siblingOf(first) : undefined;
  const isLeftOut = fullAt === -1 && sibling === undefined && target !== undefined;
  const begins = Math.max(fullAt, 0);
  const [taken, ...more] = isLeftOut ? [] : rest.splice(begins, namesFrom(rest, begins));
  if (field.optional && taken !== undefined) refuseEmpty(taken, field);
  const word = sibling ?? taken?.text ?? target;
  return word === undefined ? [] : [word, ...textsOf(more)];
}

/** Takes all words behind the one that begins this field. */
function takeAfter(rest: Word[], field: Field, after: string): readonly string[] {
  const begins = rest.findIndex((word) => word.text.toLowerCase() === after);
  if (begins === -1) return [];
  const [, ...named] = rest.splice(begins);
  refuseEmpty(named[0] ?? { text: '' }, field);
  return textsOf(named);
}

/** Takes the words of the other fields out of `rest`. */
function bindPlain(rest: Word[], command: Command): Given {
  const given: Record<string, readonly string[]> = {};
  for (const [name, field] of wordFields(command)) {
    if (isName(field)) continue;
    if (rest[0] && field.optional) refuseEmpty(rest[0], field);
    if (rest[0] && field.optional && field.fits?.(rest[0].text) === false) continue;
    const taken = rest.splice(0, field.many ? rest.length : 1);
    if (taken.length > 0) given[name] = taken.map((word) => word.text);
  }
  return given;
}

/**
 * Index of the next full name. -1 if there is none, or if a bare name before it belongs to this field: `push staging
 * shop/live` must not push in the other direction.
 */
function fullNameIn(rest: readonly Word[], field: NameKind, namesToCome: number): number {
  const full = rest.map((word) => looksLikeName(word.text, field));
  const isShort = rest.length >= namesToCome && full.filter(Boolean).length < namesToCome;
  return isShort && !full[0] ? -1 : full.indexOf(true);
}

const textsOf = (words: readonly Word[]): readonly string[] => words.map(({ text }) => text);

/** How many words from `at` on name environments together: a list continues after a comma, and after `except`. */
function namesFrom(rest: readonly Word[], at: number): number {
  let end = at + 1;
  for (let next = rest[end]; next !== undefined; next = rest[end]) {
    const isJoint = /^(?:except|,)$/i.test(next.text);
    const after = isJoint ? rest[end + 1] : next;
    const goesOn = isJoint || rest[end - 1]?.text.endsWith(',') || next.text.startsWith(',');
    const name = after?.text.replace(/^,/, '') ?? '';
    if (!goesOn || !(beginsMany(name) || looksLikeName(name, { kind: 'environment' }))) break;
    end += isJoint ? 2 : 1;
  }
  return end - at;
}

/** Refuses an empty word: a missing field can mean everything, so an empty word must not count as missing. */
function refuseEmpty({ text }: Pick<Word, 'text'>, { label }: Field): void {
  if (text.trim() !== '') return;
  throw new Refusal(say`${label} is empty. Nothing was done.`, { hint: 'Leave it out or type a value.' });
}

const isDestructive = (command: Command): boolean => command.shape === 'action' && command.risk === 'destructive';

const needsFullName = (path: string, word: string): Refusal =>
  new Refusal(
    say`${code(path)} can destroy data, so it needs the full name, not just “${word.slice(0, 60)}”. Nothing was done.`,
    { hint: say`Write it as ${code('site/environment')}.` },
  );

/** Whether a word that is not a name begins several environments: a set, a pattern, or a list without spaces. */
const beginsMany = (word: string): boolean => /^set:|^[^\s/,]+\/[^\s/,]*(?:\*|\p{L}[^\s/,]*,)/iu.test(word);

/** A UUID or `site/environment` (not an address range like 10.0.0.0/8); a domain has a dot, a site can be any word. */
const looksLikeName = (word: string, { kind, orDomain }: NameKind): boolean =>
  kind === 'site' ||
  /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i.test(word) ||
  (orDomain === true && looksLikeName(word, { kind: 'domain' })) ||
  (kind === 'domain' ? /^[^\s/]+\.[^\s/]+$/.test(word) : /^[^\s/]+\/[^\s/]*\p{L}[^\s/]*$/u.test(word));

/** A parsed line; names are not resolved yet. */
export type ParsedCommand = Timing & {
  readonly path: string;
  readonly command: Command;
  readonly given: Given;
  readonly reason: string | undefined;
  /** The line as it would be typed, if it was guessed from other words. */
  readonly readAs?: string;
  readonly dryRun: boolean;
  /** Waits in the queue if a lock is in the way. */
  readonly queue?: boolean;
  /** The environment of a batch that goes first and alone, as typed. */
  readonly canary?: string | undefined;
  /** Skips approval and freezes, in an emergency. */
  readonly breakGlass?: boolean | undefined;
  /** If this person may not run it, asks people who may. */
  readonly handOn?: boolean;
  /** The id of the handed-on request that this runs. */
  readonly handedOn?: string | undefined;
};
