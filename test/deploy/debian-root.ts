import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { ids, openScenario } from '../stories/scenario.ts';
import { packed } from './packed.ts';

/**
 * `npm run debian-root`: runs the package as an image would, in a root made of nothing but Debian's smallest set of
 * packages, Node and the package. The bot's user may write nowhere but in its data folder. Needs root and debootstrap.
 */

const user = 1000;
const node = '/usr/bin/node';
const program = '/opt/sitehand/node_modules/sitehand/sitehand.js';
const chroot = '/usr/sbin/chroot';
const asUser = [`--userspec=${user}:${user}`, '--groups='];

function run(command: string, words: readonly string[], cwd?: string): string {
  return execFileSync(command, words, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });
}

/** Makes the root. `temporary` is a folder in it for the bot's files, under the same path inside and outside. */
async function makeRoot(root: string): Promise<string> {
  // The packages are unpacked and not configured: that needs more rights than a container has.
  chmodSync(root, 0o755);
  run('debootstrap', ['--foreign', '--variant=minbase', 'bookworm', root]);
  rmSync(join(root, 'debootstrap'), { recursive: true });
  copyFileSync(process.execPath, join(root, node));
  const build = mkdtempSync('/var/tmp/sitehand-package-');
  const install = ['install', '--offline', '--no-audit', '--silent', '--prefix', join(root, 'opt/sitehand')];
  run('npm', [...install, await packed(build)], root);
  rmSync(build, { recursive: true });
  mkdirSync(join(root, dirname(root)), { recursive: true });
  symlinkSync('/', join(root, root));
  const temporary = join(root, 'srv/sitehand');
  mkdirSync(temporary, { recursive: true });
  return temporary;
}

async function tryPackage(root: string): Promise<void> {
  const inside = async (words: readonly string[], env = {}) => {
    const child = spawn(chroot, [...asUser, root, ...words], { env, stdio: ['ignore', 'pipe', 'pipe'] });
    const [out, said] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
    return { code: child.exitCode, out, said };
  };
  const writable = await inside([
    '/usr/bin/find',
    '/',
    '-xdev',
    '-writable',
    '-not',
    '-type',
    'l',
    '-not',
    '-path',
    '/dev/*',
  ]);
  assert.deepEqual(writable.out.trim().split('\n').toSorted(), ['/tmp', '/var/lock', '/var/tmp']);
  const scenario = await openScenario({
    start: false,
    ownProcess: 'all',
    hosting: { durations: { 'environments:push': 0 } },
    program: { command: chroot, words: [...asUser, root, node, program, 'start'] },
  });
  try {
    chownSync(dirname(scenario.environment['POLICY_FILE'] ?? ''), user, user);
    const { POLICY_FILE: file = '', ...answers } = scenario.environment;
    const work = join(dirname(file), 'work');
    mkdirSync(work);
    chownSync(work, user, user);
    const sitehand = (words: readonly string[], env = {}) =>
      inside(['/usr/bin/env', `--chdir=${work}`, node, program, ...words], env);
    const expectDone = ({ code, out, said }: Awaited<ReturnType<typeof inside>>) => assert.equal(code, 0, out + said);
    expectDone(await sitehand(['setup', '--leads', `${ids.ana},${ids.chi}`, '--ops-channel', 'C0OPS'], answers));
    // From here on the settings are those of the `.env` that it wrote.
    expectDone(await sitehand(['doctor']));
    await scenario.start({ POLICY_FILE: join(work, 'policy.yml') });
    const request = '/site push acme-shop/staging acme-shop/live --database --reason "new shop"';
    const push = await scenario.person('ana').requests(request);
    await scenario.person('chi').clicks(push.card(), 'Approve');
    await push.tells('the host reports it finished');
    assert.equal(scenario.writes('acme-shop/live').length, 1);
    assert.deepEqual(await scenario.stop(), { code: 0, signal: null });
    expectDone(await sitehand(['audit', 'verify']));
    process.stdout.write(
      'In a minimal Debian root, without rights: setup ended with a green doctor, a push was approved and written once, SIGTERM ended with 0, the trail verifies.\n',
    );
  } finally {
    await scenario.close();
  }
}

if (process.getuid?.() !== 0 || !existsSync('/usr/sbin/debootstrap')) {
  process.stderr.write('This needs root, and the Debian package debootstrap. Nothing was tried.\n');
  process.exit(2);
}
const root = mkdtempSync('/var/tmp/sitehand-root-');
try {
  // The scenario’s files are in the root, too.
  process.env['TMPDIR'] = await makeRoot(root);
  await tryPackage(root);
} finally {
  rmSync(root, { recursive: true, force: true });
}
