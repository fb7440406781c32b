import { Refusal } from '../base/errors.ts';
import type { lock } from '../commands/builtin/lock.ts';
import type { Input } from '../commands/kit/fields.ts';
import { type Page, paragraph } from '../commands/kit/page.ts';
import { adminActions, type Asking, type LockInfo } from '../decide/admin-actions.ts';
import { forceUnlock, type ForceUnlockResult } from '../decide/force-unlock.ts';
import type { Environment } from '../hosting/contract/target.ts';
import { list, mention, sample, say, time, typed, type Text } from '../words/text.ts';
import type { PipelineContext } from './context.ts';
import { namesFor } from './environments-page.ts';

export async function lockPage(
  context: PipelineContext,
  asking: Asking,
  { env, why, for: forMs }: Input<typeof lock.fields>,
): Promise<Page> {
  const locked = await adminActions(context, asking, asking.sight).lock(env, why, forMs);
  if (!locked.done) {
    throw new Refusal(say`${locked.says} So I didn't lock it. Nothing was done.`, {
      hint: say`${typed('pause')} stops everything that has not been sent yet.`,
    });
  }
  const { until, why: shown } = locked.lock;
  const end = until === undefined ? say`until it is unlocked` : say`until ${time(until, 'date')}`;
  return {
    title: say`**${env.name} is locked by you** ${end}`,
    parts: [
      paragraph(
        say`I'll tell everybody who asks to change it, with your reason: “${shown}”. I told the ops channel too.`,
      ),
    ],
    offers: [{ label: 'Unlock', args: ['unlock', env.id] }],
  };
}

/** The lock as a clause that follows *is*: `held by #1042`, `locked by @Ben until 15:40 (“release”)`. */
export function heldBy({ by, why, until }: LockInfo): Text {
  if ('change' in by) return say`held by #${by.change}`;
  const end = until === undefined ? '' : say` until ${time(until, 'date')}`;
  return say`locked by ${mention(by.person)}${end} (“${why}”)`;
}

export const unlockPage = (
  context: PipelineContext,
  asking: Asking,
  { env, force }: { readonly env: Environment; readonly force: boolean },
): Promise<Page> => (force ? removeChangeLock : removePersonLock)(context, asking, env);

async function removePersonLock(context: PipelineContext, asking: Asking, env: Environment): Promise<Page> {
  const { done, lock } = await adminActions(context, asking, asking.sight).unlock(env);
  if (lock === undefined) throw notLocked(env);
  if (!done) {
    throw new Refusal(say`**${env.name} is ${heldBy(lock)}**, not by a person. Nothing was done.`, {
      hint:
        'change' in lock.by
          ? say`${typed(`change ${lock.by.change}`)} shows its state. If its outcome is unknown, those whom a rule lets can free it: ${sample(`unlock ${env.name} --force`)}.`
          : undefined,
    });
  }
  const whose = 'person' in lock.by ? say`the lock of ${mention(lock.by.person)}` : say`the lock`;
  return {
    title: say`**${env.name} is unlocked**`,
    parts: [paragraph(say`That was ${whose} (“${lock.why}”). I told the ops channel.`)],
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
