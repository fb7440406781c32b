import type { SeenMessage } from '../../src/playground/slack/reads.ts';
import { ids } from '../stories/house.ts';
import type { Scene } from './scene.ts';
import type { Came, Story } from './story.ts';

/** What must never be, and whatever else is not as its row says; `not killed`: nothing was shown, because no bot died there. */
export type Wrong = {
  readonly kind: 'sent twice' | 'lost' | 'untold' | 'otherwise' | 'not killed';
  readonly says: string;
};

/** How far everything was before the last thing was done: what is beyond it came of that. */
export type Standing = {
  /** Changes with greater numbers are of this round. */
  readonly above: number;
  /** The state of this round's change, where there is one already. */
  readonly state: string | undefined;
  readonly writes: number;
  readonly told: number;
};

/** What came of a round, as the host, the database and Slack have it. */
export type Seen = {
  readonly came: string;
  readonly end: string;
  readonly writes: number;
  readonly changes: number;
  /** How many private messages the story's person has by now, and whether one of the new ones says that it was lost. */
  readonly told: number;
  readonly isToldOfLoss: boolean;
  /** The newest card in the channel and what stands below it. */
  readonly thread: string;
};

/** The number of the newest change; 0 where there is none. */
export async function newestIn({ rows }: Scene): Promise<number> {
  const [newest] = await rows('select coalesce(max(number), 0) as number from changes');
  return Number(newest?.['number']);
}

/** How far everything is now, in the round whose changes have numbers `above` this one. */
export async function standing(scene: Scene, { person }: Story, above: number): Promise<Standing> {
  const [change] = await changesOf(scene, above);
  const { house } = scene;
  return { above, state: change?.state, writes: house.writes().length, told: ephemeral(house, person).length };
}

async function changesOf({ rows }: Scene, above: number) {
  const found = await rows(`select number, state from changes where number > ${above} order by number`);
  return found.map(({ number, state }) => ({ number: Number(number), state: String(state) }));
}

/** What came of it since `before`; asked when all is at rest. */
export async function whatCame(scene: Scene, { person, lost }: Story, before: Standing): Promise<Seen> {
  const { house } = scene;
  const changes = await changesOf(scene, before.above);
  const [change] = changes;
  const end = change === undefined || change.state === before.state ? 'untouched' : change.state;
  const writes = house.writes().length - before.writes;
  const messages = ephemeral(house, person);
  return {
    came: `${writes} written, ${end}`,
    end,
    writes,
    changes: changes.length,
    told: messages.length,
    isToldOfLoss: messages.slice(before.told).some(({ text }) => text.includes(lost)),
    thread: (change && threadsOf(house, change.number).at(-1)) ?? '',
  };
}

/** The worst that is wrong with it, if anything. */
export function wrongIn(story: Story, seen: Seen, allowed: readonly Came[]): Wrong | undefined {
  const { came, end, writes, changes, isToldOfLoss, thread } = seen;
  const says = JSON.stringify(seen);
  if (writes > 1 || changes > 1) return { kind: 'sent twice', says };
  const isTold =
    end === 'untouched' ? isToldOfLoss : (end === 'unknown' ? /⚠️ @.*Outcome unknown/ : story.well.says).test(thread);
  if (!isTold) return { kind: 'untold', says };
  if (isToldOfLoss && end !== 'untouched') return { kind: 'otherwise', says };
  return allowed.some((one) => one === came) ? undefined : { kind: 'otherwise', says };
}

const ephemeral = ({ slack }: Scene['house'], person: string): readonly SeenMessage[] =>
  slack.messages({ channel: `D0${person}`, as: person });

/** What stands on and below each card of the change, oldest card first: there is a second one where Slack took the first unseen. */
export function threadsOf({ slack }: Scene['house'], number: number): readonly string[] {
  const [channel, as] = ['C0ACME', ids.ana];
  const cards = slack.messages({ channel, as }).filter(({ text }) => text.includes(`· #${number}\n`));
  return cards.map(({ ts }) =>
    slack
      .messages({ channel, thread: ts, as })
      .map(({ text }) => text)
      .join('\n'),
  );
}
