import type { App } from '@slack/bolt';
import { z } from 'zod';
import { showCall } from '../answers/call-view.ts';
import { openChecklist, sendPageFile, sharePage, showRest } from '../answers/kept-page.ts';
import { openDecision, pressDecision } from '../answers/decisions.ts';
import { originChannelFor } from '../answers/channels.ts';
import { publishHome } from '../answers/home.ts';
import { handleFormButton, handleLine } from '../answers/dispatch.ts';
import { pressIn } from '../../block-kit/button-value.ts';
import { isDirect } from '../../access/assert-channel.ts';
import type { Press, ShownChange } from '../../change/buttons.ts';
import { undoOf } from '../../change/undo.ts';
import { identifySender } from '../../talk/speaker.ts';
import { join } from '../../language/tokenize.ts';
import { say } from '../../words/text.ts';
import { natureOf } from '../context/deliveries.ts';
import { acceptDelivery, type Delivered, type Track } from './receive.ts';
import { type Interaction, type SlackContext } from '../context/context.ts';
import { senderFields, senderIn } from '../context/payload-shapes.ts';

/** The parts of a button press that we use: who, where, and the button's value. */
const buttonPressShape = z.object({
  ...senderFields,
  trigger_id: z.string().optional(),
  response_url: z.string().optional(),
  channel: z.object({ id: z.string() }).optional(),
  view: z.object({ type: z.string() }).optional(),
  container: z.object({ message_ts: z.string().optional(), thread_ts: z.string().optional() }).optional(),
  message: z.object({ thread_ts: z.string().optional() }).optional(),
  actions: z
    .array(z.object({ action_id: z.string(), action_ts: z.string().optional(), value: z.string().optional() }))
    .min(1),
});

/** Buttons on messages and in App Home. A value is arguments to run, the id of a row, or a decision. */
export function listenToButtons(app: App, context: SlackContext, track: Track): void {
  app.action(/.*/, async ({ ack, body }) => {
    const read = buttonPressShape.safeParse(body);
    const button = read.data?.actions[0];
    // `form-events.ts` listens to the inputs of forms.
    if (read.data?.view?.type === 'modal') return;
    if (read.data === undefined || button?.value === undefined) return ack();
    const { user, view, channel, trigger_id: trigger, response_url: responseUrl } = read.data;
    const { action_id: id, action_ts: at, value } = button;
    const [kind = ''] = id.split(':');
    return acceptDelivery(context, track, {
      kind: 'button',
      key: `button:${user.id}:${at ?? trigger}:${id}`,
      content: value,
      ...(kind === 'run' ? natureOf(value) : natureOfPress(kind)),
      from: {
        ...senderIn(context, read.data),
        channel: channel?.id,
        thread: threadOf(read.data),
        responseUrl,
        trigger,
      },
      ack: async () => (await ack(), false),
      work: async (interaction) => {
        try {
          const cardsIn = await cardChannelOf(context, kind, read.data);
          await onPress(context, { ...interaction, cardsIn }, pressIn(kind, value));
        } finally {
          // After a press, it still shows the old state.
          if (view?.type === 'home') await publishHome(context, user.id);
        }
      },
    });
  });
}

/** What is asked for again or run for somebody, in direct messages, has its card where it was first asked for. */
async function cardChannelOf(
  context: SlackContext,
  kind: string,
  { channel, container }: z.infer<typeof buttonPressShape>,
): Promise<string | undefined> {
  const [place, ts] = [channel?.id, container?.message_ts];
  if (!['run', 'form', 'review', 'undo'].includes(kind) || place === undefined || ts === undefined) return undefined;
  return isDirect(place) ? originChannelFor(context, { channel: place, ts }) : undefined;
}

/** For buttons whose value is not arguments. */
const natureOfPress = (kind: string): Pick<Delivered, 'changes' | 'lane'> =>
  kind === 'undo' || kind === 'decision' ? { changes: true, lane: 'urgent' } : { changes: false, lane: 'usual' };

/** The thread of the press. A top message has itself as its thread: a press on it counts as in the channel. */
function threadOf({ container, message }: z.infer<typeof buttonPressShape>): string | undefined {
  const thread = container?.thread_ts ?? message?.thread_ts;
  return thread === container?.message_ts ? undefined : thread;
}

async function onPress(context: SlackContext, interaction: Interaction, press: Press): Promise<void> {
  switch (press.kind) {
    case 'run':
      return handleLine(context, interaction, join(press.args));
    case 'form':
      return handleFormButton(context, interaction, join(press.args), 'fields');
    case 'review':
      return handleFormButton(context, interaction, join(press.args), 'review');
    case 'undo':
      return pressUndo(context, interaction, press);
    case 'decision':
      return pressDecision(context, interaction, press);
    case 'note':
    case 'without':
      return openDecision(context, interaction, press);
    case 'call':
      return showCall(context, interaction, press);
    case 'checklist':
      return openChecklist(context, interaction, { page: press.id, at: press.at });
    case 'share':
      return sharePage(context, interaction, press.id);
    case 'file':
      return sendPageFile(context, interaction, press.id);
    case 'page':
      return showRest(context, interaction, press);
  }
}

/** *Undo* runs its arguments as if the person had typed them, or opens the review if the target may have changed. */
async function pressUndo(context: SlackContext, interaction: Interaction, of: ShownChange): Promise<void> {
  const person = await identifySender(context.pipeline, interaction);
  const { change, args, since } = await undoOf(context.pipeline, person, of);
  if (since === 'as left') return handleLine(context, interaction, join(args));
  const changed = say`changed ${change.target_name} since #${change.number} was done.`;
  const says = since === 'changed' ? say`Somebody has ${changed}` : say`I can't tell whether somebody has ${changed}`;
  const notice = say`**${says}** This is what undoing it would do now.`;
  return handleFormButton(context, interaction, join(args), 'review', notice);
}
