import { isName } from '../commands/kit/action.ts';
import type { Field, NameKind, PlainField } from '../commands/kit/fields.ts';
import type { Command } from '../commands/index.ts';
import { listOf } from './fill-plain.ts';
import { take, type Filling } from './filling.ts';
import { takesMany } from './resolve.ts';
import { isDestructive } from './whole.ts';
import type { Thing } from './plain-things.ts';

/** Fills the fields that name an environment, a domain or a site. */

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
