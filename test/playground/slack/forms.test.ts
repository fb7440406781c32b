import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
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

const fruit = ['apple', 'pear', 'plum'];
const many = (block: string): View['blocks'][number] => ({
  type: 'input',
  block_id: block,
  optional: true,
  label: plain('Fruit'),
  element: { type: 'multi_external_select', action_id: 'fruit', min_query_length: 0 },
});
const rest: View['blocks'] = [
  {
    type: 'input',
    block_id: 'count',
    optional: true,
    label: plain('Count'),
    element: { type: 'number_input', action_id: 'count', is_decimal_allowed: false, min_value: '1', max_value: '9' },
  },
  {
    type: 'input',
    block_id: 'who',
    optional: true,
    label: plain('Who'),
    element: { type: 'users_select', action_id: 'who' },
  },
];

let slack: SlackStandIn;
let tiny: TinyApp;
let answer: (ack: AckFn<ViewResponseAction>) => Promise<void>;
const closings: string[] = [];
const asked: string[] = [];

beforeAll(async () => {
  // A fake clock: on a busy machine a trigger could expire within three real seconds.
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
  tiny.app.command('/more', async ({ ack, body, client }) => {
    await ack();
    await client.views.open({ trigger_id: body.trigger_id, view: named('More', [many('fruit'), ...rest]) });
  });
  tiny.app.options('fruit', async ({ ack, payload }) => {
    asked.push(payload.value);
    const fitting = fruit.filter((one) => one.includes(payload.value));
    await ack({ options: fitting.map((one) => ({ text: plain(`One ${one}`), value: one })) });
  });
  tiny.app.shortcut('pick', async ({ ack, shortcut, client }) => {
    await ack();
    await client.views.open({ trigger_id: shortcut.trigger_id, view: named(`By ${shortcut.user.id}`) });
  });
  tiny.app.command('/hello', ({ ack }) => ack());
  tiny.app.view<ViewSubmitAction>({ type: 'view_submission', callback_id: /.*/ }, ({ ack }) => answer(ack));
  tiny.app.view<ViewClosedAction>({ type: 'view_closed', callback_id: /.*/ }, async ({ ack, body, view }) => {
    closings.push(`closed ${view.title.text} ${body.is_cleared}`);
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
  closings.splice(0);
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
    ['an error on a block without an input', { response_action: 'errors', errors: { said: 'No.' } }],
    ['errors without any', { response_action: 'errors', errors: {} }],
    ['a view that Slack refuses', { response_action: 'update', view: named('x'.repeat(25)) }],
  ])('is shown as trouble if it is %s', async (_, said) => {
    const before = slack.problems().length;
    answer = (ack) => ack(said);
    expect((await slack.submit('U01ANA')).shown).toContain('trouble connecting');
    expect(slack.problems().slice(before)).toMatchObject([{ kind: 'invalid_ack' }]);
    expect(titles()).toEqual(['First']);
  });

  it('closes only the topmost form if it is empty', async () => {
    await slack.pick('U01ANA', 'modal', { label: 'Kind' }, 'some');
    await slack.until(() => titles()[1]);
    expect(titles()).toEqual(['First', 'On top: some']);
    answer = (ack) => ack();
    await slack.submit('U01ANA');
    expect(titles()).toEqual(['First']);
  });
});

describe('closing a form', () => {
  it('is delivered if the form requests it', async () => {
    await slack.closeModal('U01ANA');
    expect(closings).toEqual(['closed First false']);
    expect(titles()).toEqual([]);
    await expect(slack.closeModal('U01ANA')).rejects.toThrow('no form open');
  });

  it('of all forms is delivered for each', async () => {
    await slack.pick('U01ANA', 'modal', { action_id: 'kind' }, 'all');
    await slack.until(() => titles()[1]);
    await slack.closeModal('U01ANA', true);
    expect(closings.sort()).toEqual(['closed First true', 'closed On top: all true']);
  });
});

describe('a person', () => {
  it('cannot press a missing button', async () => {
    await expect(slack.click('U01ANA', 'modal', { label: 'Nothing' })).rejects.toThrow('there is "Kind" (kind)');
    await expect(slack.pick('U01ANA', 'modal', { label: 'Kind' }, 'none')).rejects.toThrow('there is "all", "some"');
    await expect(slack.click('U02BEN', 'modal', { label: 'Kind' })).rejects.toThrow('no such view');
  });

  it('can read their direct messages with the bot before there are any', async () => {
    expect(slack.messages({ channel: 'D0U06ROB', as: 'U06ROB' })).toEqual([]);
    const { payload } = await slack.command('U06ROB', 'D0U06ROB', '/hello');
    expect(payload).toMatchObject({ channel_id: 'D0U06ROB', channel_name: 'directmessage' });
  });
});

