import type { App } from '@slack/bolt';
import { z } from 'zod';
import { Refusal } from '../../errors.ts';
import { drawPage } from '../draw/blocks.ts';
import { showCall } from '../answers/call-view.ts';
import { openChecklist } from '../answers/checklist.ts';
import { openDecision, pressDecision } from '../answers/decisions.ts';
import { publishHome } from '../answers/home.ts';
import { handleButton, handleLine, reauthorize } from '../answers/dispatch.ts';
import { natureOf, acceptDelivery, type Delivered, type Track } from './receive.ts';
import { type Interaction, type SlackContext } from '../context/context.ts';
import { sendSheet } from '../answers/send-sheet.ts';
import { share } from '../answers/share.ts';
import { pressUndo } from '../answers/undo.ts';
import { sentBy, senderIn } from '../context/payload-shapes.ts';

/** The parts of a button press that we use: who, where, and the button's value. */
const press = z.object({
  ...sentBy,
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
    const read = press.safeParse(body);
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
      ...(kind === 'run' ? natureOf(value) : natureOfKind(kind)),
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
          await pressed(context, interaction, kind, value);
        } finally {
          if (view?.type === 'home') await redrawHome(context, user.id);
        }
      },
    });
  });
}

/** For buttons that do not hold arguments. */
const natureOfKind = (kind: string): Pick<Delivered, 'changes' | 'lane'> =>
  kind === 'undo' || kind === 'decision' ? { changes: true, lane: 'urgent' } : { changes: false, lane: 'usual' };

/** The thread of the press. The top message of a thread names itself as its thread; that press is in the channel. */
function threadOf({ container, message }: z.infer<typeof press>): string | undefined {
  const thread = container?.thread_ts ?? message?.thread_ts;
  return thread === container?.message_ts ? undefined : thread;
}

/** After a press App Home still shows the old state. */
const redrawHome = (context: SlackContext, id: string): Promise<void> =>
  publishHome(context, id).catch((error: unknown) => context.log.warn({ err: error }, 'could not redraw an App Home'));

async function pressed(context: SlackContext, interaction: Interaction, kind: string, value: string): Promise<void> {
  switch (kind) {
    case 'run':
      return handleLine(context, interaction, value);
    case 'form':
      return handleButton(context, interaction, value, 'fields');
    case 'review':
      return handleButton(context, interaction, value, 'review');
    case 'undo':
      return pressUndo(context, interaction, value);
    case 'decision':
      return pressDecision(context, interaction, value);
    case 'note':
      return openDecision(context, interaction, { verdict: 'approve', value });
    case 'without':
      return openDecision(context, interaction, { verdict: 'go_on', value });
    case 'call':
      return showCall(context, interaction, value);
    case 'checklist': {
      const [at = '', id = ''] = value.split(' ');
      return openChecklist(context, interaction, { page: id, at: Number(at) });
    }
    case 'share':
      return share(context, interaction, value);
    case 'file':
      return sendSheet(context, interaction, value);
    case 'page': {
      const [from = '0', id = ''] = value.split(' ');
      const kept = await context.payloads.keptPage(id);
      await reauthorize(context, interaction, kept);
      return context.ephemeral(interaction, drawPage(kept.page, { id, shareable: false }, Number(from)));
    }
    default:
      throw new Refusal("I don't recognise this button any more. Nothing was done.");
  }
}
