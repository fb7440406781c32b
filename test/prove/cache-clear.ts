import { ids } from '../stories/house.ts';
import type { Came, Row, Story } from './story.ts';

const untouched: readonly Came[] = ['0 written, untouched'];
const goesOn: readonly Came[] = ['1 written, done'];
/** Messages and the write go their ways at the same time: where a message is on its way, the write may be anywhere. */
const anywhere: readonly Came[] = ['1 written, done', '0 written, unknown', '1 written, unknown'];

const onTheWay = (name: string, of: string, nth: number, allowed: readonly Came[]): readonly Row[] =>
  (['posting', 'posted', 'noted'] as const).map((point) => ({
    name: `${point}: ${name}`,
    at: { point, of, nth },
    allowed,
  }));

/** Ana clears a cache: routine, nobody has to approve it. */
export const cacheClear: Story = {
  name: 'Ana clears a cache',
  person: ids.ana,
  act: ({ house }, random) => {
    const environment = random.pick(['acme-shop/live', 'acme-shop/staging', 'acme-blog/live', 'acme-docs/live']);
    return house.slack.command(ids.ana, 'C0ACME', `/site cache clear ${environment}`);
  },
  done: /✅ .*the host reports it finished/,
  rows: [
    { name: 'kept', at: { point: 'kept' }, allowed: untouched },
    { name: 'acked', at: { point: 'acked' }, allowed: untouched },
    { name: 'rechecked', at: { point: 'rechecked' }, allowed: goesOn },
    { name: 'opened', at: { point: 'opened' }, allowed: goesOn },
    { name: 'sending saved', at: { point: 'sending saved' }, allowed: ['0 written, unknown'] },
    { name: 'received', at: 'received', allowed: ['1 written, unknown'] },
    { name: 'answered', at: { point: 'answered' }, allowed: ['1 written, unknown'] },
    { name: 'answer saved', at: { point: 'answer saved' }, allowed: goesOn },
    { name: 'seen', at: { point: 'seen' }, allowed: goesOn },
    { name: 'settled', at: { point: 'settled' }, allowed: goesOn },
    ...onTheWay('the card', String.raw`^\d+:card$`, 1, anywhere),
    ...onTheWay('the first reply', String.raw`^\d+:\d+$`, 1, anywhere),
    ...onTheWay('the last reply', String.raw`^\d+:\d+$`, 3, goesOn),
  ],
};
