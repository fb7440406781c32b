import { counted, age, isAhead } from '../commands/kit/page.ts';
import { watching, type HostReader } from '../hosting/contract/call.ts';
import type { Environment } from '../hosting/contract/target.ts';
import { fewCertificateDays, type Look } from '../site-check/reading.ts';
import { code, inline, list, say, withoutQuotes, type Text, beginning, time } from '../words/text.ts';
import { siteCheckFor } from '../send/check-plan.ts';
import type { SendContext } from '../send/context.ts';
import { isOldBackup, newestBackup } from '../commands/backups/newest.ts';
import { inCompanyList } from '../commands/themes/installed.ts';
import { allThemesIfAllowed, type AllThemes } from '../hosting/contract/themes.ts';
import { isToReview } from '../change/post-review.ts';
import { listChanges, type Change } from '../storage/changes.ts';
import { exclusiveLock } from '../storage/locks.ts';
import { listTimers } from '../storage/timers.ts';
import type { Person } from '../access/access-check.ts';
import { readerOf, type MayRead } from '../access/visibility.ts';
import { targetKey } from '../access/targets.ts';
import { whyUnread } from '../hosting/host-trouble.ts';
import { openAbout } from '../decide/open-changes.ts';
import { startDeadline } from '../base/time-limit.ts';
import { dayMs } from '../words/duration.ts';

/**
 * What a digest says about some environments. It names no people and no addresses, because a whole channel reads it.
 */

/**
 * The part about certificates of live environments. Only the site itself shows its certificate, so each domain is read
 * once.
 */

/** One part of a digest: what was found, and what could not be read and why. */
type DigestPart = { readonly found: readonly Text[]; readonly unread: readonly Text[] };
type Unread = { readonly name: string; readonly why: Text };

/** The most domains in one digest, how many are read at a time, and for how long. */
const maxDomains = 20;
const atOnce = 4;
const readingMs = 8_000;
const maxNamedDomains = 5;

/** One sentence for each reason, with what could not be read. */
export const notRead = (what: string, unread: readonly Unread[]): readonly Text[] =>
  [...Map.groupBy(unread, ({ why }) => withoutQuotes(why)).values()].map(
    (those) =>
      say`${what} of ${list(
        those.map(({ name }) => name),
        maxNamedDomains,
      )}: ${those[0]?.why}`,
  );

/** Reads one page of each domain that a check may reach, until `ending`. Never rejects. */
async function certificatesOf(
  context: SendContext,
  envs: readonly Environment[],
  ending: AbortSignal,
): Promise<DigestPart> {
  const { planFor, read, instead } = siteCheckFor(context, watching);
  const [domains, found, unread]: [Domain[], Text[], Unread[]] = [[], [], []];
  let left = 0;
  for (const env of envs.filter(({ live }) => live)) {
    const plan = planFor(env);
    if (plan.kind !== 'pages') unread.push({ name: env.name, why: plan.why });
    else {
      left += plan.otherDomains;
      for (const [name, [page = '']] of Map.groupBy(plan.addresses, (address) => new URL(address).host))
        domains.push({ env: env.name, name, page });
    }
  }
  const some = domains.slice(0, maxDomains);
  left += domains.length - some.length;
  for (let from = 0; from < some.length; from += atOnce) {
    const those = some.slice(from, from + atOnce);
    const pages = { addresses: those.map(({ page }) => page), must: [] };
    const { looks } = instead ? { looks: [] } : await read(pages, { deadlineMs: readingMs, signal: ending });
    for (const domain of those) {
      const own = looks.filter(({ address }) => address === domain.page);
      const seen = instead ? { why: say`I ask ${code(instead)} in place of the site` } : certificateIn(own);
      if ('why' in seen) unread.push({ name: domain.name, why: seen.why });
      else if (seen.needsLook) found.push(say`${domain.env}: ${code(domain.name)} ${seen.needsLook}`);
    }
  }
  const rest = left > 0 ? [say`Certificates of ${counted(left, 'more domain')} than one digest reads.`] : [];
  return { found, unread: [...notRead('Certificates', unread), ...rest] };
}

/** A domain of an environment, and the page that is read. */
type Domain = { readonly env: string; readonly name: string; readonly page: string };

