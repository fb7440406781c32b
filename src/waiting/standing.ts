import { parseStored } from '../storage/parse-json.ts';
import type { Environment, NamedSite } from '../hosting/contract/target.ts';
import { channelRule } from '../policy/rules.ts';
import type { Digest, Watch } from '../storage/waiting.ts';
import { say, type Text } from '../words/text.ts';
import { isDirect, mayHear } from '../access/assert-channel.ts';
import { groupsToWatch, mayWatch } from '../access/visibility.ts';
import { listingMs } from '../change/recheck.ts';
import type { ChannelLook } from '../post/messenger.ts';
import type { SendContext } from '../send/context.ts';
import type { Person } from '../access/access-check.ts';
import { environmentsOfSite, type KnownNames } from '../language/resolve.ts';

/** Whether a watch or a digest may read and tell now. */

/**
 * Whether a watch may read and tell now. `later`: something couldn't be checked. `unsure`: it depends on Slack user
 * groups whose members are unknown. `lost`: it no longer may.
 */
export type WatchStanding =
  | { readonly kind: 'may'; readonly env: Environment }
  | { readonly kind: 'later'; readonly why: Text }
  | { readonly kind: 'unsure'; readonly groups: readonly string[] }
  | { readonly kind: 'lost'; readonly reason: 'not_allowed' | 'gone' | 'no_channel'; readonly why: Text };

const later = (why: Text) => ({ kind: 'later', why }) as const;
const notAllowed = (why: Text): WatchStanding => ({ kind: 'lost', reason: 'not_allowed', why });
const noChannel = (why: Text) => ({ kind: 'lost', reason: 'no_channel', why }) as const;

/** The environment of a watch, or those of a digest, as they were when it was started. */
export const environmentsThen = ({ targets }: Pick<Watch | Digest, 'targets'>): readonly Environment[] =>
  parseStored(targets);

/** The environment of a watch as it was when the watch was started. */
export function storedEnvironment(watch: Watch): Environment {
  const [env] = environmentsThen(watch);
  if (env === undefined) throw new Error(`watch ${watch.id} is about no environment`);
  return env;
}

/** While replicas go by different rules, none of them ends a watch. */
const heldWhileRulesDiffer = <Standing extends { readonly kind: string }>(
  { rulesDiffer }: Pick<SendContext, 'rulesDiffer'>,
  standing: Standing,
) => (standing.kind === 'lost' && rulesDiffer() ? later(say`My replicas go by different rules right now.`) : standing);

/** Checks the owner's present rights, the environment and the channel. */
export const watchStanding = async (context: SendContext, watch: Watch): Promise<WatchStanding> =>
  heldWhileRulesDiffer(context, await watchByOwnRules(context, watch));

async function watchByOwnRules(context: SendContext, watch: Watch): Promise<WatchStanding> {
  const owner = await context.personOf(watch.requester, groupsToWatch(context.policy(), 'watch'));
  if (owner === undefined) return later(say`Slack doesn't tell me right now who may read it.`);
  if (owner.standing !== 'member') return notAllowed(say`${watch.requester_name} may no longer use Sitehand.`);
  const env = await listedNow(context, watch);
  if (env.kind !== 'environment') return env;
  const may = mayWatch(context.policy(), owner, env, 'watch');
  if (may === 'no') return notAllowed(say`${watch.requester_name} is no longer allowed to watch it.`);
  const channel = isDirect(watch.channel) ? undefined : await channelStanding(context, watch, [env]);
  if (channel) return channel;
  return may === 'yes' ? { kind: 'may', env } : { kind: 'unsure', groups: may };
}

async function listedNow(context: SendContext, watch: Watch): Promise<Environment | WatchStanding> {
  const stored = storedEnvironment(watch);
  const found = (): Environment | undefined => context.names(undefined).environments.find(({ id }) => id === stored.id);
  const known = found();
  if (known) return known;
  const presence = context.presenceOf(stored, await context.freshenNames(listingMs));
  if (presence === 'gone')
    return { kind: 'lost', reason: 'gone', why: say`${stored.name} is gone: the host no longer lists it.` };
  return found() ?? later(say`The host doesn't list ${stored.name} right now.`);
}

/** Why the channel of a watch can't be told about these environments; undefined: it can. */
async function channelStanding(
  { lookAt, policy }: SendContext,
  { channel }: Pick<Watch, 'channel'>,
  envs: readonly Environment[],
): Promise<Exclude<WatchStanding, { readonly kind: 'may' | 'unsure' }> | undefined> {
  const look = await lookAt(channel).catch(() => undefined);
  if (look === undefined || look.kind === 'no scope')
    return later(say`Slack doesn't tell me right now who is in this channel.`);
  const wrong = placeTrouble(look);
  if (wrong) return noChannel(say`${{ channel }} ${wrong}.`);
  const outside = envs.find(({ site }) => channelRule(policy(), channel, [site?.name]) !== 'ok');
  return outside && noChannel(say`${outside.name} can't be discussed in ${{ channel }} any more.`);
}

/** Why a channel can't be told, in words that follow its name; undefined: it can. */
export function placeTrouble(look: Extract<ChannelLook, { kind: 'seen' | 'hidden' }>): string | undefined {
  if (look.kind === 'hidden') return "isn't shown to me";
  if (look.shared) return 'is shared with another organisation';
  if (look.archived) return 'is archived';
  return look.member ? undefined : "doesn't have me as a member";
}

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
  heldWhileRulesDiffer(context, await digestByOwnRules(context, digest));

async function digestByOwnRules(context: SendContext, digest: Digest): Promise<DigestStanding> {
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
