import type { ModalView } from '@slack/types';
import { z } from 'zod';
import { firstOf } from '../../commands/index.ts';
import type { AnyAction } from '../../commands/kit/action.ts';
import { Fault, Refusal } from '../../base/errors.ts';
import type { Authorized, Person } from '../../access/access-check.ts';
import { glassHint } from '../../access/break-glass.ts';
import { InFreeze } from '../../access/freeze-words.ts';
import { tooFewApprove, whoIsTold } from '../../access/nobody-approves.ts';
import type { Press } from '../../change/buttons.ts';
import type { Pinned } from '../../change/pin.ts';
import type { ParsedCommand } from '../../language/bind-arguments.ts';
import { fitsButton } from '../../language/reparse.ts';
import { canonicalArgs, namedBy, type Resolved } from '../../language/resolve.ts';
import { whoWouldBeInvolved } from '../../change/handed-on.ts';
import { searchIn } from '../../language/name-search.ts';
import { commandsFor, type CommandHelp } from '../../talk/help-page.ts';
import { next, type Ask, type Ready } from '../../talk/conversation.ts';
import { identifySender } from '../../talk/speaker.ts';
import { windowOf } from '../../language/schedule.ts';
import { argsOf } from '../../language/usage.ts';
import { joined, say, time, typed, type Text } from '../../words/text.ts';
import { drawNote, drawRefusal } from '../../block-kit/blocks.ts';
import { Locked } from '../../change/lock-in-the-way.ts';
import { formView, noticeView, pickerView, reviewView, type Memo, type Origin } from './views.ts';
import { errorNote } from '../context/handler.ts';
import { within } from '../../base/time-limit.ts';
import type { Interaction, SlackContext } from '../context/context.ts';
import { isPassing } from '../../slack-api/api-errors.ts';
import { platformError } from '../../slack-api/messenger.ts';
import type { DrawnView, OpenView } from '../../slack-api/view-updates.ts';
import { freezeNoteFor, needsHost, formContentsOf, lockNote } from './form-fields.ts';

const openReply = z.object({ view: z.object({ id: z.string(), hash: z.string().optional() }) });
const metadataRoom = 2_500;

/**
 * Opens the form of a command, filled in so far. If choices must be read from the host, a loading view comes first.
 * Without a trigger it sends a button that opens the form.
 */
export async function openForm(
  context: SlackContext,
  interaction: Interaction,
  { resolved, person, says: wrong }: Ask,
  notice?: Text,
): Promise<void> {
  const { parsed } = resolved;
  const draw = async (): Promise<ModalView> => {
    const says = joined([notice, wrong?.says, wrong?.hint]);
    return drawForm(context, originOf(interaction), parsed, person, { says, withLock: resolved });
  };
  const offer = (notice?: Text): Promise<void> => {
    const args = argsOf(parsed.path, parsed.command.fields, (field) => parsed.given[field] ?? [], parsed);
    return offerForm(context, interaction, { kind: 'form', args }, notice);
  };
  if (interaction.trigger === undefined) return offer();
  const waits = needsHost(resolved);
  const view = await openView(context, interaction, waits ? loadingView(parsed.command) : await draw());
  if (view === undefined) return offer();
  if (!waits) return;
  const became = await drawIntoView(context, interaction, { ...view, title: parsed.command.button }, draw);
  if (became === 'unconfirmed') await offer(unconfirmed);
}

type FormExtras = {
  readonly says?: Text | undefined;
  readonly choices?: Memo['choices'];
  readonly withLock?: Resolved;
};

/** Draws the form with what was filled in so far. `withLock`: it says who has locked these targets, see `lockNote`. */
export async function drawForm(
  context: SlackContext,
  from: Origin,
  parsed: ParsedCommand,
  person: Person,
  { says, choices, withLock }: FormExtras = {},
): Promise<ModalView> {
  const { trouble, ...unfolded } = await formContentsOf(context, person, parsed, choices);
  // What is to be sent later looks at locks only then.
  const lock = withLock && parsed.when === undefined ? await lockNote(context, person, withLock) : undefined;
  const freeze = withLock && (await freezeNoteFor(context, person, withLock));
  const window = windowOf(parsed);
  const when = window && say`⏰ It is for ${time(window.at, 'date')}.`;
  const notes = joined([when, lock, freeze, says, trouble?.says, trouble?.hint]);
  return formView(parsed, from, namesFor(context, person), { ...unfolded, ...(notes.length > 0 && { says: notes }) });
}

