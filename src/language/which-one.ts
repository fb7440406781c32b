import type { Field } from '../commands/kit/fields.ts';
import { toldApart } from '../words/similar-names.ts';
import { changesSomething } from '../commands/index.ts';
import { Refusal, type Offer } from '../base/errors.ts';
import type { Environment } from '../hosting/contract/target.ts';
import { say } from '../words/text.ts';
import { searchIn, type NamedItem } from './name-search.ts';
import type { ParsedCommand } from './bind-arguments.ts';
import { argsOf } from './usage.ts';

/** Asks which one is meant by a name that several have, with a button for each. */

/** One more than is offered, to know whether to say *or another*. */
export const maxCandidates = 6;

export function whichOne(
  typed: string,
  found: readonly NamedItem[],
  parsed: ParsedCommand,
  name: string,
  environments: readonly Environment[],
): Refusal {
  const fitting = found.filter(besideOthers(parsed, name, environments));
  const candidates = (fitting.length > 0 ? fitting : found).slice(0, maxCandidates);
  const nameOf = toldApart(candidates);
  const shown = candidates.slice(0, maxCandidates - 1);
  const names = [...shown.map(nameOf), ...(candidates.length > shown.length ? ['another'] : [])];
  const last = names.pop() ?? '';
  const [all, question] =
    names.length > 0 ? [`${names.join(', ')} or ${last}`, 'Which one?'] : [last, 'Is that the one?'];
  return new Refusal(say`**${typed.slice(0, 80)}** could be ${all}. ${question} Nothing was done.`, {
    offers: shown.map((one) =>
      inForm(parsed, offerOf(parsed, name, one, nameOf(one), siblingsOf(parsed, name, one, environments))),
    ),
  });
}

/** A button that runs no write of which a part was not typed: it opens the form. */
export const inForm = ({ command }: ParsedCommand, offer: Offer): Offer =>
  changesSomething(command) ? { ...offer, opens: 'form' } : offer;

const siteOf = (one: NamedItem): string | undefined =>
  one.kind === 'environment' ? (one.site?.id ?? one.site?.name) : undefined;

/** The words for each other environment of the command. */
const othersIn = ({ command, given }: ParsedCommand, name: string): readonly (readonly [string, string])[] =>
  Object.entries<Field>(command.fields).flatMap(([key, field]) => {
    const [typed = '', ...more] = given[key] ?? [];
    const isOther = key !== name && field.kind === 'environment' && typed.length > 1 && more.length === 0;
    return isOther ? [[key, typed] as const] : [];
  });

/** Whether a site has this one and what each other name may mean. */
function besideOthers(
  parsed: ParsedCommand,
  name: string,
  environments: readonly Environment[],
): (one: NamedItem) => boolean {
  const search = searchIn(environments);
  const others = othersIn(parsed, name).map(([, typed]) => {
    const exact = search.exact(typed);
    const may = exact.length > 0 ? exact : search.containing(typed, environments.length);
    return Map.groupBy(may, siteOf);
  });
  return (one) => others.length > 0 && others.every((by) => by.get(siteOf(one))?.some(({ id }) => id !== one.id));
}

/** The same command, with an id for one of its names, and for those `others`. */
export function offerOf(
  parsed: ParsedCommand,
  name: string,
  one: NamedItem,
  shown: string,
  others: ReadonlyMap<string, NamedItem> = new Map(),
): Offer {
  const { command, path, given } = parsed;
  const names = Object.keys(command.fields).flatMap((key) => (key === name ? shown : (others.get(key)?.name ?? [])));
  const idOf = (key: string): string | undefined => (key === name ? one : others.get(key))?.id;
  return {
    // A click may run it at once, so the label also says what it does.
    label: command.shape === 'action' ? `${command.button}: ${names.join(' → ')}` : shown,
    args: argsOf(path, command.fields, (key) => [idOf(key) ?? given[key] ?? []].flat(), parsed),
  };
}

/** For each other name of the command, the only environment of the same site that it may mean. */
function siblingsOf(
  parsed: ParsedCommand,
  name: string,
  one: NamedItem,
  environments: readonly Environment[],
): ReadonlyMap<string, Environment> {
  const site = siteOf(one);
  const ofSite = environments.filter((other) => site !== undefined && siteOf(other) === site && other.id !== one.id);
  return new Map(
    othersIn(parsed, name).flatMap(([key, typed]) => {
      const [found, another] = searchIn(ofSite).exact(typed).concat(searchIn(ofSite).containing(typed, 2));
      return found && (another === undefined || another === found) ? [[key, found]] : [];
    }),
  );
}
