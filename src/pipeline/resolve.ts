import { isName } from '../commands/action.ts';
import type { Field } from '../commands/fields.ts';
import { Refusal, type Offer, type Words } from '../errors.ts';
import type { Domain, Environment } from '../hosting/contract/target.ts';
import { bold, code, joined, say } from '../text.ts';
import { near } from './meant.ts';
import type { Wish } from './parse.ts';
import { wordsOf } from './usage.ts';

/** What one person may read, and so may name. */
export type Names = { readonly environments: readonly Environment[]; readonly domains: readonly Domain[] };
export type Named = Environment | Domain;

/** A wish whose words have been read: values by field, the fields still missing, and what cannot be read. */
export type Resolved = {
  readonly wish: Wish;
  readonly input: Readonly<Record<string, unknown>>;
  readonly missing: readonly string[];
  readonly problems: readonly { readonly field: string; readonly refusal: Refusal }[];
};

/** Reads every given field: plain ones by themselves, names among `names`. Never guesses, never throws a Refusal. */
export function resolve(wish: Wish, names: Names): Resolved {
  const input: Record<string, unknown> = {};
  const missing: string[] = [];
  const problems: { field: string; refusal: Refusal }[] = [];
  for (const [name, field] of Object.entries(wish.command.fields)) {
    const words = (wish.given[name] ?? []).filter((word) => word.trim() !== '');
    try {
      if (words.length > 0)
        input[name] = isName(field) ? find(field, words[0] ?? '', names, wish, name) : field.read(words);
      else if (!isName(field) && field.absent !== undefined) input[name] = field.absent;
      else if (!field.optional) missing.push(name);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      problems.push({ field: name, refusal: error });
    }
  }
  return { wish, input, missing, problems };
}

/** The words that say the same again, with ids instead of names: for storage, buttons and forms. */
export const canonicalWords = ({ wish, input }: Pick<Resolved, 'wish' | 'input'>): Words =>
  wordsOf(wish.path, wish.command.fields, (name) => shownAs(wish.command.fields[name], input[name]));

function shownAs(field: Field | undefined, value: unknown): Words {
  if (value === undefined || field === undefined) return [];
  if (isName(field)) return isNamed(value) ? [value.id] : [];
  return field.show(value);
}

/** Whether a value of an input is a target. */
export const isNamed = (value: unknown): value is Named =>
  typeof value === 'object' &&
  value !== null &&
  'kind' in value &&
  'id' in value &&
  (value.kind === 'environment' || value.kind === 'domain');

/** Names are compared without case and in one Unicode form; what merely looks alike is not the same. */
export const folded = (name: string): string => name.normalize('NFKC').toLowerCase();

function find(field: Field, typed: string, names: Names, wish: Wish, name: string): Named {
  const all: readonly Named[] = field.kind === 'domain' ? names.domains : names.environments;
  const wanted = folded(typed);
  const exact = all.filter((one) => folded(one.id) === wanted || folded(one.name) === wanted);
  if (exact.length === 1 && exact[0]) return exact[0];
  const offer = (one: Named): Offer => offerOf(wish, name, one);
  if (exact.length > 1)
    throw ambiguous(typed, exact, (one) => ({ ...offer(one), label: `${one.name} (…${one.id.slice(-4)})` }));
  const partial = all.filter((one) => folded(one.name).includes(wanted));
  if (partial.length > 0 && wanted.length > 1) throw ambiguous(typed, partial, offer);
  const nearest = near(
    wanted,
    all.map((one) => folded(one.name)),
  );
  const meant = all.filter((one) => nearest.includes(folded(one.name))).slice(0, 3);
  throw unknownName(wish, name, meant);
}

/** What somebody is told of a name that is not there, or that is not theirs to read: the same words for both. */
export function unknownName(wish: Wish, name: string, meant: readonly Named[] = []): Refusal {
  const typed = wish.given[name]?.[0] ?? '';
  const notLatin = /[^\p{ASCII}]/u.test(typed) ? ' It has letters that are not plain Latin ones.' : '';
  const kind = wish.command.fields[name]?.kind ?? 'target';
  return new Refusal(
    say`I know no ${kind} ${code(typed.slice(0, 80))} that you may read.${notLatin} Nothing was done.`,
    {
      field: name,
      hint:
        meant.length > 0
          ? say`Did you mean ${joined(
              meant.map((one) => bold(one.name)),
              ' or ',
            )}?`
          : say`${code('environments')} lists what you can name.`,
      offers: meant.map((one) => offerOf(wish, name, one)),
    },
  );
}

function ambiguous(typed: string, candidates: readonly Named[], offer: (one: Named) => Offer): Refusal {
  const shown = candidates.slice(0, 5);
  const more = candidates.length > shown.length ? ` or ${candidates.length - shown.length} more` : '';
  return new Refusal(
    say`**${typed.slice(0, 80)}** could be ${joined(
      shown.map((one) => one.name),
      ', ',
    )}${more}. Which one? Nothing was done.`,
    {
      offers: shown.map(offer),
    },
  );
}

/** The same wish with one of its names said by id. */
const offerOf = (wish: Wish, name: string, one: Named): Offer => ({
  label: one.name.slice(0, 75),
  words: wordsOf(wish.path, wish.command.fields, (key) => (key === name ? [one.id] : (wish.given[key] ?? [])), wish),
});
