import { Refusal } from '../../base/errors.ts';
import type { Environment } from '../../hosting/contract/target.ts';
import { list, mention, sample, say, time, typed } from '../../words/text.ts';
import { builtin, type ForceUnlockResult, type QueryService } from '../kit/builtin.ts';
import { heldBy } from '../kit/lock-info.ts';
import { environment, flag } from '../kit/fields.ts';
import { type Page, paragraph } from '../kit/page.ts';

export const unlock = builtin({
  summary: 'Unlock an environment; with force, even from a change of unknown outcome',
  button: 'Unlock',
  also: `
    un-lock, clear lock, undo lock, break lock, remove lock, stop lock, lift lock, release lock, take lock off,
    lock away, lock go away, lock off, lock can go, lock go, lock gone, lock over, turn off lock, lock no longer,
    unlock <environment>, release <environment>, unblock <environment>, free <environment>, open again, open
    <environment> again`,
  right: 'named',
  shows: ['environments'],
  changes: true,
  urgent: true,
  ownRight: 'force',
  examples: ['acme-shop/live'],
  fields: {
    env: environment(),
    force: {
      ...flag('Force'),
      hint: "Removes the lock of a change of unknown outcome instead of a person's. It doesn't say whether the change happened.",
    },
  },
  answer: ({ input: { env, force }, queryService }) =>
    force ? removeChangeLock(env, queryService) : removePersonLock(env, queryService),
});

async function removePersonLock(env: Environment, queryService: QueryService): Promise<Page> {
  const { done, lock } = await queryService.unlock(env);
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

async function removeChangeLock(env: Environment, queryService: QueryService): Promise<Page> {
  const result = await queryService.forceUnlock(env);
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
      return freedPage(env, result, queryService);
  }
}

function freedPage(
  env: Environment,
  { change, stands, arrives, others, still }: Freed,
  queryService: QueryService,
): Page {
  const left = queryService.names().environments.filter(({ id }) => others.includes(id));
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
