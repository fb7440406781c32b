import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { AckFn, ViewClosedAction, ViewResponseAction, ViewSubmitAction } from '@slack/bolt';
import type { View } from '@slack/types';
import { startSlack } from '../../../src/playground/slack/server.ts';
import type { SlackStandIn } from '../../../src/playground/slack/stand-in.ts';
import { type TinyApp, socketApp } from './tiny-app.ts';

const plain = (text: string) => ({ type: 'plain_text' as const, text });
const named = (title: string, blocks: View['blocks'] = []): View => ({
  type: 'modal',
  title: plain(title),
  submit: plain('Send'),
  notify_on_close: true,
  blocks,
});
const ask = {
  type: 'input' as const,
  block_id: 'pick',
  optional: true,
  dispatch_action: true,
  label: plain('Kind'),
  element: {
    type: 'radio_buttons' as const,
    action_id: 'kind',
    options: ['all', 'some'].map((name) => ({ text: plain(name), value: name })),
  },
};

let slack: SlackStandIn;
let tiny: TinyApp;
let answer: (ack: AckFn<ViewResponseAction>) => Promise<void>;
const heard: string[] = [];

beforeAll(async () => {
  // A clock of its own: on a busy machine three seconds of the real one pass too soon for a trigger.
  let at = Date.now();
  slack = await startSlack({ now: () => (at += 1) });
  tiny = await socketApp(slack);
  tiny.app.command('/form', async ({ ack, body, client }) => {
    await ack();
    await client.views.open({
      trigger_id: body.trigger_id,
      view: named('First', [{ type: 'section', block_id: 'said', text: plain('Hello') }, ask]),
    });
  });
  tiny.app.command('/hello', ({ ack }) => ack());
  tiny.app.view<ViewSubmitAction>({ type: 'view_submission', callback_id: /.*/ }, ({ ack }) => answer(ack));
  tiny.app.view<ViewClosedAction>({ type: 'view_closed', callback_id: /.*/ }, async ({ ack, body, view }) => {
    heard.push(`closed ${view.title.text} ${body.is_cleared}`);
    await ack();
  });
  tiny.app.action('kind', async ({ ack, body, client }) => {
    await ack();
    if (body.type !== 'block_actions' || body.view === undefined) return;
    const chosen = body.view.state.values['pick']?.['kind']?.selected_option?.value;
    await client.views.open({ trigger_id: body.trigger_id, view: named(`On top: ${chosen}`) });
  });
});
afterAll(async () => {
  await tiny.stop();
  await slack.close();
});

const titles = () => slack.views('U01ANA').modals.map((view) => view.title);
beforeEach(async () => {
  if (titles().length > 0) await slack.closeModal('U01ANA', true);
  heard.splice(0);
  await slack.command('U01ANA', 'C0ACME', '/form');
  await slack.until(() => titles()[0]);
});

describe('the answer to a submission', () => {
  it.each<[string, ViewResponseAction, readonly string[]]>([
    ['clears', { response_action: 'clear' }, []],
    ['updates', { response_action: 'update', view: named('Second') }, ['Second']],
    ['pushes', { response_action: 'push', view: named('Second') }, ['First', 'Second']],
    ['marks errors', { response_action: 'errors', errors: { pick: 'No.' } }, ['First']],
  ])('%s', async (_, said, shown) => {
    answer = (ack) => ack(said);
    expect(await slack.submit('U01ANA')).toMatchObject({ acked: true, shown: undefined });
    expect(titles()).toEqual(shown);
  });

  it.each<[string, ViewResponseAction]>([
    ['an error on what is no input', { response_action: 'errors', errors: { said: 'No.' } }],
    ['errors without any', { response_action: 'errors', errors: {} }],
    ['a view that Slack refuses', { response_action: 'update', view: named('x'.repeat(25)) }],
  ])('is trouble when it is %s', async (_, said) => {
    const before = slack.problems().length;
    answer = (ack) => ack(said);
    expect((await slack.submit('U01ANA')).shown).toContain('trouble connecting');
    expect(slack.problems().slice(before)).toMatchObject([{ kind: 'invalid_ack' }]);
    expect(titles()).toEqual(['First']);
  });

  it('closes only the form on top when it is empty', async () => {
    await slack.pick('U01ANA', 'modal', { label: 'Kind' }, 'some');
    await slack.until(() => titles()[1]);
    expect(titles()).toEqual(['First', 'On top: some']);
    answer = (ack) => ack();
    await slack.submit('U01ANA');
    expect(titles()).toEqual(['First']);
  });
});

describe('closing', () => {
  it('is told where the form asks for it', async () => {
    await slack.closeModal('U01ANA');
    expect(heard).toEqual(['closed First false']);
    expect(titles()).toEqual([]);
    await expect(slack.closeModal('U01ANA')).rejects.toThrow('no form open');
  });

  it('of everything is told of each', async () => {
    await slack.pick('U01ANA', 'modal', { action_id: 'kind' }, 'all');
    await slack.until(() => titles()[1]);
    await slack.closeModal('U01ANA', true);
    expect(heard.sort()).toEqual(['closed First true', 'closed On top: all true']);
  });
});

describe('a person', () => {
  it('cannot press what is not there', async () => {
    await expect(slack.click('U01ANA', 'modal', { label: 'Nothing' })).rejects.toThrow('there is "Kind" (kind)');
    await expect(slack.pick('U01ANA', 'modal', { label: 'Kind' }, 'none')).rejects.toThrow('there is "all", "some"');
    await expect(slack.click('U02BEN', 'modal', { label: 'Kind' })).rejects.toThrow('no such view');
  });

  it('reads their direct messages with the bot before there are any', async () => {
    expect(slack.messages({ channel: 'D0U06ROB', as: 'U06ROB' })).toEqual([]);
    const { payload } = await slack.command('U06ROB', 'D0U06ROB', '/hello');
    expect(payload).toMatchObject({ channel_id: 'D0U06ROB', channel_name: 'directmessage' });
  });
});
