import type { WebClient } from '@slack/web-api';
import type { LogReader } from '../commands/logs/reader.ts';
import type { Logger } from '../log.ts';
import type { Metrics } from '../metrics.ts';
import { Fault, Refusal } from '../errors.ts';
import { Ended, type DecisionDesk } from '../pipeline/steps/decide.ts';
import type { OfficeDesk } from '../pipeline/builtin/query-service.ts';
import type { FrontDesk } from '../pipeline/steps/submit.ts';
import type { Recent } from '../pipeline/access/recent-targets.ts';
import { closeInbox } from '../storage/inbox.ts';
import { join, split } from '../pipeline/language/tokenize.ts';
import { scrub } from '../secret.ts';
import { code, joined, say, type Text } from '../text.ts';
import { NoTurn, turns, type Turns } from '../semaphore.ts';
import type { Shelf } from './context/button-payloads.ts';
import { drawNote, drawRefusal, type Drawn } from './draw/blocks.ts';
import { cut } from './draw/truncate.ts';
import { whileHeld } from './context/slow-work.ts';
import type { Homes } from './context/homes.ts';
import type { Deliveries } from './context/deliveries.ts';
import type { People } from './client/people.ts';
import type { Spoken } from './client/ephemeral.ts';
import type { NextTurn } from './context/one-each-turn.ts';

/** What the edge works with; `app.ts` puts it together. */
export type Reception = {
  readonly front: FrontDesk;
  readonly decisions: DecisionDesk;
  readonly office: OfficeDesk;
  readonly people: People;
  /** For messages, and for views and private words: a pause that Slack asks of the one does not delay the other. */
  readonly messages: WebClient;
  readonly views: WebClient;
  readonly privately: (to: Spoken, what: Drawn) => Promise<void>;
  readonly homes: Homes;
  readonly recent: Recent;
  readonly shelf: Shelf;
  /** Pages that are being shared, or were just now, each with where. */
  readonly sharing: Set<string>;
  /** A stable name for a visitor's address. */
  readonly alias: (address: string) => string;
  readonly logs: LogReader;
  readonly turns: Readonly<Record<Lane, Turns>>;
  readonly nextTurn: NextTurn;
  readonly deliveries: Deliveries;
  readonly botUser: string;
  readonly team: string;
  readonly owner: string;
  /** How often a delivery that is worked on is held anew. */
  readonly renewEveryMs: number;
  readonly log: Logger;
  readonly metrics: Metrics;
};

/** Somebody spoke to us: by a command, a mention or a button. */
export type Heard = Spoken & {
  /** Where the delivery says that they are from; it can only make a stranger of them. */
  readonly team: string | undefined;
  /** Opens a form within three seconds, once; a mention has none. */
  readonly trigger: string | undefined;
  /** The inbox row, where there is one: it is closed by whatever answers it. */
  readonly inbox: string | undefined;
  /** What was typed, or the command of a form: unread, and so not to be repeated as it is. */
  readonly line?: string | undefined;
};

/** Decisions, answers to forms and what stops things have places of their own: whatever else waits is not in their way. */
export type Lane = 'usual' | 'urgent' | 'reports';

/**
 * What is worked on at a time, of everybody and of one person (`behind` an id); the rest waits a minute at most. Reports are fewer than the
 * connections on which the host is read: what is sent is checked on the others.
 */
export const createTurns = (behind: (id: string) => string): Reception['turns'] => ({
  usual: turns({ most: 160, mostEach: 8, waiting: 800, waitingEach: 40, waitMs: turnMs }, behind),
  urgent: turns({ most: 40, mostEach: 8, waiting: 200, waitingEach: 20, waitMs: turnMs }, behind),
  reports: turns({ most: 6, mostEach: 2, waiting: 400, waitingEach: 40, waitMs: turnMs }, behind),
});
const turnMs = 60_000;

/** Closes the delivery: true where nobody has told its sender yet what came of it. */
export async function close(reception: Reception, { inbox }: Pick<Heard, 'inbox'>): Promise<boolean> {
  if (inbox === undefined) return true;
  const { database } = reception.front;
  const now = await database.now();
  // Not flushed: where a machine loses this with its power, its sender is told once more.
  return closeInbox(database.db, inbox, now);
}

/** Runs what follows an ack: a refusal is told to the person alone, anything else becomes a fault with a reference. */
export async function attend(
  reception: Reception,
  heard: Heard,
  what: string,
  work: () => Promise<void>,
  lane: Lane,
): Promise<void> {
  try {
    await whileHeld(reception, heard, () => reception.turns[lane](work, heard.person));
    await close(reception, heard);
  } catch (error) {
    const told = wordsFor(reception, what, error, heard.line);
    try {
      const isOpen = await close(reception, heard);
      if (isOpen || error instanceof Ended) await reception.privately(heard, told);
    } catch (again) {
      reception.log.error({ err: again }, 'somebody could not be told');
    }
  }
}

/** What somebody is told who had no turn; `named` is what was not run. */
const turnedAway: Readonly<Record<NoTurn['why'], (named: Text) => Refusal>> = {
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

const longestLine = 100;

/** Several may be refused at once: each names what it is about, as far as that can be repeated. */
function notRun(line = ''): Text {
  const said = inOneLine(line);
  return said === '' ? [] : say`Not run: ${code(cut(said, longestLine))}.`;
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
export function wordsFor(reception: Reception, what: string, error: unknown, line?: string): Drawn {
  if (error instanceof Refusal) return drawRefusal(error);
  if (error instanceof NoTurn) return drawRefusal(turnedAway[error.why](notRun(line)));
  const fault = error instanceof Fault ? error : new Fault(what, error);
  reception.metrics.faults.inc({ what });
  reception.log.error({ err: fault, reference: fault.reference }, `fault while ${what}`);
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
