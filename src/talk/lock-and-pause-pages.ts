import { Refusal, type Offer } from '../base/errors.ts';
import type { lock } from '../commands/builtin/lock.ts';
import type { Input } from '../commands/kit/fields.ts';
import { type Page, paragraph, counted } from '../commands/kit/page.ts';
import {
  adminActions,
  type Asking,
  type LockInfo,
  type PauseResult,
  type ResumeResult,
} from '../decide/admin-actions.ts';
import { forceUnlock, type ForceUnlockResult } from '../decide/force-unlock.ts';
import type { Environment } from '../hosting/contract/target.ts';
import { list, mention, sample, say, time, typed, type Text, actor, bold, code, joined } from '../words/text.ts';
import type { PipelineContext } from './context.ts';
import { namesFor } from './environments-page.ts';
import type { Pause, PauseScope } from '../storage/kv.ts';

/** What holds sending up: locks of targets, and pauses. */

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

/** What is said of a pause, by its scope. */
const worded = {
  all: {
    they: 'Sending is',
    none: 'I send nothing from now on',
    isNot: "Sending isn't paused.",
    resume: 'resume',
    others: undefined,
  },
  callers: {
    they: 'Programs are',
    none: 'from now on I take no request of theirs, and send nothing that they asked for',
    isNot: "Programs aren't paused.",
    resume: 'resume callers',
    others: say`What people ask for is still sent; ${typed('pause')} stops that too.`,
  },
} satisfies Readonly<Record<PauseScope, unknown>>;

const resumeOffer = (scope: PauseScope, { at }: Pause): Offer => ({
  label: 'Resume',
  args: [...worded[scope].resume.split(' '), String(at)],
});

export const pausePage =
  (scope: PauseScope) =>
  async (context: PipelineContext, asking: Asking, input: { readonly why: string | undefined }): Promise<Page> => {
    const paused = await adminActions(context, asking, asking.sight).pause(input.why, scope);
    const { done, pause, held, atHost } = paused;
    const { they, none, resume, others } = worded[scope];
    const why = pause.why === undefined ? '' : say` (“${pause.why}”)`;
    const since = done
      ? say`**${they} paused: ${none}**${why}`
      : say`**${they} already paused**, by ${actor(pause.by)} since ${time(pause.at, 'date')}${why}. Nothing was changed.`;
    return {
      title: since,
      parts: [
        paragraph(
          say`Held back: ${counted(held, 'approved change')}. Each one still expires when its time is over.`,
          listHeld(paused),
          say`Already at the host and not stopped: ${counted(atHost, 'change')}. Use ${typed(resume)} to send what is held back.`,
          others,
        ),
      ],
      offers: [resumeOffer(scope, pause)],
    };
  };

export const resumePage =
  (scope: PauseScope) =>
  async (
    context: PipelineContext,
    asking: Asking,
    { pause }: { readonly pause: number | undefined },
  ): Promise<Page> => {
    const resumed = await adminActions(context, asking, asking.sight).resume(pause, scope);
    const { ended, left } = resumed;
    const { they, isNot } = worded[scope];
    if (left) return stillPausedPage(scope, resumed, left, asking.person.id);
    if (!ended)
      throw new Refusal(say`**${isNot}** Nothing was done.`, {
        hint: scope === 'all' && resumed.other ? say`Programs are: ${typed('resume callers')}.` : undefined,
      });
    return {
      title: say`**${they} on again**`,
      parts: [
        paragraph(say`I ended ${pauseInWords(ended, asking.person.id)}. ${sentNow(scope, resumed)}`, listHeld(resumed)),
      ],
    };
  };

function stillPausedPage(scope: PauseScope, resumed: ResumeResult, left: Pause, you: string): Page {
  const { ended } = resumed;
  const offer = resumeOffer(scope, left);
  return {
    title: say`**${worded[scope].they} still paused**`,
    parts: [
      paragraph(
        ended ? say`I ended ${pauseInWords(ended, you)}.` : say`I ended nothing.`,
        say`There is still ${pauseInWords(left, you)}. ${worded[scope].others ?? 'Nothing is sent yet.'} ${left.by === 'sitehand' ? "Please compare the last hours with the host's panel, then" : 'To end it,'} press ${bold(offer.label)} or type ${typed(offer.args.join(' '))}.`,
        listHeld(resumed),
      ),
    ],
    offers: [offer],
  };
}

/** What is sent after it. */
function sentNow(scope: PauseScope, { held, other }: ResumeResult): Text {
  if (scope === 'callers' && other) return say`All sending is still paused, so nothing is sent yet.`;
  const now =
    held === 0
      ? 'No approved change is waiting.'
      : `${counted(held, 'approved change')} ${held === 1 ? 'is' : 'are'} sent now, after I check rights and targets again.`;
  return other ? say`${now} Programs stay paused until ${typed(worded.callers.resume)}.` : say`${now}`;
}

const pauseInWords = ({ by, at, why }: Pause, you: string) =>
  say`the pause that ${by === you ? 'you' : actor(by)} started ${time(at, 'date')}${why === undefined ? '' : say` (“${why}”)`}`;

/** The changes that a pause holds back, one per line, and how many more; empty if there are none. */
function listHeld({ held, named }: Pick<PauseResult, 'held' | 'named'>): Text {
  if (held === 0) return [];
  const more = held - named.length;
  const lines = named.map(({ number, title }) => say`• ${code(`#${number}`)} ${title}`);
  const rest = named.length === 0 ? `• ${more} that you can't see` : `• and ${more} more`;
  return joined([...lines, more > 0 ? rest : undefined], '\n');
}
