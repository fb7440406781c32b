import type { Random } from '../../src/playground/hosting/random.ts';
import type { Failpoint } from '../../src/failpoints.ts';
import type { SlackStandIn } from '../../src/playground/slack/stand-in.ts';
import type { Order } from './kill-at.ts';
import type { Scene } from './scene.ts';

/** How often the host was written to in all, and how it ended; `untouched`: all is as before, and its person was told so. */
export type Came = `${number} written, ${'untouched' | 'waiting' | 'unknown' | 'done'}`;

/** What must come of a death, in words and exactly. */
export type Must = { readonly says: string; readonly allowed: readonly Came[] };

/** A place to die at, by what is done there: patterns of what it is about, and of what a message says there. */
export type Place = { readonly point: Failpoint; readonly of?: string } & Partial<Pick<Order, 'how' | 'says'>>;

/** One place to die at. */
export type Row = {
  readonly name: string;
  /** `received`: the host has the write, and has not answered. */
  readonly at: Place | 'received';
  readonly must: Must;
};

/** Something that people do and the bot does for them, in which it dies. */
export type Story = {
  readonly name: string;
  /** Who does the last thing, and is told if it was lost: a Slack user id. */
  readonly person: string;
  /** All that comes before; the bot lives through it. */
  readonly prepare?: (scene: Scene, random: Random) => Promise<void>;
  /** What is done, while the order to die stands. */
  readonly act: (scene: Scene, random: Random) => ReturnType<SlackStandIn['command']>;
  /** What comes of it where nothing is in its way, and how the thread says so. */
  readonly well: { readonly came: Came; readonly says: RegExp };
  /** What its person is told if it was lost. */
  readonly lost: string;
  readonly rows: readonly Row[];
};

/** What must come of most deaths. */
export const must = {
  untouched: { says: 'nothing done, and said so; done again: as if never killed', allowed: ['0 written, untouched'] },
  goesOn: { says: 'written once, done', allowed: ['1 written, done'] },
  notBegun: { says: 'not written, unknown', allowed: ['0 written, unknown'] },
  notAnswered: { says: 'written once, unknown', allowed: ['1 written, unknown'] },
} as const satisfies Readonly<Record<string, Must>>;

/** The keys of a change's messages: its card, and what is said below it. */
export const keys = {
  card: String.raw`^\d+:card$`,
  reply: String.raw`^\d+:\d+$`,
  stop: String.raw`^\d+:stop$`,
} as const;

/** The three places to die at with a message. */
export const onTheWay = (name: string, which: Omit<Place, 'point'>, must: Must): readonly Row[] =>
  (['posting', 'posted', 'noted'] as const).map((point) => ({
    name: `${point}: ${name}`,
    at: { point, ...which },
    must,
  }));

/** The places to die at between the last look and the last word, where all that is done is one write. */
export const sendingAndAfter: readonly Row[] = [
  { name: 'rechecked', at: { point: 'rechecked' }, must: must.goesOn },
  { name: 'opened', at: { point: 'opened' }, must: must.goesOn },
  { name: 'sending saved', at: { point: 'sending saved' }, must: must.notBegun },
  { name: 'received', at: 'received', must: must.notAnswered },
  { name: 'answered', at: { point: 'answered' }, must: must.notAnswered },
  { name: 'answer saved', at: { point: 'answer saved' }, must: must.goesOn },
  { name: 'seen', at: { point: 'seen' }, must: must.goesOn },
  { name: 'settled', at: { point: 'settled' }, must: must.goesOn },
];

/** The places to die at with what the thread tells of the host: by then the answer is saved. */
export const told: readonly Row[] = [
  ...onTheWay('that the host accepted it', { of: keys.reply, says: '^Sent' }, must.goesOn),
  ...onTheWay('the last word', { of: keys.reply, says: '^✅' }, must.goesOn),
];
