import type { Random } from '../../src/playground/hosting/random.ts';
import type { Point } from '../../src/points.ts';
import type { SlackStandIn } from '../../src/playground/slack/stand-in.ts';
import type { Scene } from './scene.ts';

/** How it may end. `untouched`: as if it had never been asked or clicked, and its person was told so. */
export type End = 'untouched' | 'unknown' | 'done';
/** What came of one run: how often the host was written to in all, and how it ended. */
export type Came = `${number} written, ${End}`;

/** One place to be killed at, and all that may come of it. */
export type Row = {
  readonly name: string;
  /** `received`: the host has the write, and has not answered. */
  readonly at: { readonly point: Point; readonly of?: string; readonly nth?: number } | 'received';
  readonly allowed: readonly Came[];
};

/** Something that people do and the bot does for them, in which it is killed. */
export type Story = {
  readonly name: string;
  /** Who does the last thing, and is told if it was lost: a Slack user id. */
  readonly person: string;
  /** All that comes before; the bot lives through it. */
  readonly prepare?: (scene: Scene, random: Random) => Promise<void>;
  /** What is done, while the order to die stands. */
  readonly act: (scene: Scene, random: Random) => ReturnType<SlackStandIn['command']>;
  /** The last word in the thread, where all went well. */
  readonly done: RegExp;
  readonly rows: readonly Row[];
};
