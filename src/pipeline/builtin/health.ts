import { setTimeout as wait } from 'node:timers/promises';
import type { Check, Pause } from '../../commands/kit/builtin.ts';
import { counted } from '../../commands/kit/page.ts';
import { HostTrouble } from '../../hosting/client.ts';
import type { Reader } from '../../hosting/contract/call.ts';
import { validateKey } from '../../hosting/contract/operations.ts';
import type { Listing } from '../../hosting/listing.ts';
import type { Dialect } from '../../hosting/dialect.ts';
import { mentionedGroups } from '../../policy/people.ts';
import type { Policy } from '../../policy/rules.ts';
import type { Database } from '../../storage/database.ts';
import { parseStored } from '../../storage/parse-json.ts';
import { readSetting } from '../../storage/kv.ts';
import { countStates, listLost, oldestDue } from '../../storage/queue-stats.ts';
import { actor, code, inline, joined, person, say, time } from '../../text.ts';
import type { ApproverContext } from '../access/approver-lookup.ts';
import { pauseKey } from '../steps/admin-actions.ts';
import { buildInfoOf } from './build-info.ts';
import { opsTrouble, type OpsContext } from '../messages/ops-channel.ts';
import { inForce } from '../audit/policy-history.ts';
import { inWords } from '../changes/host-trouble.ts';

/** What is asked whether it is well. */
export type HealthDesk = {
  readonly database: Database;
  readonly policy: () => Policy;
  /** The policy file as it is now cannot be used. */
  readonly policyIsBroken: () => boolean;
  readonly membersOf: ApproverContext['membersOf'];
  /** Slack's last word for why it does not tell who is in a user group; undefined: it told, or was not asked. */
  readonly groupTrouble: (group: string) => string | undefined;
  readonly read: Reader;
  readonly listing: () => Listing;
  /** Asks the host anew what it has, for so many milliseconds at most; what it told from that time (epoch ms) on is its answer. */
  readonly freshenNames: (withinMs: number) => Promise<number>;
  readonly dialect: Dialect;
  /** Variables whose address is plain http to another machine. */
  readonly plainHttp: readonly string[];
  /** Asks Slack who this bot is; rejects where it does not say. */
  readonly askSlack: () => Promise<{ readonly botUserId: string }>;
  readonly lookAt: OpsContext['lookAt'];
};

type State = Omit<Check, 'what'>;
/** What the host says of the key, or its trouble; undefined: nothing in time. */
type KeyTold = { readonly expires_at?: number | undefined } | HostTrouble | undefined;
/** The host is asked of the key once, for all who look. */
type Asking = HealthDesk & { readonly keyTold: () => Promise<KeyTold> };
type Look = (context: Asking) => Promise<State> | State;

/** Whoever waits for the answer does not wait longer for one part of it. */
const patienceMs = 5_000;
/** The host is waited for a little shorter, so that what is known of it can be said. */
const hostPatienceMs = 4_000;
const expiresSoonMs = 14 * 86_400_000;
const slowMs = 1_000;
const overdueMs = 60_000;
const maxGroups = 5;
const maxUnknown = 5;

/** Looks at everything at once; what cannot be asked is a finding as well. */
export function healthOf(context: HealthDesk): Promise<readonly Check[]> {
  const told = askOfKey(context);
  const asking: Asking = { ...context, keyTold: () => told };
  return Promise.all(looks.map(async ([what, look]) => ({ what, ...(await attempt(asking, look)) })));
}

/** The words of an error may hold anything: they stay here. */
async function attempt(context: Asking, look: Look): Promise<State> {
  const over = new AbortController();
  const late = wait(patienceMs, undefined, { signal: over.signal }).then(
    () => bad('does not answer in time', 'Ask again in a minute; the log of this bot may say more.'),
    () => unanswered,
  );
  try {
    return await Promise.race([late, Promise.resolve(context).then(look)]);
  } catch {
    return unanswered;
  } finally {
    over.abort();
  }
}

