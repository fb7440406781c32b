import { isName } from '../../commands/kit/action.ts';
import type { Field } from '../../commands/kit/fields.ts';
import { near } from '../../commands/kit/nearest-words.ts';
import { Refusal, type Offer, type Words } from '../../errors.ts';
import type { Domain, Environment, NamedSite } from '../../hosting/contract/target.ts';
import { bold, code, joined, say, type Text } from '../../text.ts';
import { folded, searchIn, type Named } from './name-search.ts';
import type { ParsedCommand } from './parsed-command.ts';
import { wordsOf, type Aside } from './usage.ts';

/** What one person may read, and so may name. */
export type Names = {
  readonly environments: readonly Environment[];
  readonly domains: readonly Domain[];
  /** Why names may be missing: the host could not list all of them now, or Slack does not tell whether they may be read. */
  readonly trouble?: Text | undefined;
};

/** A wish whose words have been read: values by field, the fields still missing, and what cannot be read. */
export type Resolved = {
  readonly parsed: ParsedCommand;
  readonly input: Readonly<Record<string, unknown>>;
  readonly missing: readonly string[];
  readonly problems: readonly { readonly field: string; readonly refusal: Refusal }[];
};

/** Reads every given field: plain ones by themselves, names among `names`. Never guesses, never throws a Refusal. */
export function resolve(parsed: ParsedCommand, names: Names): Resolved {
  const input: Record<string, unknown> = {};
  const missing: string[] = [];
  const problems: { field: string; refusal: Refusal }[] = [];
  for (const [name, field] of Object.entries(parsed.command.fields)) {
    const words = (parsed.given[name] ?? []).filter((word) => word.trim() !== '');
    try {
      if (words.length > 0)
        input[name] = isName(field) ? find(field, words[0] ?? '', names, parsed, name) : field.read(words);
      else if (!isName(field) && field.absent !== undefined) input[name] = field.absent;
      else if (!field.optional) missing.push(name);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      problems.push({ field: name, refusal: error });
    }
  }
  return { parsed, input, missing, problems };
}

/** The words that say the same again, with ids instead of names: for storage, buttons and forms. */
export const canonicalWords = ({ parsed, input }: Pick<Resolved, 'parsed' | 'input'>, aside: Aside = {}): Words =>
  wordsOf(parsed.path, parsed.command.fields, (name) => shownAs(parsed.command.fields[name], input[name]), aside);

/** A value of a field as the words that say it. */
export function shownAs(field: Field | undefined, value: unknown): Words {
  if (value === undefined || field === undefined) return [];
  if (isName(field)) return isNamed(value) || isSite(value) ? [value.id] : [];
  return field.show(value);
}

/** Whether a value of an input is a target. */
export const isNamed = (value: unknown): value is Environment | Domain =>
  isOfKind(value, 'environment') || isOfKind(value, 'domain');

/** Whether a value of an input is a site. */
export const isSite = (value: unknown): value is NamedSite => isOfKind(value, 'site');

const isOfKind = (value: unknown, kind: Named['kind']): boolean =>
  typeof value === 'object' && value !== null && 'kind' in value && 'id' in value && value.kind === kind;

/** What a field of that kind can name. */
export function namesOfKind(kind: Field['kind'], names: Names): readonly Named[] {
  if (kind === 'site') return sitesIn(names);
  return kind === 'domain' ? names.domains : names.environments;
}

const sites = new WeakMap<Names, readonly NamedSite[]>();

/** The sites of the environments that somebody may read, in their order. */
function sitesIn(names: Names): readonly NamedSite[] {
  const known = sites.get(names);
  if (known) return known;
  const found = new Map<string, NamedSite>();
  for (const { site } of names.environments) {
    if (site === undefined) continue;
    const id = site.id ?? site.name;
    if (!found.has(id)) found.set(id, { kind: 'site', id, name: site.name });
  }
  const all = [...found.values()];
  sites.set(names, all);
  return all;
}

function find(field: Field, typed: string, names: Names, parsed: ParsedCommand, name: string): Named {
  const all = namesOfKind(field.kind, names);
  const exact = searchIn(all).exact(typed);
  if (exact.length === 1 && exact[0]) return exact[0];
  const offer = (one: Named): Offer => offerOf(parsed, name, one);
  if (exact.length > 1)
    throw ambiguous(typed, exact, (one) => ({ ...offer(one), label: `${one.name} (…${one.id.slice(-4)})` }));
  const partial = searchIn(all).containing(typed, maxCandidates);
  if (partial.length > 0 && typed.length > 1) throw ambiguous(typed, partial, offer);
  const nearest = near(
    folded(typed),
    all.map((one) => folded(one.name)),
  );
  const meant = nearest.flatMap((close) => searchIn(all).exact(close)).slice(0, 3);
  throw unknownName(parsed, name, meant, names.trouble);
}

/**
 * What somebody is told of a name that is not there, or that is not theirs to read: the same words for both. With
 * `trouble` it may be there, and only the host does not tell.
 */
export function unknownName(
  parsed: ParsedCommand,
  name: string,
  meant: readonly Named[] = [],
  trouble?: Text,
): Refusal {
  const typed = parsed.given[name]?.[0] ?? '';
  const notLatin = /[^\p{ASCII}]/u.test(typed) ? ' It has letters that are not plain Latin ones.' : '';
  const kind = parsed.command.fields[name]?.kind ?? 'target';
  const word = code(typed.slice(0, 80));
  return new Refusal(
    trouble
      ? say`I can’t tell whether there is ${kind === 'environment' ? 'an' : 'a'} ${kind} ${word}. ${trouble} Nothing was done.`
      : say`I know no ${kind} ${word} that you may read.${notLatin} Nothing was done.`,
    {
      field: name,
      hint:
        meant.length > 0
          ? say`Did you mean ${joined(
              meant.map((one) => bold(one.name)),
              ' or ',
            )}?`
          : trouble
            ? 'Try again in a minute.'
            : say`${code('environments')} lists what you can name.`,
      offers: meant.map((one) => offerOf(parsed, name, one)),
    },
  );
}

/** One more than is offered: that there are others is said. */
const maxCandidates = 6;

function ambiguous(typed: string, candidates: readonly Named[], offer: (one: Named) => Offer): Refusal {
  const shown = candidates.slice(0, maxCandidates - 1);
  const more = candidates.length > shown.length ? ' or another' : '';
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
const offerOf = (parsed: ParsedCommand, name: string, one: Named): Offer => ({
  // What is pressed may be done at once: the name alone does not say what.
  label: (parsed.command.shape === 'action' ? `${parsed.command.button}: ${one.name}` : one.name).slice(0, 75),
  words: wordsOf(
    parsed.path,
    parsed.command.fields,
    (key) => (key === name ? [one.id] : (parsed.given[key] ?? [])),
    parsed,
  ),
});