/** Text to follow the name of a domain whose certificate needs a look; or why that is unknown. */
function certificateIn(looks: readonly Look[]): { readonly needsLook: string | undefined } | { readonly why: Text } {
  const days = looks.flatMap((look) => (look.kind === 'answered' ? (look.certificateDays ?? []) : []));
  if (days.length > 0) {
    const least = Math.min(...days);
    return {
      needsLook: least < fewCertificateDays ? `has a certificate for ${counted(least, 'more day')}` : undefined,
    };
  }
  const failed = looks.find((look) => look.kind === 'no answer');
  if (failed?.isOfSite && failed.why.startsWith('has a certificate')) return { needsLook: failed.why };
  if (failed) return { why: say`it ${failed.why}` };
  const refused = looks.find((look) => look.kind === 'not checked');
  return { why: refused ? say`not asked, because ${refused.why}` : inline('it answered without encryption') };
}

export type DigestFindings = {
  /** By the title of its part, in the order shown. */
  readonly found: Readonly<Record<string, readonly Text[]>>;
  /** What could not be read, and why. */
  readonly unread: readonly Text[];
};

/** The time for all reads of the host and of sites. What is unread by then is listed as unread. */
const readMs = 90_000;
const maxRows = 1_000;
/** The most characters of a theme's name. */
const maxThemeLength = 80;
const maxNamed = 5;
/** How many changes of an environment that nobody has reviewed are read. */
const maxUnreviewed = 100;

/** Reads everything about these environments, after people's own work, until `stopping`. Host trouble doesn't reject it. */
export async function readDigest(
  context: SendContext,
  owner: Person,
  envs: readonly Environment[],
  { now, stopping }: { readonly now: number; readonly stopping: AbortSignal },
): Promise<DigestFindings> {
  using late = startDeadline(readMs);
  const ending = AbortSignal.any([stopping, late.signal]);
  const read: HostReader = (call) => context.read(call, watching, ending);
  const ofHost = async () => [await themesOf(context, read, envs), await backupsOf(context, read, envs, now)] as const;
  const [[themes, backups], certificates, changes, locks, access] = await Promise.all([
    ofHost(),
    certificatesOf(context, envs, ending),
    changesOf(context, readerOf(context, owner, 'changes'), envs),
    locksOf(context, envs, now),
    accessOf(context, envs, now),
  ]);
  return {
    found: {
      'Changes with an unknown outcome': changes.unknown,
      'Sent by break-glass and not reviewed': changes.unreviewed,
      'Vulnerable themes': themes.found,
      'Old backups': backups.found,
      'Certificates that expire': certificates.found,
      'Locks without end': locks,
      'Timed access that ends within a week': access,
      'Changes that wait for approval': changes.waiting,
    },
    unread: [...themes.unread, ...backups.unread, ...certificates.unread, ...changes.unread],
  };
}

async function themesOf(context: SendContext, read: HostReader, envs: readonly Environment[]): Promise<DigestPart> {
  const { id } = context.company();
  if (id === '') return { found: [], unread: [say`Vulnerable themes: the host doesn't say which company this is.`] };
  const all = await readOr(context, () => allThemesIfAllowed(read, id));
  if ('why' in all) return { found: [], unread: [say`Vulnerable themes: ${all.why}`] };
  const { value } = all;
  if ('withheld' in value)
    return { found: [], unread: [say`Vulnerable themes: the host does not show my key the themes of the company.`] };
  const each = envs.map((env) => ({ env, ...vulnerableOn(env, value) }));
  const untold = each.filter(({ isTold }) => !isTold).map(({ env }) => env.name);
  return {
    found: each.flatMap(({ env, themes }) =>
      themes.length === 0 ? [] : [say`${env.name}: ${list(themes, maxNamed)}`],
    ),
    unread:
      untold.length === 0
        ? []
        : [say`Vulnerable themes: the host doesn't tell about all themes of ${list(untold, maxNamed)}.`],
  };
}

