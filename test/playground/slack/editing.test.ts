import { afterEach, describe, expect, it } from 'vitest';
import type { SlackOptions } from '../../../src/playground/slack/options.ts';
import { startSlack } from '../../../src/playground/slack/server.ts';
import type { SlackStandIn } from '../../../src/playground/slack/stand-in.ts';
import { containing } from './containing.ts';
import { socketApp } from './tiny-app.ts';

const [ana, acme, bot] = ['U01ANA', 'C0ACME', '<@U0SITEHAND>'];
const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const each of open.splice(0).toReversed()) await each.close();
});

/** A workspace with an app, and all events that the app receives. */
async function startApp(options: SlackOptions = {}): Promise<{ slack: SlackStandIn; received: unknown[] }> {
  const slack = await startSlack(options);
  open.push(slack);
  const tiny = await socketApp(slack);
  open.push({ close: () => tiny.stop() });
  const received: unknown[] = [];
  tiny.app.event(/.*/, async ({ event, body }) => void received.push({ id: body.event_id, ...event }));
  return { slack, received };
}

describe('editing a message', () => {
  it('delivers a mention again: another event id, the same time stamp, and who edited it when', async () => {
    const { slack, received } = await startApp();
    const { ts, payload } = await slack.mention(ana, acme, 'cache clear acme-shop/live');
    const outcome = await slack.edit(ana, acme, ts, `${bot} cache clear acme-shop/staging`);
    expect(outcome).toMatchObject({ delivered: true, acked: true });
    expect(outcome.payload?.['event_id']).not.toBe(payload?.['event_id']);
    expect(received).toHaveLength(2);
    expect(received[0]).not.toHaveProperty('edited');
    const edited = { user: ana, ts: containing('.') };
    expect(received[1]).toMatchObject({ type: 'app_mention', ts, user: ana, text: containing('staging'), edited });
    expect(slack.messages({ channel: acme, as: ana })).toMatchObject([{ ts, edited: true }]);
  });

  it('that adds a mention is delivered as the first event; one that removes it is not delivered', async () => {
    const { slack, received } = await startApp();
    const { ts } = await slack.say(ana, acme, 'look at this');
    await slack.edit(ana, acme, ts, `${bot} help`);
    expect(received).toMatchObject([{ ts, edited: { user: ana } }]);
    expect(await slack.edit(ana, acme, ts, 'nothing')).toMatchObject({ delivered: false });
    expect(received).toHaveLength(1);
  });

  it('is delivered as message_changed to apps that read the channel, and to no others', async () => {
    const { slack, received } = await startApp({ events: ['message.channels'] });
    const { ts } = await slack.say(ana, acme, 'one');
    await slack.edit(ana, acme, ts, 'two');
    expect(received).toMatchObject([
      { subtype: 'message_changed', channel: acme, message: { ts, text: 'two' }, previous_message: { text: 'one' } },
    ]);
  });

  it('is possible only for its author, and by the control API', async () => {
    const { slack } = await startApp();
    const { ts } = await slack.say(ana, acme, 'one');
    await expect(slack.edit('U02BEN', acme, ts, 'two')).rejects.toThrow('no message');
    const body = { person: ana, channel: acme, ts, text: 'three' };
    const answer = await slack.control({ method: 'POST', path: '/edit', query: new URLSearchParams(), body });
    expect(answer).toMatchObject({ status: 200 });
    expect(slack.messages({ channel: acme, as: ana })).toMatchObject([{ text: 'three' }]);
  });
});
