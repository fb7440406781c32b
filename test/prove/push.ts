import type { Random } from '../../src/playground/hosting/random.ts';
import { siteNames } from '../../src/playground/hosting/seed/ids.ts';
import type { SlackStandIn } from '../../src/playground/slack/stand-in.ts';
import { ids } from '../stories/scenario.ts';
import { actUntilDone } from './act-until-done.ts';
import type { Scene } from './scene.ts';
import { newestIn } from './round-outcome.ts';
import {
  keys,
  outcomes,
  onTheWay,
  sendingAndAfter,
  afterTheAnswer,
  type RequiredOutcome,
  type Story,
} from './kill-story.ts';

const waits: RequiredOutcome = { says: 'waiting, with its card', allowed: ['0 written, waiting'] };

/** What Ana types. It is a different site each time, because a push with an unknown outcome stays locked. */
async function wordsFor({ rows }: Scene, random: Random): Promise<{ readonly line: string; readonly onto: string }> {
  const [changes] = await rows('select count(*) as count from changes');
  const site = siteNames[Number(changes?.['count']) % siteNames.length];
  const what = random.pick(['--database', '--files', '--database --files']);
  return { line: `/site push ${site}/staging ${site}/live ${what}`, onto: `${site}/live` };
}

/** Ana sends it, reads what will be lost, types the name and submits. */
export async function askForPush(
  scene: Scene,
  random: Random,
  { more = '', reviewing = 'Nothing is sent until it is approved' } = {},
): ReturnType<SlackStandIn['submit']> {
  const { slack, person } = scene.scenario;
  const { line, onto } = await wordsFor(scene, random);
  const ana = person('ana');
  if (slack.views(ana.id).modals.length > 0) await slack.closeModal(ana.id, true);
  await openReview(scene, `${line}${more}`, reviewing);
  return ana.submits({ [`Type ${onto} to confirm`]: onto });
}

/** Sends a command that opens a form. After Slack's three seconds it uses the button that comes instead. */
async function openReview(scene: Scene, line: string, reviewing: string): Promise<void> {
  const { slack, person } = scene.scenario;
  const ana = person('ana');
  let said: Awaited<ReturnType<typeof ana.says>> | undefined;
  const offer = () => said?.answers().find(({ text }) => text.startsWith('This needs a form.'));
  const isOpen = (): boolean => slack.views(ana.id).modals.some(({ text }) => text.includes(reviewing));
  const say = async () => (said = await ana.says(line)).outcome;
  await actUntilDone(scene, ana.id, say, () => isOpen() || offer() !== undefined);
  const button = offer();
  if (!isOpen() && button) await slack.click(ana.id, button, { label: 'Open the form' });
  await ana.form(reviewing);
}

/** Approves the waiting push with the button of its newest card. */
export async function approve({ scenario: { slack } }: Scene, by: string): ReturnType<SlackStandIn['click']> {
  const card = slack
    .messages({ channel: 'C0ACME', as: by })
    .findLast(({ controls }) => controls.some(({ label }) => label === 'Approve'));
  if (card === undefined) throw new Error('nothing waits for approval');
  return slack.click(by, card, { label: 'Approve' });
}

/** A push of Ana's that waits for approval, with all its messages posted. */
export async function waitingPush(scene: Scene, random: Random): Promise<void> {
  const before = await newestIn(scene);
  await actUntilDone(
    scene,
    ids.ana,
    () => askForPush(scene, random),
    async () => (await newestIn(scene)) > before,
  );
  await scene.atRest();
}

/** Ana asks for a push: a form shows what will be lost, and submitting it asks the approvers. */
export const askPush: Story = {
  name: 'Ana asks for a push',
  person: ids.ana,
  act: (scene, random) => askForPush(scene, random),
  well: { came: '0 written, waiting', says: /^⏳ Push .*this is waiting for your approval until /s },
  lost: 'I was restarted before I got to what you asked. Nothing was done.',
  rows: [
    { name: 'kept', at: { point: 'kept', of: '^form:' }, required: outcomes.untouched },
    { name: 'acked', at: { point: 'acked', of: '^form:' }, required: outcomes.untouched },
    ...onTheWay('the card that waits', { of: keys.card, how: 'post', says: '^⏳' }, waits),
    ...onTheWay('the approver’s copy', { of: `:card:${ids.chi}$`, how: 'post', says: '^⏳' }, waits),
    ...onTheWay('who is asked', { of: keys.reply, says: 'this is waiting for your approval' }, waits),
  ],
};

/** Chi approves a push onto a live environment. After ten seconds to stop it, it is sent and followed to its end. */
export const approvePush: Story = {
  name: 'Chi approves a push',
  person: ids.chi,
  prepare: waitingPush,
  act: (scene) => approve(scene, ids.chi),
  well: { came: '1 written, done', says: /✅ .*the host reports it finished/ },
  lost: 'I was restarted before I got to your click on #',
  rows: [
    { name: 'kept', at: { point: 'kept', of: '^button:' }, required: outcomes.untouched },
    { name: 'acked', at: { point: 'acked', of: '^button:' }, required: outcomes.untouched },
    { name: 'click checked', at: { point: 'click checked' }, required: outcomes.untouched },
    { name: 'click saved', at: { point: 'click saved' }, required: outcomes.goesOn },
    ...onTheWay('the approved card', { of: keys.card, says: '^👍' }, outcomes.goesOn),
    ...onTheWay('the Stop', { of: keys.stop, how: 'post', says: 'Sending in 10 s' }, outcomes.goesOn),
    ...sendingAndAfter,
    ...afterTheAnswer,
  ],
};
