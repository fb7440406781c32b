import { expect, test } from 'vitest';
import { routes } from '../../../src/playground/hosting/routes/table.ts';
import { companyId } from '../../../src/playground/hosting/seed/ids.ts';
import { at, call, live, settled, start } from './calling.ts';

const cache = { body: { environment_id: live } };

test('an operation is unknown, then running, then finished', async () => {
  let now = 1_000_000;
  const hosting = await start({ now: () => now, notKnownFor: 1_000, durations: { 'cache:clear': 1 } });
  hosting.operations.plan('cache:clear', 'hang');
  const id = async (): Promise<string> =>
    encodeURIComponent(
      String(at((await call(hosting, 'POST', '/sites/tools/clear-cache', cache)).body, 'operation_id')),
    );
  const [hanging, quick] = [await id(), await id()];
  expect(quick).toContain('%3A');
  const status = async (which: string): Promise<number> => (await call(hosting, 'GET', `/operations/${which}`)).status;
  await hosting.until(() => hosting.operations.list()[1]?.settledAt);
  expect([await status(hanging), await status(quick)]).toEqual([404, 404]);
  now += 1_000;
  expect([await status(hanging), await status(quick)]).toEqual([202, 200]);
  expect(await status('cache%3Aclear-00000000-0000-4000-8000-000000000000')).toBe(404);
});

test('a failed operation answers 500', async () => {
  const hosting = await start();
  hosting.operations.plan('cache:clear', 'fail');
  const { body } = await call(hosting, 'POST', '/sites/tools/clear-cache', cache);
  await settled(hosting);
  expect((await call(hosting, 'GET', `/operations/${String(at(body, 'operation_id'))}`)).status).toBe(500);
  expect(hosting.world.environment(live).cacheClearedAt).toBeNull();
});

test('an operation fails if its target is deleted meanwhile', async () => {
  const hosting = await start({ durations: { 'cache:clear': 150 } });
  await call(hosting, 'POST', '/sites/tools/clear-cache', cache);
  hosting.world.removeEnvironment(hosting.world.environment(live));
  await settled(hosting);
  expect(hosting.operations.list()).toMatchObject([{ kind: 'cache:clear', state: 'failed' }]);
});

test('the sites are listed with their environments and their domains', async () => {
  const hosting = await start();
  const { body } = await call(hosting, 'GET', `/sites?company=${companyId}&include_environments=true`);
  expect(at(body, 'company', 'sites', 0)).toMatchObject({
    name: 'acme-shop',
    display_name: 'Acme Shop',
    status: 'live',
  });
  const environments = at(body, 'company', 'sites', 0, 'environments');
  expect(environments).toContainEqual(expect.objectContaining({ id: live, name: 'live', is_blocked: false }));
  const bare = await call(hosting, 'GET', `/sites?company=${companyId}`);
  expect(at(bare.body, 'company', 'sites', 0)).not.toHaveProperty('environments');
});

test('the key shows its company', async () => {
  const { body } = await call(await start(), 'GET', '/validate');
  expect(body).toMatchObject({ company: companyId, status: 'active' });
  expect(at(body, 'expires_at')).toMatch(/^\d{4}-.*Z$/);
  const other = await call(await start({ dialect: 'kinsta' }), 'GET', '/validate');
  expect(at(other.body, 'expires_at')).toMatch(/^\d{13}$/);
});

test('PHP is restarted, and a manual backup is made', async () => {
  const hosting = await start();
  const environment = hosting.world.environment(live);
  const restarted = await call(hosting, 'POST', '/sites/tools/restart-php', cache);
  const path = `/sites/environments/${live}/manual-backups`;
  const tagged = await call(hosting, 'POST', path, { body: { tag: 'before the sale' } });
  const untagged = await call(hosting, 'POST', path);
  expect([restarted, tagged, untagged].map(({ status }) => status)).toEqual([202, 202, 202]);
  await settled(hosting);
  expect(environment.phpRestartedAt).not.toBeNull();
  expect(environment.backups.slice(0, 2).map(({ type, note }) => [type, note])).toContainEqual([
    'manual',
    'before the sale',
  ]);
  expect(new Set(environment.backups.map(({ id }) => id)).size).toBe(environment.backups.length);
});

test('each can be switched off, and then behaves like an unknown path', async () => {
  const off = {
    operations: false,
    sites: false,
    validate: false,
    restartPhp: false,
    manualBackups: false,
    environmentThemes: false,
  };
  const hosting = await start({ optional: off });
  const beyond = routes.filter(({ optional }) => optional !== undefined);
  expect(beyond).toHaveLength(6);
  for (const { method, path } of beyond) {
    const answer = await call(hosting, method, path.replace(/\{\w+\}/, live), method === 'POST' ? cache : {});
    expect({ path, ...answer }).toMatchObject({ path, status: 404, body: { status: 404 } });
  }
});
