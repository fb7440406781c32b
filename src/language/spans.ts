import { parseDuration, showDuration } from '../words/duration.ts';
import type { Spoken } from './spoken.ts';

/** Times and numbers, as people say them in a line. */

/** What the words before a time say of it: how long, since when, until when. These are names of fields, too. */
export const timeRoles = ['for', 'since', 'until'] as const;
export type TimeRole = (typeof timeRoles)[number];

/** What was found, and how many words say it. */
type Span = {
  readonly thing:
    | { readonly kind: 'time'; readonly text: string; readonly role: TimeRole | undefined }
    | { readonly kind: 'count' | 'number'; readonly text: string };
  readonly length: number;
};

const leads: ReadonlyMap<string, TimeRole> = new Map([
  ['for', 'for'],
  ['since', 'since'],
  ['after', 'since'],
  ['last', 'since'],
  ['past', 'since'],
  ['until', 'until'],
  ['till', 'until'],
  ['before', 'until'],
  // What is to come is no length.
  ['in', 'until'],
]);
const between = new Set(['the', 'within', 'over', 'during', 'about']);
const wholeUnits: Readonly<Record<string, string>> = { minute: '1m', hour: '1h', day: '1d', week: '7d' };

/** A length of time or a moment, with the words that lead to it: `for 2 hours`, `since yesterday`, `in the last hour`. */
export function spanAt(words: readonly Spoken[], at: number): Span | undefined {
  let role: TimeRole | undefined;
  let next = at;
  const text = (): string => words[next]?.text.toLowerCase() ?? '';
  while (next - at < 4 && (leads.has(text()) || between.has(text()))) {
    role = leads.get(text()) ?? role;
    next += 1;
  }
  const isLed = role !== undefined || next === at;
  const amount = isLed ? amountAt(words, next, role !== undefined) : undefined;
  if (amount === undefined) return undefined;
  const end = next + amount.length;
  const isPast = words[end]?.key === 'ago' || amount.isMoment;
  const length = end - at + (words[end]?.key === 'ago' ? 1 : 0);
  return { thing: { kind: 'time', text: amount.text, role: role ?? (isPast ? 'since' : undefined) }, length };
}

type Amount = { readonly text: string; readonly length: number; readonly isMoment: boolean };

/** How people write times, at the beginning of a text. */
const moment =
  /^(?:(?:1[0-2]|0?[1-9])(?::[0-5]\d)? ?[ap]m|this morning|morning|today|yesterday'?s?|\d{4}-\d\d-\d\d(?: \d{1,2}:\d\d)?|(?:[01]?\d|2[0-3]):[0-5]\d)(?= |$)/;

/** `6am` is `06:00`, and this morning today. */
function in24(clock: string): string {
  if (clock.endsWith('morning')) return 'today';
  const [, hour, minutes = ':00', half] = /^(\d+)(:\d\d)? ?([ap])m$/.exec(clock) ?? [];
  if (hour === undefined) return clock;
  return `${String((Number(hour) % 12) + (half === 'p' ? 12 : 0)).padStart(2, '0')}${minutes}`;
}

const oneUnit = /^(an? |one |this )?(minute|hour|day|week)(?= |$)/;
const weeks = /^(\d{1,3}) ?(?:w|weeks?)(?= |$)/;

const inDigits: Readonly<Record<string, string>> = {
  two: '2',
  three: '3',
  four: '4',
  five: '5',
  six: '6',
  seven: '7',
  eight: '8',
  ten: '10',
  twelve: '12',
  thirty: '30',
};

/** `isLed`: a word before it says that a time follows, so `hour` alone is one. */
function amountAt(words: readonly Spoken[], at: number, isLed: boolean): Amount | undefined {
  const next = words.slice(at, at + 3).map(({ text }) => inDigits[text.toLowerCase()] ?? text.toLowerCase());
  const line = next.join(' ');
  const amount = (said: string, text = said, isMoment = false): Amount => ({
    text,
    length: said.split(' ').length,
    isMoment,
  });
  const [clock] = moment.exec(line) ?? [];
  if (clock !== undefined) return amount(clock, in24(clock), true);
  const [one, article, unit = ''] = oneUnit.exec(line) ?? [];
  if (one !== undefined && (isLed || article !== undefined)) return amount(one, wholeUnits[unit]);
  const [half] = /^half an? hour/.exec(line) ?? [];
  if (half !== undefined) return amount(half, '30m');
  const [several, number] = weeks.exec(line) ?? [];
  if (several !== undefined) return amount(several, `${Number(number) * 7}d`);
  const length = [2, 1].find(
    (count) => count <= next.length && parseDuration(next.slice(0, count).join(' ')) !== undefined,
  );
  const text = next.slice(0, length).join(' ');
  return length === undefined ? undefined : amount(text, showDuration(parseDuration(text) ?? 0));
}

/** `50 lines`, `last 50`, `no 4`, or a number alone, unless only what is `counted` is one: `500` can be an error. */
export function numberAt(words: readonly Spoken[], at: number, only?: 'counted'): Span | undefined {
  const lead = /^(?:last|no|nr|number)$/i.exec(words[at]?.text ?? '')?.[0].toLowerCase();
  const number = lead === undefined ? at : at + 1;
  const text = words[number]?.text ?? '';
  const isCount = /^(?:lines?|entr(?:y|ies)|rows?)$/i.test(words[number + 1]?.text ?? '');
  if (!/^\d{1,7}$/.test(text) || (only && !isCount)) return undefined;
  const kind = isCount || lead === 'last' ? 'count' : 'number';
  return { thing: { kind, text }, length: number + 1 - at + Number(isCount) };
}
