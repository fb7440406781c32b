import { catalogue, isDeed } from '../commands/index.ts';
import { Refusal } from '../errors.ts';
import { parse } from '../pipeline/parse.ts';
import type { InboxRow } from '../storage/inbox.ts';
import { passing } from '../points.ts';
import { attend, keep, turnAway, type Heard, type Reception } from './reception.ts';

/** Runs work that follows an ack, and knows of it until it ends; false: too much is under way already. */
export type Track = (work: () => Promise<void>) => boolean;

/** One thing that Slack delivered. */
export type Delivered = {
  readonly kind: InboxRow['kind'];
  /** The same for the same delivery, however often it comes. */
  readonly key: string;
  /** The words in it: what is written down. */
  readonly said: string;
  /** Whether it may change something, and so is written down before it is acked. */
  readonly changes: boolean;
  readonly from: Omit<Heard, 'inbox' | 'since'>;
  /** Answers Slack; true where the words, if there are any, are shown to the person. */
  readonly ack: (words?: string) => Promise<boolean>;
  readonly work: (heard: Heard) => Promise<void>;
};

const noDatabase = 'My database does not answer. Nothing was done. Try again in a minute.';

/** Writes it down, acks it, works on it, in this order; what was seen before is acked and left at that. */
export async function take(reception: Reception, track: Track, delivered: Delivered): Promise<void> {
  const { kind, key, said, from, work } = delivered;
  const end = reception.metrics.ack.startTimer({ kind });
  const since = performance.now();
  const row = { key, kind, person: from.person, channel: from.channel, content: said };
  const kept = delivered.changes && (await keep(reception, row));
  if (kept === 'new') passing('kept', key);
  const told = await delivered.ack(kept === 'failed' ? noDatabase : undefined);
  end();
  if (kept === 'new') passing('acked', key);
  if (kept === 'seen' || (kept === 'failed' && told)) return;
  const heard: Heard = { ...from, since, inbox: kept === 'new' ? key : undefined };
  const attended = (): Promise<void> =>
    attend(reception, heard, `reading a ${kind}`, () => {
      if (kept === 'failed') throw new Refusal(noDatabase);
      return work(heard);
    });
  if (!track(attended)) await turnAway(reception, heard);
}

/** Whether these words change something. What cannot be read is refused later, and changes nothing. */
export function changesSomething(line: string): boolean {
  try {
    const wish = parse(line, catalogue);
    return wish !== undefined && isDeed(wish.command);
  } catch {
    return false;
  }
}
