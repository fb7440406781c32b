import type { App } from '@slack/bolt';
import { z } from 'zod';
import { Refusal } from '../../errors.ts';
import { drawPage } from '../draw/blocks.ts';
import { showCall } from '../answers/call-view.ts';
import { pressDecision } from '../answers/decisions.ts';
import { publishHome } from '../answers/home.ts';
import { askedAgain, hear, hearForm, hearReview } from '../answers/dispatch.ts';
import { natureOf, take, type Delivered, type Track } from './receive.ts';
import { type Heard, type Reception } from '../context/context.ts';
import { share } from '../answers/share.ts';
import { pressUndo } from '../answers/undo.ts';
import { enterpriseNamed } from '../context/payload-shapes.ts';

/** A pressed button, as far as it is believed: who, where, and the words or the row it names. */
const press = z.object({
  user: z.object({ id: z.string(), team_id: z.string().optional() }),
  enterprise: enterpriseNamed,
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

/** Buttons of messages: words as if they had been typed, the name of a row, or a decision. */
export function listenToButtons(app: App, reception: Reception, track: Track): void {
  app.action(/.*/, async ({ ack, body }) => {
    const read = press.safeParse(body);
    const button = read.data?.actions[0];
    // Inputs of forms are listened to elsewhere.
    if (read.data?.view?.type === 'modal') return;
    if (read.data === undefined || button?.value === undefined) return ack();
    const { user, enterprise, view, channel, trigger_id: trigger, response_url: responseUrl } = read.data;
    const { action_id: id, action_ts: at, value } = button;
    const [kind = ''] = id.split(':');
    return take(reception, track, {
      kind: 'button',
      key: `button:${user.id}:${at ?? trigger}:${id}`,
      said: value,
      ...(kind === 'words' ? natureOf(value) : isDecisive(kind)),
      from: {
        person: user.id,
        team: reception.people.originOf({ team: user.team_id, enterprise: enterprise?.id }),
        channel: channel?.id,
        thread: threadOf(read.data),
        responseUrl,
        trigger,
      },
      ack: async () => (await ack(), false),
      work: async (heard) => {
        try {
          await pressed(reception, heard, kind, value);
        } finally {
          if (view?.type === 'home') await redrawHome(reception, user.id);
        }
      },
    });
  });
}

/** Of buttons that do not stand for words. */
const isDecisive = (kind: string): Pick<Delivered, 'changes' | 'lane'> =>
  kind === 'undo' || kind === 'decision' ? { changes: true, lane: 'urgent' } : { changes: false, lane: 'usual' };

/** The thread that was read when the button was pressed. A message above replies names itself, and is read in its channel. */
function threadOf({ container, message }: z.infer<typeof press>): string | undefined {
  const thread = container?.thread_ts ?? message?.thread_ts;
  return thread === container?.message_ts ? undefined : thread;
}

/** What was pressed in App Home stands there in an older form. */
const redrawHome = (reception: Reception, id: string): Promise<void> =>
  publishHome(reception, id).catch((error: unknown) => reception.log.warn({ err: error }, 'a home stays old'));

async function pressed(reception: Reception, heard: Heard, kind: string, value: string): Promise<void> {
  const { shelf } = reception;
  switch (kind) {
    case 'words':
      return hear(reception, heard, value);
    case 'form':
      return hearForm(reception, heard, value);
    case 'review':
      return hearReview(reception, heard, value);
    case 'undo':
      return pressUndo(reception, heard, value);
    case 'decision':
      return pressDecision(reception, heard, value);
    case 'call':
      return showCall(reception, heard, value);
    case 'share':
      return share(reception, heard, value);
    case 'page': {
      const [from = '0', id = ''] = value.split(' ');
      const { words, page } = await shelf.keptPage(id);
      await askedAgain(reception, heard, words);
      return reception.privately(heard, drawPage(page, { id, shareable: false }, Number(from)));
    }
    default:
      throw new Refusal('I do not know this button any more. Nothing was done.');
  }
}
