import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';

const file = new URL('../src/node-version.js', import.meta.url);
/** The result of a start under this version of Node. */
const under = (version: string) =>
  spawnSync(
    process.execPath,
    [
      '--input-type=module',
      '-e',
      `Object.defineProperty(process, 'version', { value: 'v${version}' }); await import('${file.href}'); console.log('went on');`,
    ],
    { encoding: 'utf8' },
  );

test.each(['18.20.0', '22.21.1', '23.11.0'])(
  'under Node %s the message says what to do, and nothing starts',
  (version) => {
    const { status, stdout, stderr } = under(version);
    expect(status).toBe(1);
    expect(stdout).toBe('');
    expect(stderr).toContain(`needs Node 24 or newer and did not start, because this is v${version} (`);
    expect(stderr).toMatch(/^Sitehand needs [^\n]+ in a clone\.\n$/);
  },
);
test.each(['24.0.0', '25.1.0', '100.0.0'])('under Node %s the program starts', (version) => {
  expect(under(version)).toMatchObject({ status: 0, stdout: 'went on\n' });
});

test('nothing that runs before the check is newer than Node 12', () => {
  for (const name of ['src/node-version.js', 'deploy/sitehand.js'])
    expect(readFileSync(name, 'utf8')).not.toMatch(/\?\.|\?\?|^await /m);
});

test('a signal opens no debugger', async () => {
  const waits = "process.stdout.write('up'); setTimeout(() => process.exit(7), 1_000)";
  const child = spawn(process.execPath, ['--import', file.href, '--input-type=module', '-e', waits]);
  const said = text(child.stderr);
  await once(child.stdout, 'data');
  child.kill('SIGUSR1');
  await once(child, 'close');
  expect(child.exitCode).toBe(7);
  expect(await said).toBe('');
});