/** The host's list says which themes are vulnerable. If an environment isn't in the list, nothing is known about it. */
function vulnerableOn(env: Environment, all: AllThemes) {
  const { themes: installed = [], isWhole = false } = inCompanyList(env, all) ?? {};
  return {
    themes: installed
      .filter(({ vulnerable }) => vulnerable)
      .map(({ name, version }) => beginning([name, version ?? ''].join(' ').trim(), maxThemeLength)),
    isTold: isWhole && installed.every(({ vulnerable }) => vulnerable !== null),
  };
}

async function backupsOf(
  context: SendContext,
  read: HostReader,
  envs: readonly Environment[],
  now: number,
): Promise<DigestPart> {
  const found: Text[] = [];
  const unread: { readonly name: string; readonly why: Text }[] = [];
  for (const env of envs) {
    const newest = await readOr(context, () => newestBackup(read, env));
    if ('why' in newest) unread.push({ name: env.name, why: newest.why });
    else if (newest.value === null) found.push(say`${env.name}: the host lists none`);
    else if (newest.value.at === undefined)
      unread.push({ name: env.name, why: say`The host doesn't say how old the newest one is.` });
    else if (isAhead(newest.value.at, now))
      unread.push({ name: env.name, why: say`The host dates the newest one in the future.` });
    else if (isOldBackup(newest.value.at, now))
      found.push(say`${env.name}: the newest is from ${time(newest.value.at, 'date')}, ${age(now - newest.value.at)}`);
  }
  return { found, unread: notRead('Backups', unread) };
}

/** What was read, or why it was not. */
async function readOr<T>(
  context: SendContext,
  work: () => Promise<T>,
): Promise<{ readonly value: T } | { readonly why: Text }> {
  try {
    return { value: await work() };
  } catch (error) {
    return { why: whyUnread(context, 'reading for a digest', error) };
  }
}

async function changesOf({ database }: SendContext, mayRead: MayRead, envs: readonly Environment[]) {
  const about = await openAbout(database.db);
  const told = { unknown: [] as Text[], waiting: [] as Text[], unreviewed: [] as Text[] };
  const hidden = new Set<number>();
  const cut: string[] = [];
  for (const env of envs) {
    const { open, more } = await about(env);
    const over = { target: targetKey(env), isUnreviewed: true, limit: maxUnreviewed };
    const unreviewed = await listChanges(database.db, over);
    if (more || unreviewed.length === maxUnreviewed) cut.push(env.name);
    for (const change of [...open, ...unreviewed]) {
      const kind = isToReview(change) ? 'unreviewed' : change.state;
      if (kind !== 'unknown' && kind !== 'waiting' && kind !== 'unreviewed') continue;
      if (mayRead(change)) told[kind].push(changeText(env, change));
      else hidden.add(change.number);
    }
  }
  return {
    ...told,
    unread: [
      ...(hidden.size > 0 ? [say`Changes: ${counted(hidden.size, 'change')} that its owner may not read.`] : []),
      ...(cut.length > 0 ? [say`Changes: there may be more of ${list(cut, maxNamed)}.`] : []),
    ],
  };
}

/** Without its title and its other environments, which may name a site that this channel may not see. */
const changeText = ({ name }: Environment, { number, command, lost_at, created_at }: Change): Text =>
  say`${name}: ${code(`#${number}`)} ${code(command)}, since ${time(lost_at ?? created_at, 'date')}`;

async function locksOf({ database }: SendContext, envs: readonly Environment[], now: number) {
  const found: Text[] = [];
  for (const env of envs) {
    const lock = await exclusiveLock(database.db, targetKey(env), now);
    if (lock && lock.person !== null && lock.until === null)
      found.push(say`${env.name}: since ${time(lock.taken_at, 'date')}`);
  }
  return found;
}

async function accessOf({ database }: SendContext, envs: readonly Environment[], now: number) {
  const found: Text[] = [];
  for (const env of envs)
    for (const timer of await listTimers(database.db, maxRows, targetKey(env)))
      if (timer.ends_at <= now + 7 * dayMs)
        found.push(
          timer.gave_up_at === null
            ? say`${env.name}: ${code(`#${timer.change}`)} until ${time(timer.ends_at, 'date')}`
            : say`⚠️ ${env.name}: ${code(`#${timer.change}`)} is still open, and I gave up closing it`,
        );
  return found;
}
