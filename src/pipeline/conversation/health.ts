import type { Check, Pause } from '../../commands/kit/builtin.ts';
import { counted } from '../../commands/kit/page.ts';
import { HostTrouble } from '../../hosting/client.ts';
import { TooLate, within } from '../../time-limit.ts';
import { validateKey } from '../../hosting/contract/operations.ts';
import { mentionedGroups } from '../../policy/people.ts';
import { auditOutLag, readAuditOut } from '../../storage/audit-out.ts';
import { parseStored } from '../../storage/parse-json.ts';
import { pauseKey, readKv } from '../../storage/kv.ts';
import type { Database } from '../../storage/database.ts';
import { countStates, listLost, oldestDue } from '../../storage/queue-stats.ts';
import { sizesOf, type Sizes } from '../../storage/sizes.ts';
import { actor, code, inline, joined, person, say, time } from '../../text.ts';
import { version } from './build-info.ts';
import { sizesInWords } from './stored-data.ts';
import { liveInWords, liveReplicas } from '../messages/replicas.ts';
import { opsTrouble } from '../messages/ops-channel-health.ts';
import { tellAfterMs } from '../audit/audit-out.ts';
import { policyInForceKey } from '../audit/policy-history.ts';
import { inWords } from '../changes/host-trouble.ts';
import type { PipelineContext } from './context.ts';

export type State = Omit<Check, 'what'>;
/** What the checks look at: parts of a bot, which need not be running. */
export type HealthContext = Pick<
  PipelineContext,
  | 'askSlack'
  | 'lookAt'
  | 'freshenNames'
  | 'listing'
  | 'read'
  | 'policy'
  | 'policyIsBroken'
  | 'membersOf'
  | 'groupTrouble'
  | 'plainHttp'
  | 'auditOut'
  | 'onTrouble'
> & { readonly database: Pick<Database, 'db' | 'kind' | 'now'> };
/** What the host says about the key, or its trouble; undefined: no answer in time. */
type KeyAnswer = { readonly expires_at?: number | undefined } | HostTrouble | undefined;
/** The host is asked about the key once; several checks share the answer. */
type Checking = HealthContext & { readonly keyAnswer: () => Promise<KeyAnswer> };
type Probe = (context: Checking) => Promise<State> | State;

/** How long one check may take. */
const timeoutMs = 5_000;
/** Shorter, so that the host's own check can still say what is known. */
const hostTimeoutMs = 4_000;
const expiresSoonMs = 14 * 86_400_000;
const slowMs = 1_000;
const overdueMs = 60_000;
const maxGroups = 5;
const maxUnknown = 5;
/** Less free space than this, in bytes, needs a look. */
const leastFree = 500_000_000;

/**
 * Runs all checks at the same time, but those of which the result is `known` already. A check that fails or takes too
 * long is reported as a finding.
 */
export function healthOf(
  context: HealthContext,
  known: Partial<Readonly<Record<keyof typeof probes, State>>> = {},
): Promise<readonly Check[]> {
  const answer = validate(context);
  const checking: Checking = { ...context, keyAnswer: () => answer };
  const all = Object.entries({ ...probes, ...known }).filter(([what]) => what !== outName || context.auditOut);
  return Promise.all(
    all.map(async ([what, probe]) => ({
      what,
      ...(typeof probe === 'function' ? await probed(checking, what, probe) : probe),
    })),
  );
}

/** An error's message goes to the log only: it may contain secrets. */
function probed(context: Checking, what: string, probe: Probe): Promise<State> {
  return within(timeoutMs, Promise.resolve(context).then(probe)).catch((error: unknown) => {
    if (error instanceof TooLate) return bad("didn't answer in time", 'Try again in a minute. My log may say more.');
    context.onTrouble(`checking: ${what}`, error);
    return { ...unknown(say`unknown: the check itself failed`), hint: say`My log says why.` };
  });
}

export const well = (says: State['says']): State => ({ ok: true, says });
export const bad = (says: State['says'] | string, hint: State['says'] | string): State => ({
  ok: false,
  says: inline(says),
  hint: inline(hint),
});
export const unknown = (says: State['says']): State => ({ ok: undefined, says });

async function slack({ askSlack }: HealthContext): Promise<State> {
  try {
    const { botUserId } = await askSlack();
    return well(say`answers; I am ${person(botUserId)}`);
  } catch {
    return bad(
      "doesn't say who I am",
      say`Whoever runs Sitehand should check ${code('SLACK_BOT_TOKEN')} and status.slack.com.`,
    );
  }
}

