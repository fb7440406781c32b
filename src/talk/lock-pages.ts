import { Refusal } from '../base/errors.ts';
import type { lock } from '../commands/builtin/lock.ts';
import type { unlock } from '../commands/builtin/unlock.ts';
import type { Input } from '../commands/kit/fields.ts';
import { type Page, type PagePart, paragraph, counted } from '../commands/kit/page.ts';
import type { Asking, LockInfo } from '../decide/admin-actions.ts';
import { lockAll, unlockAll, type AllowedOn, type UnlockResult } from '../decide/person-locks.ts';
import { forceUnlock, type ForceUnlockResult } from '../decide/force-unlock.ts';
import type { Environment, Environments } from '../hosting/contract/target.ts';
import { list, mention, sample, say, time, typed, type Text, code, joined } from '../words/text.ts';
import { fitsButton } from '../language/reparse.ts';
import type { PipelineContext } from './context.ts';
import { namesFor } from './environments-page.ts';

/** Locking and unlocking, one environment or many. */

export async function lockPage(
  context: PipelineContext,
  asking: Asking,
  { env, why, for: forMs }: Input<typeof lock.fields>,
): Promise<Page> {
  const { terms, taken, left } = await lockAll(context, asking, allowedOn(asking, env), { reason: why, forMs });
  const isMany = env.kind === 'environments';
  if (taken.length === 0) {
    const [first] = left;
    const says = isMany ? say`**I locked none of them.**\n${shortly(left)}` : say`${first?.says} So I didn't lock it.`;
    throw new Refusal(say`${says} Nothing was done.`, {
      hint: say`${typed('pause')} stops everything that has not been sent yet.`,
    });
  }
  const [is, them] = taken.length === 1 ? ['it is', 'it'] : ['they are', 'them'];
  const end = terms.until === undefined ? `until ${is} unlocked` : say`until ${time(terms.until, 'date')}`;
  const args = ['unlock', taken.map(({ id }) => id).join(',')];
  return {
    title: isMany
      ? say`**${howMany(taken, env, asking)} locked by you** ${end}`
      : say`**${taken[0]?.name} is locked by you** ${end}`,
    parts: [
      paragraph(
        say`I'll tell everybody who asks to change ${them}, with your reason: “${terms.why}”. I told the ops channel too.`,
      ),
      ...(isMany ? eachOf(env, asking, namesIn(taken), left) : []),
    ],
    offers: fitsButton(args) ? [{ label: 'Unlock', args }] : [],
  };
}

/** Where they may do it: one environment, or those of many that the rules allow. */
const allowedOn = ({ each = [], authorization }: Asking, env: Environment | Environments): readonly AllowedOn[] =>
  env.kind === 'environment'
    ? [{ env, authorization }]
    : each.flatMap((one) =>
        one.target?.kind === 'environment' ? [{ env: one.target, authorization: one.authorization }] : [],
      );

/** `3 of 4 environments are`. */
function howMany(done: readonly Environment[], { all }: Environments, { notAllowed = [] }: Asking): string {
  const whole = all.length + notAllowed.length;
  const [of, are] = [done.length === whole ? '' : `${done.length} of `, done.length === 1 ? 'is' : 'are'];
  return `${of}${counted(whole, 'environment')} ${are}`;
}

const namesIn = (all: readonly Environment[]): readonly Text[] => all.map(({ name }) => say`**${name}**`);

type Left = { readonly env: Environment; readonly says: Text };

/** A line for each environment that somebody named: those left as they were first, with the reason. */
function eachOf(
  { trouble }: Environments,
  { notAllowed = [] }: Asking,
  done: readonly Text[],
  left: readonly Left[],
): readonly PagePart[] {
  const entries = [
    ...left.map(({ says }) => say`⚠️ ${says}`),
    ...notAllowed.map(({ name }) => say`🚫 **${name}**: you may not do that there.`),
    ...done.map((says) => say`✅ ${says}`),
  ];
  return [
    ...(trouble ? [paragraph(say`⚠️ **There may be more,** which I left as they are: ${trouble}`)] : []),
    { kind: 'list', entries },
  ];
}

const maxShortly = 5;

/** The first few reasons, and how many more there are. */
const shortly = (left: readonly Left[]): Text =>
  joined(
    [
      ...left.slice(0, maxShortly).map(({ says }) => says),
      left.length > maxShortly ? `And ${left.length - maxShortly} more.` : undefined,
    ],
    '\n',
  );

/** The lock as a clause that follows *is*: `held by #1042`, `locked by @Ben until 15:40 (“release”)`. */
export function heldBy({ by, why, until }: LockInfo): Text {
  if ('change' in by) return say`held by #${by.change}`;
  const end = until === undefined ? '' : say` until ${time(until, 'date')}`;
  return say`locked by ${mention(by.person)}${end} (“${why}”)`;
}

