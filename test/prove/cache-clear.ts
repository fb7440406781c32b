import { ids } from '../stories/scenario.ts';
import { atTheEnd, keys, outcomes, onTheWay, sendingAndAfter, type RequiredOutcome, type Story } from './kill-story.ts';

/** Messages and the write go out at the same time, so while one is under way the other may have any state. */
const anywhere: RequiredOutcome = {
  says: 'written once, done; or at most once, unknown',
  allowed: ['1 written, done', '0 written, unknown', '1 written, unknown'],
};

/** Ana clears a cache. It is routine and needs no approval. */
export const cacheClear: Story = {
  name: 'Ana clears a cache',
  person: ids.ana,
  act: ({ scenario }, random) => {
    const environment = random.pick(['acme-shop/live', 'acme-shop/staging', 'acme-blog/live', 'acme-docs/live']);
    return scenario.slack.command(ids.ana, 'C0ACME', `/site cache clear ${environment}`);
  },
  well: { came: '1 written, done', says: /✅ .*the host reports it finished/ },
  lost: 'I was restarted before I got to cache clear ',
  rows: [
    { name: 'kept', at: { point: 'kept', of: '^command:' }, required: outcomes.untouched },
    { name: 'acked', at: { point: 'acked', of: '^command:' }, required: outcomes.untouched },
    ...sendingAndAfter,
    ...onTheWay('the new card', { of: keys.card, how: 'post' }, anywhere),
    ...atTheEnd,
  ],
};
