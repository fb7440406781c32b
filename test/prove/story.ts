import type { Random } from '../../src/playground/hosting/random.ts';
import type { Point } from '../../src/points.ts';
import type { SlackStandIn } from '../../src/playground/slack/stand-in.ts';
import type { Scene } from './scene.ts';

/** How often the host was written to in all, and how it ended; `untouched`: its person was told that it was lost. */
export type Came = `${number} written, ${'untouched' | 'unknown' | 'done'}`;

/** What must come of a death, in words and exactly. */
export type Must = { readonly says: string; readonly allowed: readonly Came[] };

/** One place to die at. */
export type Row = {
  readonly name: string;
  /** `received`: the host has the write, and has not answered. */
  readonly at: { readonly point: Point; readonly of?: string; readonly nth?: number } | 'received';
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
  /** The last word in the thread, where all went well. */
  readonly done: RegExp;
  readonly rows: readonly Row[];
};
