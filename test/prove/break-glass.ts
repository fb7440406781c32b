import { ids } from '../stories/scenario.ts';
import { afterTheAnswer, keys, onTheWay, outcomes, sendingAndAfter, type Row, type Story } from './kill-story.ts';
import { askForPush } from './push.ts';
import type { Scene } from './scene.ts';

/** Max is deactivated, so there is nobody to tell. */
const policy = `
version: 1
live: ['*/live']
groups:
  developers: [${ids.ana}]
  leads: [${ids.chi}, ${ids.dee}, ${ids.max}]
channels: { ops: C0OPS }
rules:
  - { allow: [read], to: everyone }
  - { allow: [push], to: [developers], approval: { by: [leads], count: 1, expires: 1h }, breakGlass: true }
`;

/** Slack refuses Dee's first direct message. */
function refuseDee({ scenario: { slack, person } }: Scene): void {
  const { id, direct } = person('dee');
  for (const channel of [id, direct])
    slack.faults.add({ method: 'chat.postMessage', kind: 'error', error: 'messages_tab_disabled', channel, times: 1 });
}

/** Everybody whose approval was skipped is told, or named as not told; and its review is open unless it was not sent. */
async function alsoWrong({ scenario: { slack }, rows }: Scene, number: number): Promise<string> {
  const texts = (channel: string, as: string): readonly string[] =>
    slack
      .messages({ channel, as })
      .map(({ text }) => text)
      .filter((text) => text.includes(`#${number} `));
  const ops = texts('C0OPS', ids.ana);
  const isTold = (who: 'chi' | 'dee', name: string): boolean =>
    texts(`D0${ids[who]}`, ids[who]).some((text) => text.includes('🚨 Break-glass')) ||
    (texts(`D0${ids.ana}`, ids.ana).some((text) => text.includes(`I couldn't tell @${name} about it`)) &&
      ops.some((text) => text.includes(`I couldn't deliver this to @${name}`)));
  const [change] = await rows(`select post_review, sent_at from changes where number = ${number}`);
  const isOpen = change?.['post_review'] === 'open';
  return [
    isTold('chi', 'Chi') ? '' : 'Chi was not told',
    isTold('dee', 'Dee') ? '' : 'Dee was not told, and not named',
    ops.some((text) => text.includes('🚨 Break-glass')) ? '' : 'the ops channel was not told',
    isOpen === (change?.['sent_at'] !== null) ? '' : `its review is ${String(change?.['post_review'])}`,
  ]
    .filter(Boolean)
    .join(', ');
}

const asked: readonly Row[] = [
  { name: 'kept', at: { point: 'kept', of: '^form:' }, required: outcomes.untouched },
  { name: 'acked', at: { point: 'acked', of: '^form:' }, required: outcomes.untouched },
  { name: 'request checked', at: { point: 'request checked' }, required: outcomes.untouched },
  { name: 'request saved', at: { point: 'request saved' }, required: outcomes.goesOn },
  ...onTheWay('Chi’s message', { of: `:${ids.chi}$`, how: 'post', says: 'Break-glass' }, outcomes.goesOn),
  ...onTheWay('the ops channel’s', { of: ':ops$', how: 'post', says: 'Break-glass' }, outcomes.goesOn),
  ...onTheWay('the Stop', { of: keys.stop, how: 'post', says: 'somebody else is told' }, outcomes.goesOn),
];

/** Ana skips the approval of a push onto a live environment, and Dee can't be told directly. */
export const breakGlass: Story = {
  name: 'Ana breaks the glass',
  person: ids.ana,
  policy,
  act: async (scene, random) => {
    refuseDee(scene);
    return askForPush(scene, random, { more: ' --break-glass --reason down', reviewing: '🚨 Break-glass' });
  },
  well: { came: '1 written, done', says: /✅ .*the host reports it finished/ },
  lost: 'I was restarted before I got to what you asked. Nothing was done.',
  alsoWrong,
  rows: [...asked, ...sendingAndAfter, ...afterTheAnswer],
};
