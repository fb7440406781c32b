import type { Environment, NamedSite } from '../hosting/contract/target.ts';
import { parseStored } from '../storage/parse-json.ts';
import type { Digest } from '../storage/waiting.ts';
import { say, type Text } from '../words/text.ts';
import type { Person } from '../access/access-check.ts';
import { mayHear } from '../access/assert-channel.ts';
import { isDirect } from '../access/direct-messages.ts';
import { groupsToWatch, mayWatch } from '../access/may-watch.ts';
import { listingMs } from '../change/recheck.ts';
import { environmentsOfSite, type KnownNames } from '../language/resolve.ts';
import type { SendContext } from '../send/context.ts';
import { channelStanding, environmentsThen, heldWhileRulesDiffer, type WatchStanding } from './watch-standing.ts';

/** The most environments of one digest. */
export const maxDigestEnvironments = 50;

/** What a digest is about. A site stands for the environments that it has when the digest is sent. */
export type DigestScope = { readonly sites: readonly NamedSite[]; readonly environments: readonly Environment[] };

export function digestScope(digest: Pick<Digest, 'targets' | 'sites'>): DigestScope {
  const sites = parseStored<DigestScope['sites']>(digest.sites);
  const ids = new Set(sites.map(({ id }) => id));
  const named = environmentsThen(digest).filter(({ site }) => !ids.has(site?.id ?? site?.name ?? ''));
  return { sites, environments: named };
}

export const namesIn = ({ sites, environments }: DigestScope): readonly string[] =>
  [...sites, ...environments].map(({ name }) => name);

/** What of a digest these environments belong to, by its present names. */
const coveredNames = ({ sites }: DigestScope, envs: readonly Environment[]): readonly string[] => {
  const ids = new Set(sites.map(({ id }) => id));
  return [...new Set(envs.map(({ site, name }) => (site && ids.has(site.id ?? site.name) ? site.name : name)))];
};

/** The environments that the host lists now, and the names that it doesn't list. */
export function listedIn({ sites, environments }: DigestScope, names: KnownNames) {
  const ofSites = sites.map((site) => ({ name: site.name, found: environmentsOfSite(names, site.id) }));
  const named = environments.map(({ id, name }) => ({
    name,
    found: names.environments.filter((one) => one.id === id),
  }));
  const all = [...ofSites, ...named];
  return {
    envs: all.flatMap(({ found }) => found),
    missing: all.filter(({ found }) => found.length === 0).map(({ name }) => name),
  };
}

/** Whether a digest may be sent now, about which environments, and what it leaves out. */
export type DigestStanding =
  | {
      readonly kind: 'may';
      readonly owner: Person;
      readonly envs: readonly Environment[];
      /** The names of what it covers. */
      readonly about: readonly string[];
      /** Names that the host does not list, of what the owner may read and the channel may hear of. */
      readonly missing: readonly string[];
      /** How many environments the owner may not read, and how many exceed the limit. */
      readonly hidden: number;
      readonly tooMany: number;
      /** Why the host's list of sites may be incomplete. */
      readonly trouble: Text | undefined;
    }
  | Exclude<WatchStanding, { readonly kind: 'may' }>;

/** Checks the owner's present rights, the environments and the channel. */
export const digestStanding = async (context: SendContext, digest: Digest): Promise<DigestStanding> =>
  heldWhileRulesDiffer(context, await standingByOwnRules(context, digest));

async function standingByOwnRules(context: SendContext, digest: Digest): Promise<DigestStanding> {
  const { policy } = context;
  const owner = await context.personOf(digest.requester, groupsToWatch(policy(), 'digest'));
  if (owner === undefined) return { kind: 'later', why: say`Slack doesn't tell me right now who may read it.` };
  if (owner.standing !== 'member') return lost(digest, 'may no longer use Sitehand');
  const scope = digestScope(digest);
  await context.freshenNames(listingMs);
  const names = context.names(undefined);
  const { envs, missing } = listedIn(scope, names);
  if (envs.length === 0) return { kind: 'later', why: say`The host doesn't list any of it right now.` };
  const rights = envs.map((env) => ({ env, may: mayWatch(policy(), owner, env, 'digest') }));
  const groups = rights.flatMap(({ may }) => (may === 'yes' || may === 'no' ? [] : may));
  const allowed = rights.filter(({ may }) => may === 'yes').map(({ env }) => env);
  if (groups.length === 0 && allowed.length === 0) return lost(digest, 'is no longer allowed to read it');
  const shown = allowed.slice(0, maxDigestEnvironments);
  const inTheWay = isDirect(digest.channel) ? undefined : await channelStanding(context, digest, shown);
  if (inTheWay) return inTheWay;
  if (groups.length > 0) return { kind: 'unsure', groups: [...new Set(groups)] };
  const hidden = envs.length - allowed.length;
  const mayName = (name: string): boolean => {
    const then = environmentsThen(digest).filter((env) => env.name === name || env.site?.name === name);
    const mayTell = isDirect(digest.channel) || mayHear(policy(), digest.channel, then);
    return mayTell && then.every((env) => mayWatch(policy(), owner, env, 'digest') === 'yes');
  };
  return {
    kind: 'may',
    owner,
    envs: shown,
    about: coveredNames(scope, shown),
    missing: missing.filter(mayName),
    hidden,
    tooMany: allowed.length - shown.length,
    trouble: names.trouble,
  };
}

const lost = ({ requester_name: name }: Digest, what: string): DigestStanding => ({
  kind: 'lost',
  reason: 'not_allowed',
  why: say`${name} ${what}.`,
});
