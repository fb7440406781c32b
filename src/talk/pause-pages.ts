import { Refusal, type Offer } from '../base/errors.ts';
import { type Page, paragraph, counted } from '../commands/kit/page.ts';
import { pausing, type Asking, type PauseResult, type ResumeResult } from '../decide/admin-actions.ts';
import type { Pause, PauseScope } from '../storage/kv.ts';
import { actor, bold, code, joined, say, time, typed, type Text } from '../words/text.ts';
import type { PipelineContext } from './context.ts';

/** Pausing and resuming what is sent. */

/** What is said of a pause, by its scope. */
const worded = {
  all: {
    they: 'Sending is',
    none: 'I send nothing from now on, anywhere, until somebody resumes',
    isNot: "Sending isn't paused.",
    resume: 'resume',
    others: undefined,
  },
  callers: {
    they: 'Programs are',
    none: 'from now on I take no request of theirs, and send nothing that they asked for, anywhere, until somebody resumes them',
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
    const paused = await pausing(context, asking, asking.sight).pause(input.why, scope);
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
    const resumed = await pausing(context, asking, asking.sight).resume(pause, scope);
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
      : `${counted(held, 'approved change')} ${held === 1 ? 'is' : 'are'} sent now, or at their time, after I check rights and targets again.`;
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
