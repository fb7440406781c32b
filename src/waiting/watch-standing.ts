import type { Environment } from '../hosting/contract/target.ts';
import { channelRule } from '../policy/channels.ts';
import type { Digest, Watch } from '../storage/waiting.ts';
import { parseStored } from '../storage/parse-json.ts';
import { say, type Text } from '../words/text.ts';
import { isDirect } from '../access/direct-messages.ts';
import { groupsToWatch, mayWatch } from '../access/may-watch.ts';
import { listingMs } from '../change/recheck.ts';
import type { ChannelLook } from '../post/messenger.ts';
import type { SendContext } from '../send/context.ts';

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
export const heldWhileRulesDiffer = <Standing extends { readonly kind: string }>(
  { rulesDiffer }: Pick<SendContext, 'rulesDiffer'>,
  standing: Standing,
) => (standing.kind === 'lost' && rulesDiffer() ? later(say`My replicas go by different rules right now.`) : standing);

/** Checks the owner's present rights, the environment and the channel. */
export const watchStanding = async (context: SendContext, watch: Watch): Promise<WatchStanding> =>
  heldWhileRulesDiffer(context, await standingByOwnRules(context, watch));

async function standingByOwnRules(context: SendContext, watch: Watch): Promise<WatchStanding> {
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
export async function channelStanding(
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