const well = (says: State['says']): State => ({ ok: true, says });
const bad = (says: State['says'] | string, hint: State['says'] | string): State => ({
  ok: false,
  says: inline(says),
  hint: inline(hint),
});
/** Neither well nor ill, as far as anybody can say. */
const unknown = (says: State['says']): State => ({ ok: undefined, says });
const unanswered = bad('cannot be asked', 'The log of this bot says more.');

async function slack({ askSlack }: HealthDesk): Promise<State> {
  try {
    const { botUserId } = await askSlack();
    return well(say`answers; I am ${person(botUserId)}`);
  } catch {
    return bad(
      'does not say who I am',
      say`Whoever runs me looks at ${code('SLACK_BOT_TOKEN')} and at status.slack.com.`,
    );
  }
}

async function host({ freshenNames, listing, keyTold }: Asking): Promise<State> {
  // The listing may be seconds old: the host has just been asked for something else as well.
  const [since, told] = await Promise.all([freshenNames(hostPatienceMs), keyTold()]);
  const { at, trouble: lasting, cut } = listing();
  const trouble = lasting ?? (told instanceof HostTrouble && isOfHost(told) ? told : undefined);
  const last = at === undefined ? say`never yet` : say`last at ${time(at, 'date')}`;
  if (trouble)
    return bad(say`${inWords(trouble)} The sites were listed ${last}.`, 'I list them again every half minute.');
  if (at === undefined) return bad('the sites were not listed yet', 'Ask again in a minute.');
  if (at < since || told === undefined)
    return bad(
      say`has not answered for ${hostPatienceMs / 1_000} s; the sites were listed ${last}`,
      'Ask again in a minute; the host’s own status page may say more.',
    );
  if (cut) return bad('it has more sites or domains than I hold', 'Some cannot be named here: use the host’s panel.');
  return well(say`answers; the sites were listed ${last}`);
}

/** Whether it tells nothing of the key, only that the host does not answer as it should. */
const isOfHost = ({ kind }: HostTrouble): boolean => kind !== 'not found' && kind !== 'unauthorised';

async function key({ keyTold, database }: Asking): Promise<State> {
  const renew = say`Whoever runs me puts a new one into ${code('HOSTING_API_KEY')}.`;
  const told = await keyTold();
  if (told === undefined) return unknown(say`unknown: the host has not answered`);
  if (told instanceof HostTrouble) {
    if (told.kind === 'not found') return well(say`the host does not say until when`);
    return isOfHost(told) ? unknown(say`unknown: ${inWords(told)}`) : bad(inWords(told), renew);
  }
  const at = told.expires_at;
  if (at === undefined) return well(say`taken; the host does not say until when`);
  const left = at - (await database.now());
  if (left <= 0) return bad(say`expired at ${time(at, 'date')}`, renew);
  return left < expiresSoonMs ? bad(say`expires at ${time(at, 'date')}`, renew) : well(say`until ${time(at, 'date')}`);
}

/** Asks the host of the key; undefined where it takes too long. */
async function askOfKey({ read }: HealthDesk): Promise<KeyTold> {
  const over = new AbortController();
  const late = wait(hostPatienceMs, undefined, { signal: over.signal });
  try {
    return await Promise.race([read(validateKey({})), late]);
  } catch (error) {
    if (error instanceof HostTrouble) return error;
    throw error;
  } finally {
    over.abort();
    late.catch(() => undefined);
  }
}

async function answers({ database }: HealthDesk): Promise<State> {
  const began = performance.now();
  await database.db.selectFrom('installation').select('id').executeTakeFirstOrThrow();
  const took = Math.max(1, Math.round(performance.now() - began));
  const says = say`${database.kind} answers in ${took} ms`;
  return took < slowMs ? well(says) : bad(says, 'It is slow: look at its load and its disk.');
}

