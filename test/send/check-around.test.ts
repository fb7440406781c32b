import { expect, onTestFinished, test } from 'vitest';
import { keptReadings } from '../../src/change/site-readings.ts';
import { checkBefore } from '../../src/send/check-around.ts';
import { createSiteCheck } from '../../src/site-check/site-check.ts';
import { listening } from '../site-check/listener.ts';
import { save } from '../storage/samples.ts';
import { changeOf, live, noSites } from '../fixtures.ts';
import { contextOver, now, openStill } from '../matrix/waiting-changes.ts';

test('a reading counts as before the send only if nothing was sent in the meantime', async () => {
  const database = await openStill();
  onTestFinished(() => database.close());
  const { targets } = changeOf();
  const change = await save(database, { targets, state: 'approved' });
  const send = () => database.db.updateTable('changes').set({ state: 'sending', sent_at: now }).execute();
  let answers: Promise<unknown> = Promise.resolve();
  const { port } = await listening((socket) => void answers.then(() => socket.end('HTTP/1.1 200 OK\r\n\r\nshop')));
  const siteCheck = createSiteCheck({ now: () => now, instead: { host: '127.0.0.1', port } });
  const context = contextOver(database, {
    siteCheck,
    listing: () => ({
      ...noSites.listing(),
      environmentDomains: [{ id: live.id, name: 'acme.example', environmentId: live.id }],
    }),
  });
  const keptOf = async () => (await keptReadings(database.db, change.number)).readings;

  answers = send();
  await checkBefore(context, change);
  expect(await keptOf()).toEqual({});

  await database.db.updateTable('changes').set({ state: 'approved', sent_at: null }).execute();
  answers = Promise.resolve();
  await checkBefore(context, change);
  expect(await keptOf()).toMatchObject({ before: { impression: 'well' } });
});
