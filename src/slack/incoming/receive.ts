import { catalogue, isDeed, type Command } from '../../commands/index.ts';
import { Refusal } from '../../errors.ts';
import { parse } from '../../pipeline/language/parse.ts';
import type { InboxRow } from '../../storage/inbox.ts';
import { failpoint } from '../../failpoints.ts';
import { keep, keepUnwritten, noDatabase } from '../context/deliveries.ts';
import { runHandler } from '../context/handler.ts';
import type { Interaction, Lane, SlackContext } from '../context/context.ts';

/** Knows of work that follows an ack until it ends. */
export type Track = (work: () => Promise<void>) => void;

/** One thing that Slack delivered. */
export type Delivered = {
  readonly kind: InboxRow['kind'];
  /** The same for the same delivery, however often it comes. */
  readonly key: string;
  /** The words in it: what is written down. */
  readonly said: string;
  /** Whether it may change something, and so is written down before it is acked. */
  readonly changes: boolean;
  /** In which turns it is worked on. */
  readonly lane: Lane;
  readonly from: Omit<Interaction, 'inbox' | 'since' | 'line'>;
  /** Answers Slack; true where the words, if there are any, are shown to the person. */
  readonly ack: (words?: string) => Promise<boolean>;
  readonly work: (interaction: Interaction) => Promise<void>;
};

/** Writes it down, acks it, works on it, in this order; what was seen before is acked and left at that. */
export async function acceptDelivery(context: SlackContext, track: Track, delivered: Delivered): Promise<void> {
  const { kind, key, said, from, work, lane } = delivered;
  const end = context.metrics.ack.startTimer({ kind });
  const since = performance.now();
  const row = { key, kind, person: from.person, channel: from.channel, content: said };
  const kept = delivered.changes ? await keep(context, row) : keepUnwritten(context, key);
  if (kept === 'new') failpoint('kept', key);
  const told = await delivered.ack(kept === 'failed' || kept === 'told' ? noDatabase : undefined);
  end();
  if (kept === 'new') failpoint('acked', key);
  if (kept === 'seen' || kept === 'told' || (kept === 'failed' && told)) return;
  const line = kind === 'command' || kind === 'mention' ? said : undefined;
  const interaction: Interaction = { ...from, since, line, inbox: kept === 'new' ? key : undefined };
  const attended = async (): Promise<void> => {
    if (kept === 'failed') throw new Refusal(noDatabase);
    return work(interaction);
  };
  const begin = (): Promise<void> => runHandler(context, interaction, `reading a ${kind}`, attended, lane);
  track(() => (lane === 'urgent' ? begin() : context.nextTurn(from.person).then(begin)));
}

/** Whether these words change something, and whether they may wait. What cannot be read is refused later. */
export function natureOf(line: string): Pick<Delivered, 'changes' | 'lane'> {
  const command = commandIn(line);
  return { changes: command !== undefined && isDeed(command), lane: laneOf(command) };
}

/** In which turns a command is worked on. */
export function laneOf(command: Command | undefined): Lane {
  if (command?.shape === 'report') return 'reports';
  return command?.shape === 'builtin' && command.urgent ? 'urgent' : 'usual';
}

function commandIn(line: string): Command | undefined {
  try {
    return parse(line, catalogue)?.command;
  } catch {
    return undefined;
  }
}
