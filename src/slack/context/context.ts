import type { WebClient } from '@slack/web-api';
import type { Logger } from '../../base/log.ts';
import type { Metrics } from '../../base/metrics.ts';
import type { createSemaphore } from '../../base/semaphore.ts';
import type { PayloadStore } from './button-payloads.ts';
import type { Drawn } from '../../block-kit/blocks.ts';
import type { AskedFrom, ReplyTarget } from '../../slack-api/ephemeral.ts';
import type { Homes } from './homes.ts';
import type { People } from '../../slack-api/people.ts';
import type { Pace } from '../../slack-api/rate-limits.ts';
import type { Bot } from '../../slack-api/app-checks.ts';
import type { UpdateView } from '../../slack-api/view-updates.ts';
import type { NextTurn } from './turns.ts';
import type { BoundedMap } from '../../base/caches.ts';
import type { PipelineContext } from '../../talk/context.ts';

/** `new`: saved. `seen`: a copy. `failed`: the database did not save it in time, and the sender must be told. */
export type SaveResult = 'new' | 'seen' | 'failed';

/** The result of each recent delivery in this process. Only this decides whether a delivery is a copy, not the database. */
export type Deliveries = BoundedMap<string, Promise<SaveResult>>;

/** Everything the Slack code works with. */
export type SlackContext = {
  readonly pipeline: PipelineContext;
  readonly people: People;
  /** Separate clients for posts and views, as for private answers: a rate limit on one does not delay the others. */
  readonly messages: WebClient;
  readonly views: WebClient;
  readonly updateView: UpdateView;
  readonly ephemeral: (to: ReplyTarget, content: Drawn) => Promise<void>;
  readonly askedFrom: AskedFrom;
  readonly homes: Homes;
  readonly payloads: PayloadStore;
  /** Keys of pages that are being shared or were just shared, each with its channel and thread. */
  readonly sharing: Set<string>;
  readonly turns: Readonly<Record<Lane, ReturnType<typeof createSemaphore>>>;
  readonly nextTurn: NextTurn;
  readonly deliveries: Deliveries;
  readonly bot: Bot;
  readonly pace: Pace;
  readonly log: Logger;
  readonly metrics: Metrics;
};

/** A request from a person: a command, a mention, a button or a form. */
export type Interaction = ReplyTarget & {
  /** The team or enterprise in the delivery. Used only to recognise people of another workspace. */
  readonly team: string | undefined;
  /** Slack's trigger id: opens one form within three seconds. A mention has none. */
  readonly trigger: string | undefined;
  /** The key of its inbox row, if it has one. The answer closes the row. */
  readonly inbox: string | undefined;
  /** The id of the delivery; see `requestId`. */
  readonly request: string;
  /** What was typed, or the command of a form. It is not parsed yet, so check it before you repeat it. */
  readonly line?: string | undefined;
  /** The queue that it runs in. */
  readonly lane?: Lane;
  /** Where cards go instead of `channel`: a button in direct messages is about something asked for in this channel. */
  readonly cardsIn?: string | undefined;
  /** Work to do after the turn of this request has ended, so that others need not wait for it. */
  readonly afterwards?: (() => Promise<void>)[];
};

/** `urgent`: decisions, submitted forms and commands that stop things. Other work cannot take its places. */
export type Lane = 'usual' | 'urgent' | 'reports';