/** Opens the commands that this person uses most. Throws `Refusal` if no form can be opened. */
export async function openPicker(context: SlackContext, interaction: Interaction, person: Person): Promise<void> {
  const commands = allowedTo(context, person);
  const first = firstOf(commands);
  const view = pickerView(first, first.length < commands.length, originOf(interaction));
  if (await openView(context, interaction, view)) return;
  throw new Refusal('There was no command in that. Nothing was done.', {
    hint: say`Type one after the slash command or the mention; ${typed('help')} lists what you may run.`,
    offers: [{ label: 'Help', args: ['help'] }],
  });
}

/** The commands that this person may run. */
export const allowedTo = ({ pipeline }: SlackContext, person: Person): readonly CommandHelp[] =>
  commandsFor(pipeline.policy(), person).filter(({ mayRun }) => mayRun);

/** Opens a loading view at once, reads from the host, and shows what will happen. `notice` is shown above that. */
export async function openReview(
  context: SlackContext,
  interaction: Interaction,
  ready: Ready,
  notice?: Text,
): Promise<void> {
  const view = await openView(context, interaction, loadingView(ready.authorized.parsed.command));
  if (view === undefined) return offerReview(context, interaction, ready.authorized, notice);
  await showReview(context, interaction, view, ready, notice);
}

function offerReview(
  context: SlackContext,
  interaction: Interaction,
  authorized: Authorized,
  notice: Text | undefined,
): Promise<void> {
  const args = canonicalArgs(authorized, { reason: authorized.parsed.reason });
  return offerForm(context, interaction, { kind: 'review', args }, notice);
}

/** Draws the review of checked input into an open view, or a problem. */
export async function showReview(
  context: SlackContext,
  interaction: Interaction,
  view: OpenView,
  ready: Ready,
  notice?: Text,
): Promise<void> {
  const { authorized, requester } = ready;
  let refused: Refusal | undefined;
  const draw = async (): Promise<ModalView> => {
    const result = await next(context.pipeline, ready, interaction.inbox);
    if (result.kind === 'refuse') {
      if (result.refusal instanceof Locked || result.refusal instanceof InFreeze) refused = result.refusal;
      throw result.refusal;
    }
    if (result.kind !== 'review') throw new Error(`a review became: ${result.kind}`);
    return reviewOf(context, interaction, result.pinned, requester.person, notice);
  };
  const title = authorized.parsed.command.button;
  const became = await drawIntoView(context, interaction, { ...view, title }, draw);
  if (became === 'unconfirmed')
    return offerReview(context, interaction, authorized, joined([notice, unconfirmed], '\n'));
  // A form has no buttons, but this refusal has one.
  if (became === 'drawn' && refused && refused.offers.length > 0)
    await context.ephemeral(interaction, drawRefusal(refused));
}

/** Shows a review again that was submitted and is not as it was shown: as a new form, or behind a button. */
export async function reviewAgain(context: SlackContext, interaction: Interaction, pinned: Pinned): Promise<void> {
  const reader = await identifySender(context.pipeline, interaction);
  const view = await openView(context, interaction, await reviewOf(context, interaction, pinned, reader, changed));
  if (view === undefined) await offerReview(context, interaction, pinned, changed);
}

const changed = say`**This changed while you were reading it.** Nothing was done yet. Please look again.`;

async function reviewOf(
  context: SlackContext,
  interaction: Interaction,
  pinned: Pinned,
  person: Person,
  notice: Text | undefined,
): Promise<ModalView> {
  const { approvers, reviewers } = await whoWouldBeInvolved(context.pipeline, pinned, person.id);
  const notes = [
    notice,
    pinned.parsed.when ? undefined : await lockNote(context, person, pinned),
    pinned.authorization.breakGlass ? undefined : tooFewApprove(approvers.asks),
  ];
  const args = [...canonicalArgs(pinned)];
  const origin = originOf(interaction);
  const fits = JSON.stringify(args).length < metadataRoom;
  const memo: Memo = fits
    ? { origin, args }
    : { origin, stored: await context.payloads.keepList(interaction.person, args) };
  const { approval } = pinned.authorization;
  const hint = approval === 'none' ? undefined : glassHint(context.pipeline, pinned, approval, person.id);
  const aside = reviewers ? whoIsTold(reviewers.asks, context.pipeline.policy().channels) : hint;
  return reviewView(pinned, memo, { notice: joined(notes, '\n'), aside });
}

