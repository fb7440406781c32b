import { receive, requestId, type InboxRow } from '../../storage/inbox.ts';
import { scrub } from '../../base/secret.ts';
import { inboxLeaseMs } from './slow-work.ts';
import { close } from './handler.ts';
import { within } from '../../base/time-limit.ts';
import type { Deliveries, SaveResult, SlackContext, Lane } from './context.ts';
import { BoundedMap } from '../../base/caches.ts';
import { catalogue, changesSomething, type Command } from '../../commands/index.ts';
import { attempt } from '../../base/errors.ts';
import { parse } from '../../language/parse.ts';
import { likelyCommand } from '../../language/reader.ts';
import type { Note } from '../../change/card.ts';
import { code, say, type Text } from '../../words/text.ts';
import { decisionIn } from '../../block-kit/button-value.ts';

/** Saves deliveries before they are acked, recognises copies, and says which were lost. */

/** How many recent deliveries are remembered: Slack repeats an unacked one for up to five minutes. */
const maxKnown = 5_000;
const saveWithinMs = 1_000;

export const createDeliveries = (): Deliveries => new BoundedMap(maxKnown);

/** Another process may be working on a copy, so this doesn't promise that nothing was done. */
const noDatabase =
  "My database isn't answering. If you see no card and no other answer to this, nothing was done. Try again in a minute.";
/** Shown while a newer version takes over. */
const replaced =
  "I'm being replaced by a newer version. If you see no card and no other answer to this, nothing was done. Try again in a minute.";

/** What a person is told if their delivery was not saved. */
export const notTaken = ({ pipeline }: SlackContext): string =>
  pipeline.database.isOutdated() ? replaced : noDatabase;

type Row = Pick<InboxRow, 'key' | 'kind' | 'person'> & { channel?: string | undefined; content: string };

/** Saves a delivery, which may be a copy. `told`: as `failed`, but the sender was already told about an earlier copy. */
export async function saveDelivery(context: SlackContext, row: Row): Promise<SaveResult | 'told'> {
  const { deliveries } = context;
  const earlier = deliveries.get(row.key);
  if (earlier !== undefined) return (await earlier) === 'failed' ? 'told' : 'seen';
  const outcome = saveFirst(context, row);
  deliveries.set(row.key, outcome);
  return outcome;
}

/** As `saveDelivery`, for deliveries that change nothing: only this process remembers them, to answer a copy once. */
export function rememberDelivery({ deliveries }: SlackContext, key: string): 'seen' | undefined {
  if (deliveries.has(key)) return 'seen';
  deliveries.set(key, Promise.resolve('new'));
  return undefined;
}

async function saveFirst(context: SlackContext, row: Row): Promise<SaveResult> {
  const { database } = context.pipeline;
  const content = scrub(row.content).slice(0, 10_000);
  const write = async (): Promise<'new' | 'seen'> => {
    if (database.isOutdated()) throw new Error('a newer version has changed the database');
    const now = await database.now();
    const leased = { owner: context.pipeline.owner, lease_until: now + inboxLeaseMs, received_at: now };
    return database.statement((db) => receive(db, { ...row, channel: row.channel ?? '', content, ...leased }));
  };
  const writing = write();
  try {
    return await within(saveWithinMs, writing);
  } catch (error) {
    context.log.error({ err: error, request: requestId(row.key) }, 'could not save a delivery');
    closeIfWritten(context, row.key, writing);
    return 'failed';
  }
}

/** The sender was told that it failed. If it is saved late after all, close it, or it would also be reported as lost. */
function closeIfWritten(context: SlackContext, inbox: string, writing: Promise<'new' | 'seen'>): void {
  writing
    .then((kept) => kept === 'new' && close(context, { inbox }))
    .catch((error: unknown) => context.log.error({ err: error }, 'could not close a delivery that was saved late'));
}

/**
 * Whether these words change something, and in which queue they run. Words that are no command as it is typed change
 * nothing by themselves.
 */
export function natureOf(line: string): { readonly changes: boolean; readonly lane: Lane } {
  const command = commandIn(line);
  return { changes: command !== undefined && changesSomething(command), lane: laneOf(command ?? likelyCommand(line)) };
}

/** The queue in which a command runs. */
export function laneOf(command: Command | undefined): Lane {
  if (command?.shape === 'report' && !command.readsSites) return 'reports';
  return command?.shape === 'builtin' && command.urgent ? 'urgent' : 'usual';
}

/** The command of a line; undefined if it cannot be read. */
export const commandIn = (line: string): Command | undefined => attempt(() => parse(line, catalogue)?.command);

/** The message to a person whose request was lost in a restart. It quotes the request if that was kept. */
export function lostNote({ content, kind }: Pick<InboxRow, 'content' | 'kind'>): Note {
  const request = content === null ? undefined : requestIn(content, kind);
  return {
    text: say`**I was restarted before I got to ${request ?? 'what you asked'}.** Nothing was done. Ask again if you still need it.`,
  };
}

function requestIn(content: string, kind: InboxRow['kind']): Text | undefined {
  if (kind === 'form') return undefined;
  const decision = decisionIn(content);
  if (decision) return say`your click on #${decision.number}`;
  return commandIn(content) ? say`${code(content)}` : undefined;
}
