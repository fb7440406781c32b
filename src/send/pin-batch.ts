import type { AnyAction } from '../commands/kit/action.ts';
import { counted } from '../commands/kit/page.ts';
import { Refusal } from '../base/errors.ts';
import { spokenDuration } from '../words/duration.ts';
import type { Environment } from '../hosting/contract/target.ts';
import { defaultBatchValidityMs } from '../policy/rules.ts';
import { joined, list, plain, say, type Inline, type Text } from '../words/text.ts';
import type { Authorized } from '../access/access-check.ts';
import { storedArgs } from '../language/resolve.ts';
import { windowOf } from '../language/schedule.ts';
import type { BatchItem } from '../change/batch.ts';
import { everythingLabel } from '../change/buttons.ts';
import { factsOf, pinnedCardOf, withFingerprint, type Pinned, type PinnedCard } from '../change/pin.ts';
import { toldApart } from '../words/similar-names.ts';

/** Turns the pinned changes of many environments into one: approvers see every call, in order. */

/** An environment where there is nothing to do, and why. */
export type NothingToDo = { readonly env: Environment; readonly why: Text };

type WithCanary = Authorized & Pick<Pinned, 'canaryUnchecked'>;

const maxNamed = 40;
const maxWarnings = 5;

/**
 * Freezes these as a batch; a single item stays an ordinary change. Throws `Refusal` if the action can't be done to
 * many environments with these fields, or is too long to be shown.
 */
export function pinBatch(authorized: WithCanary, action: AnyAction, items: readonly Pinned[]): Pinned {
  canaryIn(authorized, items);
  const [only, ...more] = items;
  if (only && more.length === 0) return { ...only, parsed: { ...authorized.parsed, canary: undefined } };
  const all = environmentsIn(items);
  const input = { ...authorized.input, [action.target]: { kind: 'environments', all, trouble: undefined } };
  const whole = withFingerprint({ items: items.map(itemOf) }, cardOfBatch({ ...authorized, input }, action, items));
  const none = { snapshot: null, preconditions: 'null' };
  return { ...authorized, input, each: items, alsoReads: all, ...none, action, ...whole, items };
}

/**
 * Facts about environments that the person may not change, or where there is nothing to do. They are not on the card,
 * because the submitted request names only the others.
 */
export const leftOutFacts = (
  notAllowed: readonly Environment[],
  nothingToDo: readonly NothingToDo[],
): PinnedCard['facts'] =>
  factsOf({
    'You may not change': notAllowed.length > 0 ? say`${namesOf(notAllowed)}: left out` : undefined,
    'Not possible there, or done already': nothingToDo.length > 0 ? reasonsOf(nothingToDo) : undefined,
  });

/** The same batch without some environments. Throws `Refusal` if none is left. */
export function withoutEnvironments(pinned: Pinned, ids: readonly string[]): Pinned {
  const { items = [] } = pinned;
  const isKept = ({ target }: Authorized): boolean => target?.kind !== 'environment' || !ids.includes(target.id);
  const kept = items.filter(isKept);
  if (kept.length === items.length) return pinned;
  if (kept.length === 0) throw new Refusal('Every environment was left out. Nothing was done.', { field: 'leave-out' });
  return pinBatch(pinned, pinned.action, kept);
}

/** The index of the item that goes first and alone; undefined: there is none. Throws `Refusal` if it was left out. */
export function canaryIn({ parsed: { canary } }: Authorized, items: readonly Authorized[]): number | undefined {
  if (canary === undefined) return undefined;
  const at = environmentsIn(items).findIndex(({ id }) => id === canary);
  if (at !== -1) return at;
  throw new Refusal('The canary itself would be left out. Nothing was done.', {
    field: 'leave-out',
    hint: 'Name another one with --canary, or leave --canary out.',
  });
}

/** The environment that goes first and alone, if one does. Throws as `canaryIn`. */
export const canaryOf = (authorized: Authorized, items: readonly Authorized[]): Environment | undefined =>
  environmentsIn(items)[canaryIn(authorized, items) ?? -1];

/** The environments of these items, in order. */
export const environmentsIn = (items: readonly Authorized[]): readonly Environment[] =>
  items.flatMap(({ target }) => (target?.kind === 'environment' ? [target] : []));

function itemOf(pinned: Pinned): BatchItem {
  const { target, snapshot, preconditions, call, card, fingerprint } = pinned;
  if (target?.kind !== 'environment') throw new Error('a batch is about environments');
  const args = storedArgs({ ...pinned, parsed: { ...pinned.parsed, canary: undefined } });
  return { target, args, snapshot: JSON.stringify(snapshot ?? null), preconditions, call, card, fingerprint };
}

