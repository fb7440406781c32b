import { WebClient } from '@slack/web-api';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createLog } from '../../src/base/log.ts';
import { TOKENS } from '../../src/playground/slack/options.ts';
import { startSlack } from '../../src/playground/slack/server.ts';
import type { SlackStandIn } from '../../src/playground/slack/stand-in.ts';
import { clientOptions } from '../../src/slack-api/calls.ts';
import { createViewUpdates, type OpenView, type UpdateView } from '../../src/slack-api/view-updates.ts';
import { noticeView } from '../../src/slack/forms/views.ts';
import { say } from '../../src/words/text.ts';

const ana = 'U01ANA';
const method = 'views.update';
const saying = (words: string) => noticeView('A form', say`${words}`);

let slack: SlackStandIn;
let update: UpdateView;
let view: OpenView;
beforeEach(async () => {
  slack = await startSlack();
  const client = new WebClient(TOKENS.bot, clientOptions(slack.apiUrl));
  update = createViewUpdates(client, createLog('silent'));
  const { payload } = await slack.command(ana, 'C0ACME', '/site');
  const opened = await client.views.open({ trigger_id: String(payload?.['trigger_id']), view: saying('loading') });
  view = { id: opened.view?.id ?? '', hash: opened.view?.hash };
});
afterEach(() => slack.close());

const shown = (): string | undefined => slack.views(ana).modals.at(-1)?.text;
const calls = (): number => slack.calls().filter((call) => call.method === method).length;

test.each([true, false])('what is newer ends the tries of what is older (with a hash: %s)', async (hasHash) => {
  const into = hasHash ? view : { id: view.id };
  slack.faults.add({ method, kind: 'rate_limited', retryAfter: '5', times: 1 });
  const older = update(into, saying('older'));
  await slack.until(() => calls() === 1 || undefined);
  expect(await update(into, saying('newer'))).toBe('drawn');
  expect(await older).toBe('outdated');
  expect(shown()).toContain('newer');
  expect(calls()).toBe(2);
});

test('each drawing follows the one before, and nothing is drawn over what somebody else drew or closed', async () => {
  expect(await update(view, saying('first'))).toBe('drawn');
  expect(await update(view, saying('second'))).toBe('drawn');
  expect(await update({ ...view, hash: 'of another' }, saying('third'))).toBe('outdated');
  expect(shown()).toContain('second');
  await slack.closeModal(ana, true);
  expect(await update(view, saying('fourth'))).toBe('outdated');
});

test('an answer that was lost is not drawn again over what came after it', async () => {
  slack.faults.add({ method, kind: 'lost', times: 1 });
  expect(await update(view, saying('first'))).toBe('outdated');
  expect(shown()).toContain('first');
});

test('an older drawing whose answer was lost does not stay under a newer one', async () => {
  slack.faults.add({ method, kind: 'lost', times: 1 });
  const older = update(view, saying('older'));
  await slack.until(() => calls() === 1 || undefined);
  expect(await update(view, saying('newer'))).toBe('drawn');
  expect(await older).toBe('outdated');
  expect(shown()).toContain('newer');
  expect(await update(view, saying('newest'))).toBe('drawn');
  expect(await update({ ...view, hash: 'of another' }, saying('stale'))).toBe('outdated');
});

test('what was drawn without a hash is not drawn over by what followed from the version before, lost answer or not', async () => {
  slack.faults.add({ method, kind: 'lost', times: 1 });
  expect(await update(view, saying('a form'))).toBe('outdated');
  expect(await update({ id: view.id }, saying('a review'))).toBe('drawn');
  expect(await update(view, saying('a form again'))).toBe('outdated');
  expect(shown()).toContain('a review');
});

test('what Slack does not take in time is unconfirmed', async () => {
  slack.faults.add({ method, kind: 'lost', times: 1 });
  slack.faults.add({ method, kind: 'rate_limited', retryAfter: '30', times: 1 });
  expect(await update(view, saying('first'))).toBe('unconfirmed');
  expect(shown()).toContain('first');
});

test('a hash that Slack gives twice does no harm', async () => {
  const sent: (string | null)[] = [];
  const fetch = async (...request: Parameters<typeof globalThis.fetch>): Promise<Response> => {
    const hash = new URLSearchParams(await new Request(...request).text()).get('hash');
    sent.push(hash);
    return Response.json({ ok: true, view: { hash: hash === 'a' ? 'b' : 'a' } });
  };
  const client = new WebClient(TOKENS.bot, { ...clientOptions(slack.apiUrl), fetch });
  const flipping = createViewUpdates(client, createLog('silent'));
  for (const hash of ['a', 'b', 'a', 'b']) expect(await flipping({ id: 'V1', hash }, saying('x'))).toBe('drawn');
  expect(sent).toEqual(['a', 'b', 'a', 'b']);
});

test('a view that Slack refuses is not sent again', async () => {
  await expect(
    update(view, { ...saying('x'), blocks: [{ type: 'divider', block_id: 'x'.repeat(300) }] }),
  ).rejects.toThrow('invalid_arguments');
  expect(calls()).toBe(1);
});