async function host({ freshenNames, listing, keyAnswer }: Checking): Promise<State> {
  // The listing may be seconds old, so the host's answer about the key counts too.
  const [since, answer] = await Promise.all([freshenNames(hostTimeoutMs), keyAnswer()]);
  const { at, trouble: lasting, cut } = listing();
  const trouble = lasting ?? (answer instanceof HostTrouble && isOfHost(answer) ? answer : undefined);
  const last = at === undefined ? say`have not been listed yet` : say`were last listed ${time(at, 'date')}`;
  if (trouble) return bad(say`${inWords(trouble)} The sites ${last}.`, 'Try again in a minute.');
  if (answer === undefined || (at !== undefined && at < since))
    return bad(
      say`has not answered for ${hostTimeoutMs / 1_000} s; the sites ${last}`,
      "Try again in a minute. The host's own status page may say more.",
    );
  if (at === undefined) return bad(say`the sites ${last}`, 'Try again in a minute.');
  if (cut)
    return bad(
      'it has more sites or domains than I can hold',
      "I don't know some names: use the host's panel for those.",
    );
  return well(say`answers; the sites ${last}`);
}

/** Whether the trouble says nothing about the key, only about the host. */
const isOfHost = ({ kind }: HostTrouble): boolean => kind !== 'not found' && kind !== 'unauthorized';

async function key({ keyAnswer, database }: Checking): Promise<State> {
  const renew = say`Whoever runs Sitehand should put a new one into ${code('HOSTING_API_KEY')}.`;
  const answer = await keyAnswer();
  if (answer === undefined) return unknown(say`unknown: the host has not answered`);
  if (answer instanceof HostTrouble) {
    if (answer.kind === 'not found') return well(say`the host doesn't say when it expires`);
    return isOfHost(answer) ? unknown(say`unknown: ${inWords(answer)}`) : bad(inWords(answer), renew);
  }
  const at = answer.expires_at;
  if (at === undefined) return well(say`accepted; the host doesn't say when it expires`);
  const left = at - (await database.now());
  if (left <= 0) return bad(say`expired ${time(at, 'date')}`, renew);
  return left < expiresSoonMs
    ? bad(say`expires ${time(at, 'date')}`, renew)
    : well(say`valid until ${time(at, 'date')}`);
}

/** Asks the host about the key; undefined if it takes too long. */
const validate = ({ read }: HealthContext): Promise<KeyAnswer> =>
  within(hostTimeoutMs, read(validateKey({}))).catch((error: unknown) => {
    if (error instanceof TooLate) return undefined;
    if (error instanceof HostTrouble) return error;
    throw error;
  });

async function answers({ database }: HealthContext): Promise<State> {
  const began = performance.now();
  await database.db.selectFrom('installation').select('id').executeTakeFirstOrThrow();
  const took = Math.max(1, Math.round(performance.now() - began));
  const says = say`${database.kind} answers in ${took} ms`;
  return took < slowMs ? well(says) : bad(says, "It's slow. Please check its load and its disk.");
}

const storedData = async ({ database }: HealthContext): Promise<State> => roomState(await sizesOf(database.db));

export function roomState(sizes: Sizes): State {
  const says = sizesInWords(sizes);
  if (sizes.free === undefined || sizes.free >= leastFree) return well(says);
  return bad(says, 'Please make room on the disk. When it is full, nothing can be saved, so nothing is sent.');
}

async function rules({ policy, policyIsBroken, database }: HealthContext): Promise<State> {
  const { hash, groups } = policy();
  const known = await readKv(database.db, policyInForceKey);
  const since = known?.value === hash ? say` since ${time(known.at, 'date')}` : '';
  const says = say`${code(hash.slice(0, 8))} in force${since}, ${counted(groups.size, 'group')}`;
  return policyIsBroken()
    ? bad(say`the file can't be used; ${says}`, 'Its mistakes are in the log and the ops channel, with line numbers.')
    : well(says);
}

async function userGroups({ policy, membersOf, groupTrouble }: HealthContext): Promise<State> {
  const groups = mentionedGroups(policy());
  if (groups.length === 0) return well(say`the rules name none`);
  const members = await Promise.all(groups.map(membersOf));
  const unknown = groups.filter((_, at) => members[at] === undefined);
  const empty = groups.filter((_, at) => members[at]?.length === 0);
  if (unknown.length + empty.length === 0)
    return well(say`${counted(groups.length, 'group')}, and I can see who is in them`);
  const unread = unknown.map((id) => say`${code(id)} (${groupTrouble(id) ?? 'no answer'})`);
  const says = joined(
    [
      unread.length > 0 ? say`Slack doesn't tell who is in ${shortList(unread)}` : undefined,
      empty.length > 0 ? say`nobody is in ${shortList(empty.map(code))}` : undefined,
    ],
    '; ',
  );
  const effect =
    'Until I can read a group, what the rules forbid it is forbidden to everybody, and what they allow it to nobody.';
  return bad(
    says,
    say`Please check the groups in Slack, the policy, and the scope ${code('usergroups:read')}.${unread.length > 0 ? ` ${effect}` : ''}`,
  );
}