async function rules({ policy, policyIsBroken, database }: HealthDesk): Promise<State> {
  const { hash, groups } = policy();
  const known = await readSetting(database.db, inForce);
  const since = known?.value === hash ? say` since ${time(known.at, 'date')}` : '';
  const says = say`${code(hash.slice(0, 8))} in force${since}, ${counted(groups.size, 'group')}`;
  return policyIsBroken()
    ? bad(say`the file cannot be used; ${says}`, 'Its mistakes, with their lines, are in the log and the ops channel.')
    : well(says);
}

async function userGroups({ policy, membersOf, groupTrouble }: HealthDesk): Promise<State> {
  const groups = mentionedGroups(policy());
  if (groups.length === 0) return well(say`the rules name none`);
  const members = await Promise.all(groups.map(membersOf));
  const unknown = groups.filter((_, at) => members[at] === undefined);
  const empty = groups.filter((_, at) => members[at]?.length === 0);
  if (unknown.length + empty.length === 0)
    return well(say`${counted(groups.length, 'group')}, and who is in them is known`);
  const unread = unknown.map((id) => say`${code(id)} (${groupTrouble(id) ?? 'no answer'})`);
  const says = joined(
    [
      unread.length > 0 ? say`Slack doesn't tell who is in ${shortList(unread)}` : undefined,
      empty.length > 0 ? say`nobody is in ${shortList(empty.map(code))}` : undefined,
    ],
    '; ',
  );
  const held =
    'Until a group can be read, everybody is held for a member where a rule forbids, nobody where one allows.';
  return bad(
    says,
    say`Look at the groups in Slack, at the policy, and at the scope ${code('usergroups:read')}.${unread.length > 0 ? ` ${held}` : ''}`,
  );
}

function shortList(all: readonly (State['says'] | ReturnType<typeof code>)[]): State['says'] {
  const more = all.length > maxGroups ? ` and ${all.length - maxGroups} more` : '';
  return say`${joined(all.slice(0, maxGroups), ', ')}${more}`;
}

async function opsChannel(context: HealthDesk): Promise<State> {
  const trouble = await opsTrouble(context);
  return trouble ? bad(trouble.says, trouble.hint) : well(say`takes posts, as far as Slack tells`);
}

async function sending({ database }: HealthDesk): Promise<State> {
  const setting = await readSetting(database.db, pauseKey);
  if (setting === undefined) return well(say`what is approved is sent`);
  const { by, at } = parseStored<Pause>(setting.value);
  return bad(say`paused by ${actor(by)} at ${time(at, 'date')}`, say`${code('resume')} lets it go on.`);
}

async function changes({ database }: HealthDesk): Promise<State> {
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
    'Look at the host, then say on the card what happened: what a change locks stays locked until then.',
  );
}

async function work({ database }: HealthDesk): Promise<State> {
  const now = await database.now();
  const due = await oldestDue(database.db, now);
  if (due === undefined || now - due <= overdueMs) return well(say`nothing is overdue`);
  return bad(say`the oldest has been due since ${time(due, 'date')}`, 'The log says what keeps me from it.');
}

function encryption({ plainHttp }: HealthDesk): State {
  if (plainHttp.length === 0) return well(say`nothing leaves this machine for Slack or the host without it`);
  return bad(
    say`${joined(plainHttp.map(code), ' and ')}: plain http to another machine, where whoever is on the way reads the key`,
    say`Whoever runs me writes https:// there, and takes ${code('ALLOW_PLAIN_HTTP')} away.`,
  );
}

const versions: Look = (context) =>
  well(say`Sitehand ${buildInfoOf(context).version} on Node ${process.versions.node}`);

const looks: readonly (readonly [what: string, look: Look])[] = [
  ['Slack', slack],
  ['Hosting API', host],
  ['Key of the hosting API', key],
  ['Encryption', encryption],
  ['Database', answers],
  ['Rules', rules],
  ['Slack user groups', userGroups],
  ['Ops channel', opsChannel],
  ['Sending', sending],
  ['Changes', changes],
  ['Work', work],
  ['Versions', versions],
];
