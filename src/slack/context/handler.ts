import { Fault, Refusal } from '../../base/errors.ts';
import { EndedByClick } from '../../decide/decide.ts';
import { Undeliverable } from '../../post/messenger.ts';
import { NotAdmitted } from '../../base/semaphore.ts';
import { closeInbox, isInboxOpen } from '../../storage/inbox.ts';
import { isBack, isLostConnection } from '../../base/lost-connection.ts';
import { code, joined, say } from '../../words/text.ts';
import { drawRefusal, type Drawn } from '../../block-kit/blocks.ts';
import type { Interaction, Lane, SlackContext } from './context.ts';
import { inboxLeaseMs, wasReportedLost, whileLeased } from './slow-work.ts';
import { answerLater, repeatableLine, type PrivateAnswer } from './late-answers.ts';

/** Closes the delivery. True if its sender has not been told a result yet. */
export async function close(context: SlackContext, { inbox }: Pick<Interaction, 'inbox'>): Promise<boolean> {
  if (inbox === undefined) return true;
  const { database } = context.pipeline;
  // Not flushed to disk: after a power cut the sender is only told once more.
  const closeNow = async (): Promise<boolean> => closeInbox(database.db, inbox, await database.now());
  return closeNow().catch(async (error: unknown) => {
    // An open delivery would be reported as lost once its lease ends.
    if (isLostConnection(error) && (await isBack(database, inboxLeaseMs))) return closeNow();
    throw error;
  });
}

/** Whether, according to the database, the sender has not been told a result yet. */
async function isOpen({ pipeline, log }: SlackContext, { inbox, request }: Interaction): Promise<boolean> {
  if (inbox === undefined) return true;
  return isInboxOpen(pipeline.database.db, inbox).catch((error: unknown) => {
    log.error({ err: error, request }, 'could not see whether somebody was told');
    return true;
  });
}

/** Runs the work after an ack. A refusal is shown to the person alone; any other error is a fault with a reference. */
export async function runHandler(
  context: SlackContext,
  interaction: Interaction,
  activity: string,
  work: () => Promise<void>,
  lane: Lane,
): Promise<void> {
  const { request, since } = interaction;
  const note = (outcome: 'done' | 'refused' | 'fault'): void =>
    context.log.info(
      { request, work: activity, outcome, ms: Math.round(performance.now() - since) },
      'worked on a delivery',
    );
  try {
    await whileLeased(context, interaction, async () => {
      await context.turns[lane](() => withSecondTry(context, interaction, work), interaction.person);
      for (const later of interaction.afterwards ?? []) await later();
    });
    await close(context, interaction);
    note('done');
  } catch (error) {
    note(error instanceof Refusal || error instanceof NotAdmitted || isUnanswered(error) ? 'refused' : 'fault');
    const answer = answerTo(context, interaction, activity, error);
    try {
      // Tell the person first: a crash in between then repeats the message instead of losing it.
      if (error instanceof EndedByClick || (await isOpen(context, interaction)))
        await tell(context, interaction, answer);
      else if (!(error instanceof Refusal) && !(await wasReportedLost(context, interaction)))
        await tell(context, interaction, workedOn);
      await close(context, interaction);
    } catch (again) {
      context.log.error({ err: again }, 'could not tell somebody what went wrong');
    }
  }
}

/** Answers now or, if Slack takes no answer right now, later. */
export const tell = (
  context: SlackContext,
  interaction: Interaction,
  { says, hint = [], offers = [] }: Pick<PrivateAnswer, 'says'> & Partial<PrivateAnswer>,
): Promise<void> =>
  context
    .ephemeral(interaction, drawRefusal({ says, hint, offers }))
    .catch(() => answerLater(context, interaction, { says, hint, offers }));

/** PostgreSQL restarts or fails over within seconds. If it takes longer, the person is told and can ask again. */
const backWithinMs = 5_000;

/**
 * Runs the work, and once more if it failed only because the database connection was lost and is back within seconds.
 * Not if the delivery is closed: then the first try saved its result, or the sender was told that it was lost. Not
 * after a commit that got no answer.
 */
async function withSecondTry(
  { pipeline: { database }, log }: Pick<SlackContext, 'pipeline' | 'log'>,
  { inbox, request }: Pick<Interaction, 'inbox' | 'request'>,
  work: () => Promise<void>,
): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (inbox === undefined || !isLostConnection(error) || !(await isBack(database, backWithinMs))) throw error;
    if (!(await isInboxOpen(database.db, inbox).catch(() => false))) throw error;
    log.info({ err: error, request }, 'lost the database while working on a delivery, and try once more');
    await work();
  }
}

/** The commit closed the delivery, so the work was done. */
const workedOn: PrivateAnswer = {
  says: say`**I worked on what you asked for,** but I couldn't show you what came of it. Please look before you ask for it again.`,
  hint: [],
  offers: [],
};

/** Why work got no turn, and what to do next. */
const noTurn: Readonly<Record<NotAdmitted['why'], readonly [says: string, hint: string]>> = {
  own: [
    "You already have a lot running, so I didn't start this one. Nothing was done.",
    'Try again when something finishes.',
  ],
  all: ["I'm too busy right now, so I didn't start this. Nothing was done.", 'Try again in a minute.'],
  late: [
    "This waited a minute for its turn, so I didn't run it. Nothing was done.",
    'The host may be slow. Try again in a minute.',
  ],
};

/** Slack does not take what is to be shown, whatever it says. */
const isUnanswered = (error: unknown): error is Undeliverable =>
  error instanceof Undeliverable && error.kind !== 'drawing';

/** The message for an error. */
export const errorNote = (...of: Parameters<typeof answerTo>): Drawn => drawRefusal(answerTo(...of));

/** What the person is told of an error. A fault is logged with the id of the request, which the person gets too. */
function answerTo(
  context: SlackContext,
  { request, line }: Pick<Interaction, 'request' | 'line'>,
  activity: string,
  error: unknown,
): PrivateAnswer {
  if (error instanceof Refusal) return error;
  const named = repeatableLine(line);
  if (error instanceof NotAdmitted) {
    const [says, hint] = noTurn[error.why];
    // Several requests may be refused at once, so each refusal names its command.
    return new Refusal(says, { hint: joined([named && say`Not run: ${named}.`, hint]) });
  }
  if (isUnanswered(error)) {
    context.log.warn({ err: error, request }, `Slack took no answer while ${activity}`);
    return new Refusal(
      say`**Slack didn't take my answer to this** (${code(error.message)}). If you see no card for it, nothing was done. Please ask again.`,
    );
  }
  const fault = error instanceof Fault ? error : new Fault(activity, error);
  context.metrics.faults.inc();
  context.log.error({ err: fault, request }, `fault while ${activity}`);
  return new Refusal(
    say`Something broke on my side while ${activity}${named ? say` (${named})` : ''}. If you see no card for it, nothing was done. Reference ${code(request)}: the details are in my log.`,
  );
}