function shortList(all: readonly (State['says'] | ReturnType<typeof code>)[]): State['says'] {
  const more = all.length > maxGroups ? ` and ${all.length - maxGroups} more` : '';
  return say`${joined(all.slice(0, maxGroups), ', ')}${more}`;
}

async function opsChannel(context: HealthContext): Promise<State> {
  const trouble = await opsTrouble(context);
  return trouble ? bad(trouble.says, trouble.hint) : well(say`accepts posts, as far as I can see`);
}

async function sending({ database }: HealthContext): Promise<State> {
  const stored = await readKv(database.db, pauseKey);
  if (stored === undefined) return well(say`approved changes are sent`);
  const { by, at } = parseStored<Pause>(stored.value);
  return bad(
    say`paused by ${actor(by)} ${time(at, 'date')}`,
    say`Whoever may run ${code('resume')} can end the pause with it.`,
  );
}

async function changes({ database }: HealthContext): Promise<State> {
  const counts = await countStates(database.db);
  const { waiting = 0, approved = 0, sending = 0, accepted = 0, unknown = 0 } = counts;
  const says = say`${waiting} waiting, ${approved} approved, ${sending + accepted} running, ${unknown} unknown`;
  if (unknown === 0) return well(says);
  const lost = (await listLost(database.db, maxUnknown)).map(
    ({ number, at }) => say`#${number} since ${time(at, 'date')}`,
  );
  const more = unknown > lost.length ? [say`${unknown - lost.length} more`] : [];
  return bad(
    say`${says}: ${joined([...lost, ...more], ', ')}`,
    'Please check the host, then say on the card what happened. Until then, what these changes lock stays locked.',
  );
}

async function work({ database }: HealthContext): Promise<State> {
  const now = await database.now();
  const due = await oldestDue(database.db, now);
  if (due === undefined || now - due <= overdueMs) return well(say`nothing is overdue`);
  return bad(say`the oldest has been due since ${time(due, 'date')}`, 'My log says what holds it up.');
}

async function replicas({ database }: HealthContext): Promise<State> {
  if (database.kind === 'sqlite') return well(say`one process, because the database is SQLite`);
  const { says, isSame } = liveInWords(await liveReplicas(database));
  const advice = 'Which one answers is chance. Please give every replica the same policy file and the same version.';
  return isSame ? well(says) : bad(says, advice);
}

function encryption({ plainHttp }: HealthContext): State {
  if (plainHttp.length === 0) return well(say`nothing leaves this machine for Slack or the host unencrypted`);
  return bad(
    say`${joined(plainHttp.map(code), ' and ')}: plain http to another machine, so anybody on the way can read what is sent there`,
    say`Whoever runs Sitehand should use https:// there and remove ${code('ALLOW_PLAIN_HTTP')}.`,
  );
}

async function auditOut({ auditOut: to, database }: HealthContext): Promise<State> {
  if (to === undefined) return well(say`it is sent nowhere`);
  const now = await database.now();
  const { lines, oldestMs } = await auditOutLag(database.db, to.id, now);
  const { sent, lease, trouble } = (await readAuditOut(database.db, to.id)).progress;
  const waiting = say`${counted(lines, 'line')}, since ${time(now - oldestMs, 'date')}`;
  if (lines === 0) return well(sent.seq === 0 ? say`no lines yet` : say`${code(to.name)} has taken every line`);
  if (trouble === null)
    return oldestMs < tellAfterMs || (lease?.until ?? 0) > now
      ? well(say`on its way to ${code(to.name)}: ${waiting}`)
      : unknown(say`unknown: nothing says whether it reaches ${code(to.name)} now. Waiting: ${waiting}`);
  if (trouble.lasting || now - trouble.since >= tellAfterMs)
    return bad(
      say`doesn't reach ${code(to.name)}: ${trouble.why}. Waiting: ${waiting}`,
      say`Nothing is lost, and I keep trying. Whoever runs Sitehand should check that place, and ${code('AUDIT_OUT')}.`,
    );
  return unknown(say`unknown: the last attempt to reach ${code(to.name)} failed: ${trouble.why}. Waiting: ${waiting}`);
}

const versions = (): State => well(say`Sitehand ${version} on Node ${process.versions.node}`);

const outName = 'Audit trail elsewhere';
const probes = {
  Slack: slack,
  'Hosting API': host,
  'Key of the hosting API': key,
  Encryption: encryption,
  Database: answers,
  'Stored data': storedData,
  Replicas: replicas,
  Rules: rules,
  'Slack user groups': userGroups,
  'Ops channel': opsChannel,
  Sending: sending,
  Changes: changes,
  Work: work,
  [outName]: auditOut,
  Versions: versions,
} satisfies Readonly<Record<string, Probe>>;
