import { cached } from '../base/caches.ts';
import { didYouMean, near } from '../words/similar-names.ts';
import { Refusal } from '../base/errors.ts';
import type { Environment, Environments } from '../hosting/contract/target.ts';
import {
  comparableName,
  coversFolded,
  readPattern,
  foldNames,
  type Pattern,
  type FoldedNames,
} from '../policy/pattern.ts';
import { amount, code, say, typed, type Text } from '../words/text.ts';
import { searchIn } from './name-search.ts';

// `acme-*/live`, `a/live, b/live`, `set:care-plan`, `set:care-plan except a/live`: several environments named together.
// If any part can't be read, all of it is refused, so that it means neither fewer nor more.

/** The names and sets that a person may use. */
export type EnvironmentNames = {
  readonly environments: readonly Environment[];
  /** The sets of the policy: name → what it covers. */
  readonly sets?: ReadonlyMap<string, readonly Pattern[]>;
  /** Why names may be missing: the host could not list all of them, or Slack did not say who may read them. */
  readonly trouble?: Text | undefined;
};

/** The most environments that one command can be about. */
export const maxNamedTogether = 200;
/** The most patterns and sets in one command, because each is compared with all environments. */
const maxPatterns = 20;

const except = /(?:^|\s+)except(?:\s+|$)/i;

/** Whether these words name several environments, or try to. False for the name of one, whatever characters it has. */
export const namesMany = (words: readonly string[]): boolean => {
  const text = words.join(' ');
  return /[*,]|^set:/i.test(text) || except.test(text);
};

/** Whether the words have a set or a `*`, so that they don't spell out every environment. */
export const isOpen = (words: readonly string[]): boolean => /\*|(?:^|[\s,])set:/i.test(words.join(' '));

/** The environments that the words name, out of those that the person can see. Throws `Refusal` about the whole. */
export function environmentsNamed(words: readonly string[], names: EnvironmentNames): Environments {
  const [included = [], ...excluded] = words
    .join(' ')
    .trim()
    .split(except)
    .map((terms) => terms.split(',').map((term) => term.trim()));
  const terms = [...new Set([...included, ...excluded.flat()])];
  if (terms.includes(''))
    throw new Refusal(say`A name is missing before or after a comma or ${code('except')}. Nothing was done.`);
  if (terms.filter((term) => /^set:|\*/i.test(term)).length > maxPatterns)
    throw new Refusal(`One command takes at most ${maxPatterns} sets and names with a *. Nothing was done.`);
  const named = new Set(included.flatMap((term) => matching(term, names, 'allow')));
  const left = new Set(excluded.flat().flatMap((term) => matching(term, names, 'deny')));
  return limited(
    names.environments.filter((one) => named.has(one) && !left.has(one)),
    isOpen(terms) ? names : { ...names, trouble: undefined },
    say`Nothing is left of that after ${code('except')}.`,
  );
}

/** Everything that the person can see. Throws `Refusal` if that is nothing, or too many for one command. */
export const everything = (names: EnvironmentNames): Environments =>
  limited(names.environments, names, say`I can't find any environment that you can see.`);

function limited(all: readonly Environment[], { trouble }: EnvironmentNames, none: Text): Environments {
  if (all.length === 0) throw notMatched(none, trouble);
  if (all.length > maxNamedTogether)
    throw new Refusal(
      say`These are ${amount(all.length)} environments, and one command takes at most ${maxNamedTogether}. Nothing was done.`,
      { hint: say`Name fewer of them, as in ${code('acme-*/live')}.` },
    );
  return { kind: 'environments', all, trouble };
}

/** The environments of one name, pattern or set; at least one. For exclusions (`deny`), an unknown match is a match. */
function matching(term: string, names: EnvironmentNames, effect: 'allow' | 'deny'): readonly Environment[] {
  const set = /^set:\s*(.*)$/i.exec(term)?.[1];
  if (set === undefined && !term.includes('*')) return exactly(term, names);
  const patterns = set === undefined ? [patternOf(term)] : (names.sets?.get(comparableName(set)) ?? []);
  const found = covered(patterns, names, 'allow');
  if (found.length === 0) throw set === undefined ? unknownName(term, names) : unknownSet(set, names);
  return effect === 'allow' ? found : covered(patterns, names, effect);
}

function patternOf(term: string): Pattern {
  const pattern = readPattern(term);
  if (typeof pattern !== 'string' && pattern.kind === 'environment') return pattern;
  if (!term.includes('/'))
    throw new Refusal(say`${code(term.slice(0, 80))} names no environment. Nothing was done.`, {
      hint: say`Write it like ${code('acme-*/live')}, or ${code('acme-*/*')} for all of a site.`,
    });
  const why = typeof pattern === 'string' ? pattern : 'expected site/environment';
  throw new Refusal(say`${code(term.slice(0, 80))} is not a name with a *: ${why}. Nothing was done.`, {
    hint: say`Write it like ${code('acme-*/live')}.`,
  });
}

function exactly(term: string, names: EnvironmentNames): readonly Environment[] {
  const found = searchIn(names.environments)
    .exact(term)
    .filter((one) => one.kind === 'environment');
  if (found.length === 1) return found;
  if (found.length === 0) throw unknownName(term, names);
  throw new Refusal(say`${code(term.slice(0, 80))} can be more than one environment. Nothing was done.`, {
    hint: say`Use its id; ${typed('environments')} lists it.`,
  });
}

const unknownName = (term: string, { trouble }: EnvironmentNames): Refusal =>
  notMatched(say`I can't find ${code(term.slice(0, 80))} among the environments you can see.`, trouble);

/** A set of which the person can see nothing is refused like one that does not exist. */
function unknownSet(set: string, names: EnvironmentNames): Refusal {
  const sets = names.sets ?? new Map<string, readonly Pattern[]>();
  const meant = near(comparableName(set).slice(0, 40), [...sets.keys()]).find(
    (name) => covered(sets.get(name) ?? [], names, 'allow').length > 0,
  );
  return notMatched(
    say`I can't find ${code(`set:${set.slice(0, 40)}`)} with environments you can see.`,
    names.trouble,
    meant === undefined ? undefined : didYouMean([code(`set:${meant}`)]),
  );
}

/** The refusal if nothing matches, or if matches may be missing (`trouble`). */
const notMatched = (says: Text, trouble: Text | undefined, meant?: Text): Refusal =>
  trouble
    ? new Refusal(say`I can't tell right now which environments that means. ${trouble} Nothing was done.`, {
        hint: 'Try again in a minute.',
        isLater: true,
      })
    : new Refusal(say`${says} Nothing was done.`, {
        hint: meant ?? say`${typed('environments')} lists what you can name.`,
      });

const spelled = cached((all: readonly Environment[]): readonly FoldedNames[] => all.map(foldNames));

function covered(
  patterns: readonly Pattern[],
  { environments }: EnvironmentNames,
  effect: 'allow' | 'deny',
): readonly Environment[] {
  const all = spelled(environments);
  return environments.filter((_, at) => {
    const one = all[at];
    return one !== undefined && patterns.some((pattern) => coversFolded(pattern, one, effect));
  });
}
