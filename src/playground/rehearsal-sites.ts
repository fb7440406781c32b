import { furtherId } from './hosting/seed/ids.ts';
import { type Plan, defaultPlan } from './hosting/seed/plan.ts';

/** The sites that a policy names; names may contain `*`. */
export type NamedTargets = {
  /** The entries of `live` and of every `where`. */
  readonly targets: readonly string[];
  /** The sites of the channels. */
  readonly sites: readonly string[];
  readonly pinnedEnvironments: readonly { readonly id: string; readonly site: string; readonly name: string }[];
  readonly pinnedSites: readonly {
    readonly id: string;
    readonly name: string;
    readonly environments: readonly string[];
  }[];
};

type Draft = { id: string | undefined; readonly name: string; readonly environments: Map<string, Drafted> };
type Drafted = { readonly id: string | undefined; readonly name: string };

const USUAL = ['live', 'staging'];
/** Names for environments that are pinned by id alone, in this order. */
const NAMES = [...USUAL, 'preview', 'testing'];

/** The default sites, plus as many as it takes for every entry to match one and every pinned id to exist. */
export function planFor(named: NamedTargets): Plan {
  const drafts = new Map(defaultPlan.sites.map((site) => [site.name, draftOf(site.name, site.id, site.environments)]));
  pin(named, drafts);
  const targets = named.targets.filter((one) => one.includes('/')).map(pairOf);
  for (const site of [...targets.map((target) => target.site), ...named.sites]) {
    if (matching(drafts, site).length === 0) draftNamed(drafts, filled(site));
  }
  for (const { site, environment } of targets) {
    for (const { environments } of matching(drafts, site)) {
      if ([...environments.keys()].some((name) => fits(environment, name))) continue;
      environments.set(fold(filled(environment)), { id: undefined, name: filled(environment) });
    }
  }
  return {
    sites: numbered([...drafts.values()]),
    domains: named.targets.flatMap((target) => domainFor(target) ?? []),
  };
}

/** Adds pinned sites and environments. A pinned environment without a name gets the next free name of its site. */
function pin({ pinnedEnvironments, pinnedSites }: NamedTargets, drafts: Map<string, Draft>): void {
  const known = new Set(
    defaultPlan.sites.flatMap(({ id, environments }) => [id, ...environments.map((one) => one.id)]),
  );
  for (const { id, site, name } of pinnedEnvironments) {
    // A pin on a default environment only renames it.
    if (known.has(id.toLowerCase())) continue;
    draftNamed(drafts, site).environments.set(fold(name), { id: id.toLowerCase(), name });
  }
  const pinned = new Set(pinnedEnvironments.map(({ id }) => id.toLowerCase()));
  const placed = new Set([...known, ...pinned]);
  for (const { id, name, environments } of pinnedSites) {
    if (known.has(id.toLowerCase())) continue;
    const draft = draftNamed(drafts, name);
    draft.id = id.toLowerCase();
    const given = new Set(
      [...draft.environments.values()].filter((one) => pinned.has(one.id ?? '')).map((one) => one.name),
    );
    for (const environment of environments.map((one) => one.toLowerCase())) {
      if (placed.has(environment)) continue;
      const free = NAMES.find((one) => !given.has(one)) ?? `environment-${given.size + 1}`;
      given.add(free);
      placed.add(environment);
      draft.environments.set(free, { id: environment, name: free });
    }
  }
}

const draftOf = (name: string, id: string | undefined, environments: readonly Drafted[]): Draft => ({
  id,
  name,
  environments: new Map(environments.map((one) => [fold(one.name), one])),
});

/** The site of this name, created with the default environments if needed. */
function draftNamed(drafts: Map<string, Draft>, name: string): Draft {
  const usual = USUAL.map((one) => ({ id: undefined, name: one }));
  const draft = drafts.get(fold(name)) ?? draftOf(name, undefined, usual);
  drafts.set(fold(name), draft);
  return draft;
}

function numbered(drafts: readonly Draft[]): Plan['sites'] {
  const counts = { site: 0, environment: 0 };
  const next = (what: 'site' | 'environment'): string => furtherId(what, (counts[what] += 1));
  return drafts.map(({ id, name, environments }) => ({
    id: id ?? next('site'),
    name,
    environments: [...environments.values()].map((one) => ({ id: one.id ?? next('environment'), name: one.name })),
  }));
}

function pairOf(target: string): { readonly site: string; readonly environment: string } {
  const [site = '', environment = ''] = target.split('/');
  return { site, environment };
}

const matching = (drafts: ReadonlyMap<string, Draft>, site: string): readonly Draft[] =>
  [...drafts].filter(([name]) => fits(site, name)).map(([, draft]) => draft);

/** Folds names the way the rules compare them. */
const fold = (name: string): string => name.normalize('NFKC').toLowerCase();

/** Whether a folded name matches a pattern with `*`. */
function fits(pattern: string, name: string): boolean {
  const [head = '', ...rest] = fold(pattern).split('*');
  const tail = rest.pop();
  if (tail === undefined) return name === head;
  if (!name.startsWith(head)) return false;
  let from = head.length;
  for (const piece of rest) {
    const found = name.indexOf(piece, from);
    if (found < 0) return false;
    from = found + piece.length;
  }
  return name.length - tail.length >= from && name.endsWith(tail);
}

/** A name that matches a pattern: `brand-*` becomes `brand-one`. */
function filled(pattern: string): string {
  const joint = (character: string): string => (/[\p{L}\p{N}]/u.test(character) ? '-' : '');
  return pattern.replaceAll(/(.?)\*(?=(.?))/gu, (_, before: string, after: string) =>
    [before, joint(before), 'one', joint(after)].join(''),
  );
}

function domainFor(target: string): string | undefined {
  const [, name = '*'] = /^domain:(?:\*\.(?=.))?(.+)$/.exec(target) ?? [];
  if (name === '*') return undefined;
  return target.startsWith('domain:*.') ? `shop.${name.toLowerCase()}` : name.toLowerCase();
}
