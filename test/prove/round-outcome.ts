import type { VisibleMessage } from '../../src/playground/slack/shapes.ts';
import { ids } from '../stories/scenario.ts';
import type { Scene } from './scene.ts';
import type { Outcome, Story } from './kill-story.ts';

/** What went wrong. `not killed`: no bot died at the point, so nothing was shown. */
export type Problem = {
  readonly kind: 'sent twice' | 'lost' | 'untold' | 'otherwise' | 'not killed';
  readonly says: string;
};

/** The state before the last step; everything beyond it came from that step. */
export type Baseline = {
  /** Changes with greater numbers belong to this round. */
  readonly above: number;
  /** The state of this round's change, if there is one already. */
  readonly state: string | undefined;
  readonly writes: number;
  readonly told: number;
};

/** The outcome of a round according to the host, the database and Slack. */
type RoundOutcome = {
  readonly came: string;
  readonly end: string;
  readonly writes: number;
  readonly changes: number;
  /** The number of the person's private messages, and whether a new one says that it was lost. */
  readonly told: number;
  readonly isToldOfLoss: boolean;
  /** The newest card in the channel and its thread. */
  readonly thread: string;
};

/** The number of the newest change; 0 if there is none. */
export async function newestIn({ rows }: Scene): Promise<number> {
  const [newest] = await rows('select coalesce(max(number), 0) as number from changes');
  return Number(newest?.['number']);
}

/** The current state, in the round whose changes have numbers greater than `above`. */
export async function baselineOf(scene: Scene, { person }: Story, above: number): Promise<Baseline> {
  const [change] = await changesOf(scene, above);
  const { scenario } = scene;
  return { above, state: change?.state, writes: scenario.writes().length, told: ephemeral(scenario, person).length };
}

async function changesOf({ rows }: Scene, above: number) {
  const found = await rows(`select number, state from changes where number > ${above} order by number`);
  return found.map(({ number, state }) => ({ number: Number(number), state: String(state) }));
}

/** The outcome since `before`; call it when everything is at rest. */
export async function roundOutcome(scene: Scene, { person, lost }: Story, before: Baseline): Promise<RoundOutcome> {
  const { scenario } = scene;
  const changes = await changesOf(scene, before.above);
  const [change] = changes;
  const end = change === undefined || change.state === before.state ? 'untouched' : change.state;
  const writes = scenario.writes().length - before.writes;
  const messages = ephemeral(scenario, person);
  return {
    came: `${writes} written, ${end}`,
    end,
    writes,
    changes: changes.length,
    told: messages.length,
    isToldOfLoss: messages.slice(before.told).some(({ text }) => text.includes(lost)),
    thread: (change && threadsOf(scenario, change.number).at(-1)) ?? '',
  };
}

/** The worst thing wrong with the outcome, if any. */
export function problemIn(story: Story, seen: RoundOutcome, allowed: readonly Outcome[]): Problem | undefined {
  const { came, end, writes, changes, isToldOfLoss, thread } = seen;
  const says = JSON.stringify(seen);
  if (writes > 1 || changes > 1) return { kind: 'sent twice', says };
  const isTold =
    end === 'untouched' ? isToldOfLoss : (end === 'unknown' ? /⚠️ @.*Outcome unknown/ : story.well.says).test(thread);
  if (!isTold) return { kind: 'untold', says };
  if (isToldOfLoss && end !== 'untouched') return { kind: 'otherwise', says };
  return allowed.some((one) => one === came) ? undefined : { kind: 'otherwise', says };
}

const ephemeral = ({ slack }: Scene['scenario'], person: string): readonly VisibleMessage[] =>
  slack.messages({ channel: `D0${person}`, as: person });

/** The card and thread of the change, oldest first. There are two if Slack posted the first without our knowing. */
export function threadsOf({ slack }: Scene['scenario'], number: number): readonly string[] {
  const [channel, as] = ['C0ACME', ids.ana];
  const cards = slack.messages({ channel, as }).filter(({ text }) => text.includes(`· #${number}\n`));
  return cards.map(({ ts }) =>
    slack
      .messages({ channel, thread: ts, as })
      .map(({ text }) => text)
      .join('\n'),
  );
}