/** For a form that Slack opened and may not have filled in. */
const unconfirmed = say`**Slack didn't confirm that it filled in the form.** If it still says “Looking at the host…”, close it and open it again here.`;
/** What to do if Slack may not have shown what a button opens. */
export const pressAgain = "If you don't see it, press the button again.";

/**
 * Runs `make` and draws its view into an open view, or draws the refusal or fault instead. If that is not certainly
 * drawn, the refusal or fault is thrown, so that the person is told in another way.
 */
export async function drawIntoView(
  context: SlackContext,
  interaction: Interaction,
  { title, ...view }: OpenView & { readonly title: string },
  make: () => Promise<ModalView>,
): Promise<DrawnView> {
  let trouble: unknown;
  const drawn = await make().catch((error: unknown) => {
    trouble = error instanceof Refusal ? error : new Fault('preparing a form', error);
    if (error instanceof Refusal) return noticeView(title, joined([error.says, error.hint]));
    return noticeView(title, [{ text: errorNote(context, interaction, 'preparing a form', trouble).text }]);
  });
  const became = await context.updateView(view, drawn).catch((error: unknown) => {
    throw trouble ?? error;
  });
  if (became !== 'drawn' && trouble !== undefined) throw trouble;
  return became;
}

/** The view while the host is being read. */
export const loadingView = ({ button }: Pick<AnyAction, 'button'>): ModalView =>
  noticeView(button, say`Looking at the host…`);

/** Looks up the names of targets that the person may read, by id. */
function namesFor(context: SlackContext, person: Person): (id: string) => string | undefined {
  const names = context.pipeline.names(person);
  const lists = (['environment', 'domain', 'site'] as const).map((kind) => searchIn(namedBy({ kind }, names)));
  return (id) => lists.flatMap((list) => list.exact(id))[0]?.name;
}

export const originOf = ({ channel, thread, person, cardsIn }: Interaction): Origin => ({
  channel: channel ?? person,
  thread,
  cardsIn,
});

/**
 * Opens a view, or pushes it on top of the open one. Undefined if there is no trigger, the trigger has expired, or
 * Slack does not answer or is in trouble itself. Throws `Refusal` on servers without forms.
 */
export async function openView(
  { views }: SlackContext,
  { trigger }: Pick<Interaction, 'trigger'>,
  view: ModalView,
  how: 'open' | 'push' = 'open',
): Promise<OpenView | undefined> {
  if (trigger === undefined) return undefined;
  try {
    return openReply.parse(await within(2_500, views.views[how]({ trigger_id: trigger, view }))).view;
  } catch (error) {
    const name = platformError(error);
    if (name === undefined || name.includes('trigger') || isPassing(name)) return undefined;
    if (name === 'unknown_method') {
      throw new Refusal('This needs a form, and this server has no forms. Nothing was done.', {
        hint: say`Type the whole command instead; ${typed('help')} and the name of the command show how.`,
      });
    }
    throw error;
  }
}

/** Sends a button that opens the form: a press gives a new trigger. Throws `Refusal` if it would be too long. */
export async function offerForm(
  context: SlackContext,
  interaction: Interaction,
  press: Press,
  notice?: Text,
): Promise<void> {
  if ('args' in press && !fitsButton(press.args)) {
    throw new Refusal('This needs a form, and is too long for the button that opens it. Nothing was done.', {
      hint:
        interaction.trigger === undefined
          ? 'Type it as a slash command.'
          : "Slack didn't open the form this time. Please try again.",
    });
  }
  await context.ephemeral(
    interaction,
    drawNote({
      text: joined([notice, 'This needs a form. Nothing was done yet.']),
      buttons: [{ label: 'Open the form', press, style: 'primary' }],
    }),
  );
}
