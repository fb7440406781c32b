import { toldApart } from '../words/similar-names.ts';
import { age, counted, listOr, type Page } from '../commands/kit/page.ts';
import { troubleText } from '../hosting/host-trouble.ts';
import type { Asking } from '../decide/admin-actions.ts';
import type { Domain, Environment, Site, Target } from '../hosting/contract/target.ts';
import { code, joined, list, say, time, type Text } from '../words/text.ts';
import type { PipelineContext } from './context.ts';

/** More would fill a phone's screen. */
const maxDomains = 4;
/** A longer file would not be kept. */
const maxSheet = 2_000;

/** What one person may list. */
type ListedNames = {
  readonly environments: readonly Environment[];
  readonly domains: readonly Domain[];
  /** For which environment a domain of this name is, where the host says so. */
  readonly domainHomes: readonly { readonly name: string; readonly environmentId: string }[];
  /** When the host listed them, epoch ms. */
  readonly at: number | undefined;
  /** Whether the host has listed environments at all. */
  readonly isListed: boolean;
  readonly trouble: Text | undefined;
};

/** What this person may list, and which of their environments a domain is for, as far as the host says so. */
export function namesFor(context: PipelineContext, { person, sight }: Asking): ListedNames {
  const { at, trouble, environmentsReadAt, environmentDomains } = context.listing();
  const { environments, domains } = context.names(person);
  const isListed = (target: Target): boolean => sight.may('environments', target) === 'yes';
  const mine = { environments: environments.filter(isListed), domains: domains.filter(isListed) };
  const ids = new Set(mine.environments.map(({ id }) => id));
  return {
    ...mine,
    domainHomes: environmentDomains.filter(({ environmentId }) => ids.has(environmentId)),
    at,
    isListed: environmentsReadAt !== undefined,
    trouble: trouble && troubleText(trouble),
  };
}

/** Environments first, each with its domains. Ids are long and seldom needed: only a search and the file show them. */
export function environmentsPage(names: ListedNames, search: string | undefined, now: number): Page {
  const { at, trouble, isListed } = names;
  const wanted = (search ?? '').toLowerCase();
  const rows = rowsOf(names).filter((row) => fits(row, wanted));
  const lines = wanted === '' ? rows.filter(({ kind, home }) => kind === 'environment' || home === undefined) : rows;
  const isUnlisted = !isListed && names.environments.length === 0;
  const counts = (['environment', 'domain'] as const).flatMap((kind) => {
    const number = rows.filter((row) => row.kind === kind).length;
    return number > 0 ? [counted(number, kind)] : [];
  });
  const found = counts.length > 0 ? counts.join(', ') : 'none';
  const unknown = "I don't know the sites right now";
  const amount = !isUnlisted ? found : rows.length > 0 ? `${found}; ${unknown}` : unknown;
  return {
    title: say`**Environments and domains**${wanted ? ` with “${wanted}”` : ''} · ${amount}`,
    parts: listOr(
      (isUnlisted && trouble) || 'I found nothing with that name among what you can see.',
      lines.filter(({ kind }) => kind !== 'site' || wanted !== '').map((row) => lineOf(row, wanted !== '')),
    ),
    ...(rows.length > 1 && rows.length <= maxSheet && { sheet: sheetOf(rows) }),
    source: at === undefined ? (rows.length > 0 ? trouble : undefined) : listedText(at, now, trouble),
  };
}

type Row = {
  readonly kind: 'environment' | 'domain' | 'site';
  readonly name: string;
  readonly id: string;
  /** Of an environment. */
  readonly env?: Environment;
  readonly domains: readonly string[];
  /** Of a domain: the environments that it is for; undefined: the host does not say, or this person can't see them. */
  readonly home?: string | undefined;
  /** Of a domain. */
  readonly site?: string | undefined;
};

/** Environments, then domains, then sites. A domain is for an environment only if the host says so. */
function rowsOf({ environments, domains, domainHomes }: ListedNames): readonly Row[] {
  const homes = Map.groupBy(domainHomes, ({ name }) => name.toLowerCase());
  const inHome = Map.groupBy(
    domains.flatMap(({ name }) =>
      (homes.get(name.toLowerCase()) ?? []).map(({ environmentId }) => ({ name, environmentId })),
    ),
    ({ environmentId }) => environmentId,
  );
  const nameOf = toldApart(environments);
  const namesOf = new Map(environments.map((env) => [env.id, nameOf(env)]));
  const homeOf = (domain: string): string | undefined =>
    (homes.get(domain.toLowerCase()) ?? [])
      .flatMap(({ environmentId }) => namesOf.get(environmentId) ?? [])
      .join(', ') || undefined;
  const sites = sitesOf(environments);
  const siteOf = toldApart(sites);
  const domainOf = toldApart(domains);
  return [
    ...environments.map((env) => ({
      kind: 'environment' as const,
      name: nameOf(env),
      id: env.id,
      env,
      domains: (inHome.get(env.id) ?? []).map(({ name }) => name),
    })),
    ...domains.map((domain) => ({
      kind: 'domain' as const,
      name: domainOf(domain),
      id: domain.id,
      domains: [],
      home: homeOf(domain.name),
      site: domain.site && siteOf(asSite(domain.site)),
    })),
    ...sites.map((site) => ({ kind: 'site' as const, name: siteOf(site), id: site.id, domains: [] })),
  ];
}

/** A site without an id is known by its name alone. */
const asSite = ({ id = '', name }: Site): { readonly id: string; readonly name: string } => ({ id, name });

/** Each site once. */
const sitesOf = (environments: readonly Environment[]) => [
  ...new Map(
    environments.flatMap(({ site }) => (site ? [[`${site.id}/${site.name}`, asSite(site)] as const] : [])),
  ).values(),
];

const fits = ({ name, id, domains }: Row, wanted: string): boolean =>
  [name, ...domains].some((one) => one.toLowerCase().includes(wanted)) || id === wanted;

const belongsTo = ({ home, site }: Row): string | undefined => home ?? site;

function lineOf(row: Row, withId: boolean): Text {
  const { kind, name, id, env, domains } = row;
  const of = belongsTo(row);
  const facts = [
    env?.live ? 'live' : undefined,
    kind === 'site' ? 'site' : kind === 'domain' ? `domain${of === undefined ? '' : ` of ${of}`}` : undefined,
    domains.length > 0 ? list(domains, maxDomains) : undefined,
    withId && id !== '' ? code(id) : undefined,
  ];
  return joined([say`**${name}**`, ...facts], ' · ');
}

const sheetOf = (rows: readonly Row[]): NonNullable<Page['sheet']> => ({
  name: 'environments-and-domains.csv',
  columns: ['name', 'kind', 'live', 'of', 'domains', 'id'],
  rows: rows.map((row) =>
    [
      row.name,
      row.kind,
      row.env === undefined ? '' : row.env.live ? 'yes' : 'no',
      belongsTo(row) ?? '',
      row.domains.join(', '),
      row.id,
    ].map((text): Text => [{ text }]),
  ),
});

/** When the host listed them last: while it is in trouble, the moment instead of how long ago. */
const listedText = (at: number, now: number, trouble: Text | undefined): Text =>
  trouble ? say`last listed by the host ${time(at, 'date')}; ${trouble}` : say`listed by the host ${age(now - at)}`;
