import { Refusal } from '../base/errors.ts';
import { counted, paragraph, type Page } from '../commands/kit/page.ts';
import { adminActions, type Asking, type PauseResult } from '../decide/admin-actions.ts';
import type { Pause } from '../storage/kv.ts';
import { actor, bold, code, joined, say, time, typed, type Text } from '../words/text.ts';
import type { PipelineContext } from './context.ts';

export async function pausePage(
  context: PipelineContext,
  asking: Asking,
  input: { readonly why: string | undefined },
): Promise<Page> {
  const paused = await adminActions(context, asking, asking.sight).pause(input.why);
  const { done, pause, held, atHost } = paused;
  const why = pause.why === undefined ? '' : say` (“${pause.why}”)`;
  const since = done
    ? say`**Sending is paused: I send nothing from now on**${why}`
    : say`**Sending is already paused**, by ${actor(pause.by)} since ${time(pause.at, 'date')}${why}. Nothing was changed.`;
  return {
    title: since,
    parts: [
      paragraph(
        say`Held back: ${counted(held, 'approved change')}. Each one still expires when its time is over.`,
        listHeld(paused),
        say`Already at the host and not stopped: ${counted(atHost, 'change')}. Use ${typed('resume')} to send what is held back.`,
      ),
    ],
    offers: [{ label: 'Resume', args: ['resume', String(pause.at)] }],
  };
}

export async function resumePage(
  context: PipelineContext,
  asking: Asking,
  { pause }: { readonly pause: number | undefined },
): Promise<Page> {
  const resumed = await adminActions(context, asking, asking.sight).resume(pause);
  const { ended, left, held } = resumed;
  const you = asking.person.id;
  if (left)
    return {
      title: say`**Sending is still paused**`,
      parts: [
        paragraph(
          ended ? say`I ended ${pauseInWords(ended, you)}.` : say`I ended nothing.`,
          say`There is still ${pauseInWords(left, you)}. Nothing is sent yet. ${left.by === 'sitehand' ? "Please compare the last hours with the host's panel, then" : 'To end it,'} press ${bold('Resume')} or type ${typed(`resume ${left.at}`)}.`,
          listHeld(resumed),
        ),
      ],
      offers: [{ label: 'Resume', args: ['resume', String(left.at)] }],
    };
  if (!ended) throw new Refusal(say`**Sending isn't paused.** Nothing was done.`);
  return {
    title: say`**Sending is on again**`,
    parts: [
      paragraph(
        say`I ended ${pauseInWords(ended, you)}. ${held === 0 ? 'No approved change is waiting.' : `${counted(held, 'approved change')} ${held === 1 ? 'is' : 'are'} sent now, after I check rights and targets again.`}`,
        listHeld(resumed),
      ),
    ],
  };
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