function cardOfBatch(authorized: WithCanary, action: AnyAction, items: readonly Pinned[]): PinnedCard {
  const { input, authorization, canaryUnchecked: why } = authorized;
  const all = environmentsIn(items);
  const canary = canaryOf(authorized, items);
  const where = counted(all.length, 'environment');
  const words = action.batch?.({ input, where });
  if (words === undefined) throw new Error('this action is for one environment at a time');
  if ('says' in words) throw new Refusal(words.says, words);
  const cards = items.map(pinnedCardOf);
  const same = sharedFacts(cards);
  const warning = warningsOf(cards, all);
  const then = why
    ? say`then it stops, unless its site can be checked by then: now it can't, because ${why}. **Go on** lets the others follow`
    : say`the others follow once its site is known to be well`;
  const first = canary && say`${toldApart(all)(canary)}; ${then}`;
  const validity = spokenDuration(authorization.batchValidity ?? defaultBatchValidityMs);
  const facts = [
    ...factsOf({ 'Goes first, alone': first }),
    ...liveFacts(all),
    ...same,
    ...factsOf({ 'Not the same everywhere': otherFacts(cards, same), 'Stops after': validity }),
  ];
  const schedule = windowOf(authorized.parsed);
  return { title: words.title, done: words.done, ...(warning && { warning }), facts, ...(schedule && { schedule }) };
}

/** Facts about which environments are live: how many, and their names. */
export function liveFacts(all: readonly Environment[]): PinnedCard['facts'] {
  const live = all.filter((env) => env.live);
  const others = all.filter((env) => !env.live);
  return factsOf({
    Live: live.length > 0 ? namesOf(live, all) : 'none of them',
    'Not live': others.length > 0 ? namesOf(others, all) : undefined,
  });
}

/** How many, and their names. */
const namesOf = (some: readonly Environment[], all = some): Text => [
  { text: `${some.length} · ` },
  list(some.map(toldApart(all)), maxNamed),
];

function reasonsOf(all: readonly NothingToDo[]): Text {
  const nameOf = toldApart(all.map(({ env }) => env));
  return [
    { text: `${all.length}, left out: ` },
    list(
      all.map(({ env, why }) => `${nameOf(env)}: ${plain(why).replace(/ Nothing was (?:done|changed)\.$/, '')}`),
      5,
      undefined,
      '\n',
    ),
  ];
}

/** The facts that are the same for all items. */
function sharedFacts(cards: readonly PinnedCard[]): PinnedCard['facts'] {
  const [first] = cards;
  const isEverywhere = (fact: string): boolean =>
    cards.every(({ facts }) => facts.some((one) => JSON.stringify(one) === fact));
  return first?.facts.filter((fact) => isEverywhere(JSON.stringify(fact))) ?? [];
}

/** The labels of the facts that are not the `same` for all items. */
function otherFacts(cards: readonly PinnedCard[], same: PinnedCard['facts']): Text | undefined {
  const labels = new Set(cards.flatMap(({ facts }) => facts.map(([label]) => label)));
  for (const [label] of same) labels.delete(label);
  if (labels.size === 0) return undefined;
  return say`${[...labels].join(', ')}: “${everythingLabel}” has them one by one`;
}

/** The warning that all items have, or each warning with its environments. */
function warningsOf(cards: readonly PinnedCard[], all: readonly Environment[]): Text | undefined {
  const names = all.map(toldApart(all));
  const warned = cards.flatMap(({ warning }, at) => (warning ? [{ warning, name: names[at] ?? '' }] : []));
  const kinds = [...Map.groupBy(warned, ({ warning }) => JSON.stringify(warning)).values()];
  const lines: readonly Inline[] = kinds.slice(0, maxWarnings).flatMap((those) => {
    const [first] = those;
    if (first === undefined) return [];
    if (those.length === cards.length) return [first.warning];
    const names = those.map(({ name }) => name);
    return [
      joined([
        say`**${names.slice(0, 3).join(', ')}${names.length > 3 ? ` and ${names.length - 3} more` : ''}:**`,
        first.warning,
      ]),
    ];
  });
  const more = kinds.length - lines.length;
  if (lines.length === 0) return undefined;
  return joined([...lines, more > 0 ? `${more} more warnings are in “${everythingLabel}”.` : undefined], '\n');
}