export function unlockPage(
  context: PipelineContext,
  asking: Asking,
  { env, force }: Input<typeof unlock.fields>,
): Promise<Page> {
  if (!force) return removePersonLocks(context, asking, env);
  if (env.kind === 'environment') return removeChangeLock(context, asking, env);
  throw new Refusal(say`${code('--force')} is for one environment at a time. Nothing was done.`);
}

async function removePersonLocks(
  context: PipelineContext,
  asking: Asking,
  env: Environment | Environments,
): Promise<Page> {
  const { freed, left } = await unlockAll(context, asking, allowedOn(asking, env));
  if (env.kind === 'environments') return manyUnlocked(asking, env, { freed, left });
  const lock = freed[0]?.lock ?? left[0]?.lock;
  if (lock === undefined) throw notLocked(env);
  if (freed.length === 0) {
    throw new Refusal(say`**${env.name} is ${heldBy(lock)}**, not by a person. Nothing was done.`, {
      hint:
        'change' in lock.by
          ? say`${typed(`change ${lock.by.change}`)} shows its state. If its outcome is unknown, those whom a rule lets can free it: ${sample(`unlock ${env.name} --force`)}.`
          : undefined,
    });
  }
  return {
    title: say`**${env.name} is unlocked**`,
    parts: [paragraph(say`That was ${whoseLock(lock)}. I told the ops channel.`)],
  };
}

const whoseLock = ({ by, why }: LockInfo): Text =>
  say`${'person' in by ? say`the lock of ${mention(by.person)}` : 'the lock'} (“${why}”)`;

function manyUnlocked(asking: Asking, env: Environments, { freed, left }: UnlockResult): Page {
  const others = left.map(({ env: one, lock }) => ({
    env: one,
    says: lock ? say`**${one.name} is ${heldBy(lock)}**, not by a person.` : say`**${one.name}** was not locked.`,
  }));
  if (freed.length === 0) throw new Refusal(say`**I unlocked none of them.**\n${shortly(others)} Nothing was done.`);
  const done = freed.map((one) => one.env);
  return {
    title: say`**${howMany(done, env, asking)} unlocked**`,
    parts: [
      paragraph(say`I told the ops channel.`),
      ...eachOf(
        env,
        asking,
        freed.map(({ env: { name }, lock }) => say`**${name}**: that was ${whoseLock(lock)}.`),
        others,
      ),
    ],
  };
}

async function removeChangeLock(context: PipelineContext, asking: Asking, env: Environment): Promise<Page> {
  const result = await forceUnlock(context, asking, env);
  switch (result.kind) {
    case 'not locked':
      throw notLocked(env);
    case 'held by a person':
      throw new Refusal(say`**${env.name} is ${heldBy(result.lock)}**, not by a change. Nothing was done.`, {
        hint: say`${typed(`unlock ${env.name}`)} removes that lock.`,
      });
    case 'under way':
      throw new Refusal(
        say`**${env.name} is held by #${result.change}, which is still running:** ${result.stands} I can't remove its lock now. Nothing was done.`,
        { hint: say`${typed(`change ${result.change}`)} shows its progress.` },
      );
    case 'freed':
      return freedPage(env, result, namesFor(context, asking).environments);
  }
}

function freedPage(
  env: Environment,
  { change, stands, arrives, others, still }: Freed,
  listed: readonly Environment[],
): Page {
  const left = listed.filter(({ id }) => others.includes(id));
  const unnamed = others.length - left.length;
  const names = [...left.map(({ name }) => name), ...(unnamed > 0 ? [`${unnamed} more`] : [])];
  const now =
    still.length > 0
      ? say`is no longer locked by #${change}, but still by ${list(
          still.map((number) => `#${number}`),
          5,
        )}`
      : say`is unlocked`;
  return {
    title: say`**${env.name} ${now}**`,
    parts: [
      paragraph(
        say`It was locked by #${change}: ${stands}`,
        arrives === undefined ? undefined : say`**It could still reach the host until ${time(arrives)}.**`,
        say`This doesn't say whether #${change} happened. I told its thread and the ops channel.`,
        names.length > 0 ? say`#${change} still locks ${names.join(' and ')}: only ${env.name} was freed.` : undefined,
      ),
    ],
    offers: [
      ...left.map(({ id, name }) => ({ label: `Unlock ${name} too`, args: ['unlock', id, '--force'] })),
      { label: `Show #${change}`, args: ['change', String(change)] },
    ],
  };
}

type Freed = Extract<ForceUnlockResult, { kind: 'freed' }>;

const notLocked = ({ name }: Environment): Refusal => new Refusal(say`**${name} is not locked.** Nothing was done.`);