describe('a form with every kind of input', () => {
  const view = () => slack.views('U02BEN').modals.at(-1);
  const held = (label: string): unknown => view()?.controls.find((one) => one.label === label)?.value;
  const update = async (blocks: View['blocks'], hash?: string) => {
    const sent = { view_id: view()?.id ?? '', view: named('More', blocks), ...(hash === undefined ? {} : { hash }) };
    return tiny.app.client.views.update({ token: slack.tokens.bot, ...sent });
  };
  beforeEach(async () => {
    asked.splice(0);
    await slack.command('U02BEN', 'C0ACME', '/more');
    await slack.until(() => view());
    answer = (ack) => ack({ response_action: 'clear' });
  });
  afterEach(async () => {
    if (view() !== undefined) await slack.closeModal('U02BEN', true);
  });

  it('takes several of the app’s suggestions, requests them again for each, and can remove them', async () => {
    await expect(slack.pick('U02BEN', 'modal', { label: 'Fruit' }, ['One apple', 'plum'])).rejects.toThrow(
      '"One apple" is not offered',
    );
    await slack.pick('U02BEN', 'modal', { label: 'Fruit' }, ['apple', 'plum']);
    expect(held('Fruit')).toMatchObject([{ value: 'apple' }, { value: 'plum' }]);
    expect(asked).toEqual(['One apple', 'plum', 'apple', 'plum']);
    await slack.pick('U02BEN', 'modal', { label: 'Fruit' }, []);
    expect(held('Fruit')).toEqual([]);
    const whole = { text: plain('One pear'), value: 'pear' };
    const { payload } = await slack.submit('U02BEN', { Fruit: [whole] });
    expect(payload).toMatchObject({
      view: { state: { values: { fruit: { fruit: { selected_options: [whole] } } } } },
    });
  });

  it.each<[string, string | undefined]>([
    ['0', 'The number is too small.'],
    ['10', 'The number is too large.'],
    ['1.5', 'Please enter a valid number.'],
    ['many', 'Please enter a valid number.'],
    ['9', undefined],
    ['', undefined],
  ])('does not submit an invalid number: %s', async (number, error) => {
    const { errors, delivered } = await slack.submit('U02BEN', { Count: number });
    expect(errors['count']).toBe(error);
    expect(delivered).toBe(error === undefined);
  });

  it('returns a person by id', async () => {
    const { payload } = await slack.submit('U02BEN', { Who: 'U03CHI' });
    expect(payload).toMatchObject({ view: { state: { values: { who: { who: { selected_user: 'U03CHI' } } } } } });
  });

  it('redrawn, keeps the values of unchanged blocks only', async () => {
    await slack.pick('U02BEN', 'modal', { label: 'Fruit' }, ['pear']);
    await slack.pick('U02BEN', 'modal', { label: 'Count' }, '3');
    await update([many('fruit'), ...rest]);
    expect([held('Fruit'), held('Count')]).toMatchObject([[{ value: 'pear' }], '3']);
    await update([many('other fruit'), ...rest]);
    expect([held('Fruit'), held('Count')]).toEqual([[], '3']);
  });

  it('is not replaced by an older version of itself', async () => {
    const first = await update([many('a')]);
    await update([many('b')], first.view?.hash);
    await expect(update([many('c')], first.view?.hash)).rejects.toMatchObject({ data: { error: 'hash_conflict' } });
    expect(view()?.controls[0]?.block_id).toBe('b');
  });
});

it('a shortcut has a trigger, and no channel', async () => {
  const { payload, acked } = await slack.shortcut('U03CHI', 'pick');
  expect(acked).toBe(true);
  expect(payload).toMatchObject({ type: 'shortcut', callback_id: 'pick', user: { id: 'U03CHI' } });
  expect(payload).not.toHaveProperty('channel');
  await slack.until(() => slack.views('U03CHI').modals.find(({ title }) => title === 'By U03CHI'));
  await slack.closeModal('U03CHI', true);
});
