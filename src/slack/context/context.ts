import type { WebClient } from '@slack/web-api';
import type { LogReader } from '../../commands/logs/reader.ts';
import type { Logger } from '../../log.ts';
import type { Metrics } from '../../metrics.ts';
import type { DecisionDesk } from '../../pipeline/steps/decide.ts';
import type { OfficeDesk } from '../../pipeline/builtin/query-service.ts';
import type { FrontDesk } from '../../pipeline/steps/submit.ts';
import type { Recent } from '../../pipeline/access/recent-targets.ts';
import { createSemaphore, type Semaphore } from '../../semaphore.ts';
import type { PayloadStore } from './button-payloads.ts';
import type { Drawn } from '../draw/blocks.ts';
import type { Homes } from './homes.ts';
import type { People } from '../client/people.ts';
import type { ReplyTarget } from '../client/ephemeral.ts';
import type { NextTurn } from './one-each-turn.ts';

/** `failed`: the database did not take it in time, and its sender is to be told; `told`: they were, of an earlier copy. */
export type Kept = 'new' | 'seen' | 'failed' | 'told';

/** What became of the newest deliveries in this process: of a copy nothing else is asked, however the database is by then. */
export type Deliveries = Map<string, Promise<Exclude<Kept, 'told'>>>;

/** What the edge works with; `app.ts` puts it together. */
export type SlackContext = {
  readonly front: FrontDesk;
  readonly decisions: DecisionDesk;
  readonly queryService: OfficeDesk;
  readonly people: People;
  /** For messages, and for views and private words: a pause that Slack asks of the one does not delay the other. */
  readonly messages: WebClient;
  readonly views: WebClient;
  readonly ephemeral: (to: ReplyTarget, what: Drawn) => Promise<void>;
  readonly homes: Homes;
  readonly recent: Recent;
  readonly payloads: PayloadStore;
  /** Pages that are being shared, or were just now, each with where. */
  readonly sharing: Set<string>;
  /** A stable name for a visitor's address. */
  readonly alias: (address: string) => string;
  readonly logs: LogReader;
  readonly turns: Readonly<Record<Lane, Semaphore>>;
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
export type Interaction = ReplyTarget & {
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
export const createTurns = (behind: (id: string) => string): SlackContext['turns'] => ({
  usual: createSemaphore({ most: 160, maxEach: 8, waiting: 800, waitingEach: 40, waitMs: turnMs }, behind),
  urgent: createSemaphore({ most: 40, maxEach: 8, waiting: 200, waitingEach: 20, waitMs: turnMs }, behind),
  reports: createSemaphore({ most: 6, maxEach: 2, waiting: 400, waitingEach: 40, waitMs: turnMs }, behind),
});
const turnMs = 60_000;
