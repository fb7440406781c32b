import { ids } from '../stories/house.ts';
import type { Must, Row, Story } from './story.ts';

const untouched: Must = { says: 'not written, said to be lost; asked again: once', allowed: ['0 written, untouched'] };
const goesOn: Must = { says: 'written once, done', allowed: ['1 written, done'] };
const notBegun: Must = { says: 'not written, unknown', allowed: ['0 written, unknown'] };
const notAnswered: Must = { says: 'written once, unknown', allowed: ['1 written, unknown'] };
/** Messages and the write go their ways at the same time: where a message is on its way, the write may be anywhere. */
const anywhere: Must = {
  says: 'written once, done; or at most once, unknown',
  allowed: ['1 written, done', '0 written, unknown', '1 written, unknown'],
};

const onTheWay = (name: string, of: string, nth: number, must: Must): readonly Row[] =>
  (['posting', 'posted', 'noted'] as const).map((point) => ({
    name: `${point}: ${name}`,
    at: { point, of, nth },
    must,
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
    { name: 'kept', at: { point: 'kept' }, must: untouched },
    { name: 'acked', at: { point: 'acked' }, must: untouched },
    { name: 'rechecked', at: { point: 'rechecked' }, must: goesOn },
    { name: 'opened', at: { point: 'opened' }, must: goesOn },
    { name: 'sending saved', at: { point: 'sending saved' }, must: notBegun },
    { name: 'received', at: 'received', must: notAnswered },
    { name: 'answered', at: { point: 'answered' }, must: notAnswered },
    { name: 'answer saved', at: { point: 'answer saved' }, must: goesOn },
    { name: 'seen', at: { point: 'seen' }, must: goesOn },
    { name: 'settled', at: { point: 'settled' }, must: goesOn },
    ...onTheWay('the card', String.raw`^\d+:card$`, 1, anywhere),
    ...onTheWay('the first reply', String.raw`^\d+:\d+$`, 1, anywhere),
    ...onTheWay('the last reply', String.raw`^\d+:\d+$`, 3, goesOn),
  ],
};
