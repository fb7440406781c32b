import type { Field } from '../commands/kit/fields.ts';
import { toldApart } from '../commands/kit/told-apart.ts';
import { Refusal, type Offer } from '../base/errors.ts';
import type { Environment } from '../hosting/contract/target.ts';
import { say } from '../words/text.ts';
import { searchIn, type NamedItem } from './name-search.ts';
import type { ParsedCommand } from './parsed-command.ts';
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
  const others = new Map(found.map((one) => [one, siblingsOf(parsed, name, one, environments)]));
  const fitting = found.filter((one) => (others.get(one)?.size ?? 0) > 0);
  const candidates = fitting.length > 0 ? fitting : found;
  const nameOf = toldApart(candidates);
  const shown = candidates.slice(0, maxCandidates - 1);
  const names = [...shown.map(nameOf), ...(candidates.length > shown.length ? ['another'] : [])];
  const last = names.pop() ?? '';
  const [all, question] =
    names.length > 0 ? [`${names.join(', ')} or ${last}`, 'Which one?'] : [last, 'Is that the one?'];
  return new Refusal(say`**${typed.slice(0, 80)}** could be ${all}. ${question} Nothing was done.`, {
    offers: shown.map((one) => offerOf(parsed, name, one, nameOf(one), others.get(one))),
  });
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
  { command, given }: ParsedCommand,
  name: string,
  one: NamedItem,
  environments: readonly Environment[],
): ReadonlyMap<string, Environment> {
  const siteOf = ({ site }: Environment): string | undefined => site?.id ?? site?.name;
  const site = one.kind === 'environment' ? siteOf(one) : undefined;
  const ofSite =
    site === undefined ? [] : environments.filter((other) => siteOf(other) === site && other.id !== one.id);
  const isOther = ([key, field]: [string, Field]): boolean => key !== name && field.kind === 'environment';
  return new Map(
    Object.entries<Field>(command.fields)
      .filter(isOther)
      .flatMap(([key]) => {
        const [typed = '', ...more] = given[key] ?? [];
        const [found, another] = typed.length > 1 && more.length === 0 ? searchIn(ofSite).containing(typed, 2) : [];
        return found && another === undefined ? [[key, found]] : [];
      }),
  );
}
