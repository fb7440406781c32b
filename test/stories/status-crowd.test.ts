import { once } from 'node:events';
import { createServer } from 'node:http';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { SEED } from '../../src/playground/slack/seed.ts';
import { portOf } from '../site-check/listener.ts';
import { inScenario, patienceMs } from './scenario.ts';
import { inTime, threeSeconds } from './three-seconds.ts';

/** An alarm: fifty people ask for the status of one site at once, while it hangs and the host is slow or silent. */

const policy = `
version: 1
live: ['*/live']
rules: [{ allow: [read, routine], to: everyone }]
`;
const crowd = Array.from({ length: 50 }, (_, at) => `U1CROWD${at + 10}`);
const [someone] = SEED.people;
const joined = crowd.flatMap((id) => (someone ? [{ ...someone, id, name: id.toLowerCase(), display_name: id }] : []));
const seed = {
  ...SEED,
  people: [...SEED.people, ...joined],
  channels: SEED.channels.map((one) =>
    one.id === 'C0GENERAL' ? { ...one, members: [...one.members, ...crowd] } : one,
  ),
};

const visits: string[] = [];
const hung = createServer((request) => void visits.push(request.url ?? ''));
let environment: Record<string, string>;
beforeAll(async () => {
  hung.listen(0, '127.0.0.1');
  await once(hung, 'listening');
  environment = { CHECK_CONNECT_TO: `127.0.0.1:${portOf(hung)}` };
});
afterAll(() => {
  hung.closeAllConnections();
  hung.close();
});

test('each is acked and gets a card in time, and a verdict; the site and the host are asked once for all', () =>
  inScenario({ policy, environment, slack: { seed } }, async ({ slack, hosting, person }) => {
    const { id } = hosting.world.environmentNamed('acme-shop/live') ?? {};
    hosting.faults.add({ kind: 'hang', path: `/sites/environments/${id}/logs`, times: 'always' });
    hosting.faults.add({ kind: 'delay', ms: 500, path: `/sites/environments/${id}/backups`, times: 'always' });
    /** What each of them received. Sequential, because everybody who waits renders all messages again at each event. */
    const heardByAll = async (words: RegExp): Promise<readonly string[]> => {
      const heard: string[] = [];
      for (const as of crowd) {
        const found = () => slack.messages({ channel: 'C0GENERAL', as }).find(({ text }) => words.test(text));
        heard.push((await slack.until(found, patienceMs)).text);
      }
      return heard;
    };
    const [acks, cardsInTime] = [threeSeconds(), inTime(2_500)];
    const asked = crowd.map((as) => slack.command(as, 'C0GENERAL', '/site status acme-shop/live'));
    const other = person('ana').says('/site whoami', 'C0GENERAL');
    acks(...(await Promise.all(asked)), (await other).outcome);
    const cards = await heardByAll(/^\S+ acme-shop\/live · /);
    cardsInTime();
    for (const text of cards) {
      expect(text).toContain('❔ Site: unknown: one reading had not ended after 2 s.');
      expect(text).toContain('❔ Errors of the last hour: unknown: no answer within 2 s');
      expect(text).toMatch(/✅ Newest backup: \w+, /);
    }
    await heardByAll(/acme-shop\/live is not well: bad in 3 of 3 readings/);
    // Four looks at two domains, three times, and more if no core is free. Each by itself: 600 visits and 100 reads.
    expect(visits.length).toBeLessThan(60);
    const reads = hosting.journal.entries().filter(({ path }) => path.startsWith(`/sites/environments/${id}/`));
    expect(reads.length).toBeLessThan(20);
  })());

test('checks of a site that hangs do not keep a log waiting', () =>
  inScenario({ policy, environment, slack: { seed } }, async ({ slack, person }) => {
    const before = visits.length;
    const checks = crowd.map((as) => slack.command(as, 'C0GENERAL', '/site check acme-shop/live'));
    threeSeconds()(...(await Promise.all(checks)));
    await vi.waitFor(() => expect(visits.length).toBeGreaterThan(before), { timeout: patienceMs });
    // A look at a site that hangs takes 7 s.
    const logInTime = inTime(6_000);
    await (
      await person('ana').says('/site logs acme-docs/live error', 'C0GENERAL')
    ).hears('acme-docs/live · error log');
    logInTime();
  })());
