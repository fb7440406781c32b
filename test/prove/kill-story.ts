import type { Random } from '../../src/playground/hosting/random.ts';
import type { Failpoint } from '../../src/base/failpoints.ts';
import type { SlackStandIn } from '../../src/playground/slack/stand-in.ts';
import type { Order } from './kill-at.ts';
import type { Scene } from './scene.ts';

/** The number of writes at the host and how it ended. `untouched`: all is as before and the person was told. */
export type Outcome = `${number} written, ${'untouched' | 'waiting' | 'unknown' | 'done'}`;

/** The required outcome of a death, in words and exactly. */
export type RequiredOutcome = { readonly says: string; readonly allowed: readonly Outcome[] };

/** A place to die at, with patterns for its subject and its message's text. */
type KillPoint = { readonly point: Failpoint; readonly of?: string } & Partial<Pick<Order, 'how' | 'says'>>;

/** One place to die at, and the required outcome. */
export type Row = {
  readonly name: string;
  /** `received`: the host has the write and has not answered. */
  readonly at: KillPoint | 'received';
  readonly required: RequiredOutcome;
};

/** Something people do and the bot carries out, during which it dies. */
export type Story = {
  readonly name: string;
  /** The Slack user id of the person who does the last step and is told if it was lost. */
  readonly person: string;
  /** Everything before; the bot survives it. */
  readonly prepare?: (scene: Scene, random: Random) => Promise<void>;
  /** The last step, done while the order to die waits. */
  readonly act: (scene: Scene, random: Random) => ReturnType<SlackStandIn['command']>;
  /** The outcome without a death, and how the thread says so. */
  readonly well: { readonly came: Outcome; readonly says: RegExp };
  /** What the person is told if it was lost. */
  readonly lost: string;
  /** The rules, if they are not those of every other story. */
  readonly policy?: string;
  /** What else is wrong with this change when all is at rest; empty: nothing. */
  readonly alsoWrong?: (scene: Scene, number: number) => Promise<string>;
  readonly rows: readonly Row[];
};

/** The required outcomes of most deaths. */
export const outcomes = {
  untouched: { says: 'nothing done, and said so; done again: as if never killed', allowed: ['0 written, untouched'] },
  goesOn: { says: 'written once, done', allowed: ['1 written, done'] },
  notBegun: { says: 'not written, unknown', allowed: ['0 written, unknown'] },
  notAnswered: { says: 'written once, unknown', allowed: ['1 written, unknown'] },
} as const satisfies Readonly<Record<string, RequiredOutcome>>;

/** Patterns for the keys of a change's messages: card, replies and *Stop*. */
export const keys = {
  card: String.raw`^\d+:card$`,
  reply: String.raw`^\d+:\d+$`,
  stop: String.raw`^\d+:stop$`,
} as const;

/** The three places to die at while a message is posted. */
export const onTheWay = (name: string, which: Omit<KillPoint, 'point'>, required: RequiredOutcome): readonly Row[] =>
  (['posting', 'posted', 'noted'] as const).map((point) => ({
    name: `${point}: ${name}`,
    at: { point, ...which },
    required,
  }));

/** The places to die at from the last check to the last message, if the whole work is one write. */
export const sendingAndAfter: readonly Row[] = [
  { name: 'rechecked', at: { point: 'rechecked' }, required: outcomes.goesOn },
  { name: 'opened', at: { point: 'opened' }, required: outcomes.goesOn },
  { name: 'sending saved', at: { point: 'sending saved' }, required: outcomes.notBegun },
  { name: 'received', at: 'received', required: outcomes.notAnswered },
  { name: 'answered', at: { point: 'answered' }, required: outcomes.notAnswered },
  { name: 'answer saved', at: { point: 'answer saved' }, required: outcomes.goesOn },
  { name: 'seen', at: { point: 'seen' }, required: outcomes.goesOn },
  { name: 'settled', at: { point: 'settled' }, required: outcomes.goesOn },
];

/** The places to die at while the thread is told the last word; the answer is saved by then. */
export const atTheEnd: readonly Row[] = onTheWay('the last word', { of: keys.reply, says: '^✅' }, outcomes.goesOn);

/** The same for a change that is not routine: its thread is also told that the host accepted it. */
export const afterTheAnswer: readonly Row[] = [
  ...onTheWay('that the host accepted it', { of: keys.reply, says: '^Sent' }, outcomes.goesOn),
  ...atTheEnd,
];
