import { expect, it } from 'vitest';
import type { ReplyTarget } from '../../../src/slack-api/ephemeral.ts';
import { createAskedFrom } from '../../../src/slack/context/asked-from.ts';
import { say } from '../../../src/words/text.ts';

const from: ReplyTarget = { person: 'U01ANA', channel: 'C0ACME', responseUrl: 'https://hooks', since: 0 };
const open = { number: 1, settled_at: null };
const settled = { number: 1, settled_at: 1 };

function asked() {
  const state = { now: 0, isTaken: true, told: [] as string[] };
  const askedFrom = createAskedFrom(
    async (to, { text }) => {
      if (!state.isTaken) throw new Error('refused');
      state.told.push(`${to.person}: ${text}`);
    },
    () => state.now,
  );
  const tell = async (change: typeof open | typeof settled, word: string): Promise<void> => {
    askedFrom.onUntold(change, { text: say`${word}` });
    await Promise.resolve();
  };
  return { state, askedFrom, tell };
}

it('whoever asked for a change is told twice at most that it has no card: while it is open, and once it is settled', async () => {
  const { state, askedFrom, tell } = asked();
  await tell(open, 'nobody asked for it here');
  askedFrom.keep(1, from);
  await tell(open, 'open');
  await tell(open, 'still open');
  await tell(settled, 'settled');
  await tell(settled, 'still settled');
  expect(state.told).toEqual(['U01ANA: open', 'U01ANA: settled']);
});

it('an answer that Slack does not take is tried again with the next attempt, for half an hour', async () => {
  const { state, askedFrom, tell } = asked();
  askedFrom.keep(1, from);
  state.isTaken = false;
  await tell(open, 'refused');
  await Promise.resolve();
  state.isTaken = true;
  await tell(open, 'taken');
  state.now = 1_800_001;
  await tell(settled, 'too late');
  expect(state.told).toEqual(['U01ANA: taken']);
});
