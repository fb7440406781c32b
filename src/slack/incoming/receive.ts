import { Refusal } from '../../base/errors.ts';
import { requestId, type InboxRow } from '../../storage/inbox.ts';
import { failpoint } from '../../base/failpoints.ts';
import { notTaken, rememberDelivery, saveDelivery } from '../context/deliveries.ts';
import { runHandler } from '../context/handler.ts';
import type { Interaction, Lane, SlackContext } from '../context/context.ts';

/** Keeps track of work that runs after an ack, until it ends. */
export type Track = (work: () => Promise<void>) => void;

/** One thing that Slack delivered. */
export type Delivered = {
  readonly kind: InboxRow['kind'];
  /** The same for every copy of a delivery. */
  readonly key: string;
  /** The words of the delivery, as saved in the inbox. */
  readonly content: string;
  /** Whether it may change something; then it is saved before it is acked. */
  readonly changes: boolean;
  /** The queue that limits how many run at the same time. */
  readonly lane: Lane;
  readonly from: Omit<Interaction, 'inbox' | 'request' | 'since' | 'line' | 'lane'>;
  /** Answers Slack; resolves with true if `words` were shown to the person. */
  readonly ack: (words?: string) => Promise<boolean>;
  readonly work: (interaction: Interaction) => Promise<void>;
};

/** Saves the delivery, acks it, then works on it, in this order. A copy of an earlier delivery is only acked. */
export async function acceptDelivery(context: SlackContext, track: Track, delivered: Delivered): Promise<void> {
  const { kind, key, content, from, work, lane } = delivered;
  const onAck = timeAck(context, kind);
  const since = performance.now();
  const request = requestId(key);
  const line = kind === 'command' || kind === 'mention' ? content : undefined;
  if (line !== undefined && from.channel !== undefined) context.people.typedIn(from.person, from.channel);
  const row = { key, kind, person: from.person, channel: from.channel, content };
  const kept = delivered.changes ? await saveDelivery(context, row) : rememberDelivery(context, key);
  if (kept === 'new') failpoint('kept', key);
  const wasShown = await delivered.ack(kept === 'failed' || kept === 'told' ? notTaken(context) : undefined);
  onAck(request);
  if (kept === 'new') failpoint('acked', key);
  if (kept === 'seen' || kept === 'told' || (kept === 'failed' && wasShown)) return;
  const inbox = kept === 'new' ? key : undefined;
  const interaction: Interaction = { ...from, since, line, inbox, request, lane, afterwards: [] };
  const handle = async (): Promise<void> => {
    if (kept === 'failed') throw new Refusal(notTaken(context));
    return work(interaction);
  };
  const begin = (): Promise<void> => runHandler(context, interaction, `reading a ${kind}`, handle, lane);
  track(() => (lane === 'urgent' ? begin() : context.nextTurn(from.person).then(begin)));
}

/** Starts a timer when a delivery arrives; the returned function counts and logs its ack. */
export function timeAck({ metrics, log }: SlackContext, kind: InboxRow['kind']): (request: string) => void {
  const end = metrics.ack.startTimer({ kind });
  const since = performance.now();
  return (request) => {
    end();
    log.info({ request, kind, ms: Math.round(performance.now() - since) }, 'acked a delivery');
  };
}
