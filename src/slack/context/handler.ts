import { Fault, Refusal } from '../../errors.ts';
import { Ended } from '../../pipeline/steps/decide.ts';
import { NotAdmitted } from '../../semaphore.ts';
import { closeInbox } from '../../storage/inbox.ts';
import { join, split } from '../../pipeline/language/tokenize.ts';
import { scrub } from '../../secret.ts';
import { code, joined, say, type Text } from '../../text.ts';
import { cut } from '../draw/truncate.ts';
import { drawNote, drawRefusal, type Drawn } from '../draw/blocks.ts';
import type { Interaction, Lane, SlackContext } from './context.ts';
import { whileHeld } from './slow-work.ts';

/** Closes the delivery: true where nobody has told its sender yet what came of it. */
export async function close(context: SlackContext, { inbox }: Pick<Interaction, 'inbox'>): Promise<boolean> {
  if (inbox === undefined) return true;
  const { database } = context.front;
  const now = await database.now();
  // Not flushed: where a machine loses this with its power, its sender is told once more.
  return closeInbox(database.db, inbox, now);
}

/** Runs what follows an ack: a refusal is told to the person alone, anything else becomes a fault with a reference. */
export async function runHandler(
  context: SlackContext,
  interaction: Interaction,
  what: string,
  work: () => Promise<void>,
  lane: Lane,
): Promise<void> {
  try {
    await whileHeld(context, interaction, () => context.turns[lane](work, interaction.person));
    await close(context, interaction);
  } catch (error) {
    const told = wordsFor(context, what, error, interaction.line);
    try {
      const isOpen = await close(context, interaction);
      if (isOpen || error instanceof Ended) await context.ephemeral(interaction, told);
    } catch (again) {
      context.log.error({ err: again }, 'somebody could not be told');
    }
  }
}

/** What somebody is told who had no turn; `named` is what was not run. */
const turnedAway: Readonly<Record<NotAdmitted['why'], (named: Text) => Refusal>> = {
  own: (named) =>
    new Refusal('You have as much running and waiting as one person can. This was not run: nothing was done.', {
      hint: joined([named, 'Ask again when some of it is finished.']),
    }),
  all: (named) =>
    new Refusal('I have too much to do right now. Nothing was done.', {
      hint: joined([named, 'Try again in a minute.']),
    }),
  late: (named) =>
    new Refusal('This waited a minute for its turn, and was not run. Nothing was done.', {
      hint: joined([named, 'The host may be slow to answer. Ask again in a minute.']),
    }),
};

const maxLineLength = 100;

/** Several may be refused at once: each names what it is about, as far as that can be repeated. */
function notRun(line = ''): Text {
  const said = inOneLine(line);
  return said === '' ? [] : say`Not run: ${code(cut(said, maxLineLength))}.`;
}

/** Nothing has looked at this line yet: what cannot be read safely is not repeated, nor a credential. */
function inOneLine(line: string): string {
  try {
    return scrub(join(split(line).map(({ text }) => text)));
  } catch {
    return '';
  }
}

/** What somebody is told of an error; faults are logged with their reference. */
export function wordsFor(context: SlackContext, what: string, error: unknown, line?: string): Drawn {
  if (error instanceof Refusal) return drawRefusal(error);
  if (error instanceof NotAdmitted) return drawRefusal(turnedAway[error.why](notRun(line)));
  const fault = error instanceof Fault ? error : new Fault(what, error);
  context.metrics.faults.inc({ what });
  context.log.error({ err: fault, reference: fault.reference }, `fault while ${what}`);
  return drawNote({
    text: say`Something broke on my side while ${what}. Where no card of it stands, nothing was done. Reference ${code(fault.reference)}, it is in my log.`,
  });
}

/**
 * The promise, or a rejection after so many milliseconds; what is late goes on unheard. They are waited for in parts:
 * where this process was busy with something else meanwhile, what came can still be taken, and is not late.
 */
export async function within<T>(milliseconds: number, promise: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    const wait = (parts: number): void => {
      if (parts === 0) return reject(new Error(`no answer within ${milliseconds} ms`));
      timer = setTimeout(() => wait(parts - 1), milliseconds / 4);
    };
    wait(4);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}
