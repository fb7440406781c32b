import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { build } from '../../deploy/build.ts';
import { openScenario } from '../stories/scenario.ts';

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
  await build(join(root, 'build'));
  const packed = run('npm', ['pack', '--silent', './build'], root).trim();
  run('npm', ['install', '--offline', '--no-audit', '--silent', '--prefix', join(root, 'opt/sitehand'), packed], root);
  rmSync(join(root, 'build'), { recursive: true });
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
    const sitehand = (...words: readonly string[]) => inside([node, program, ...words], scenario.environment);
    const doctor = await sitehand('doctor');
    assert.equal(doctor.code, 0, doctor.out + doctor.said);
    await scenario.start();
    const push = await scenario.person('ana').wants('/site push acme-shop/staging acme-shop/live --database');
    await scenario.person('chi').clicks(push.card(), 'Approve');
    await push.tells('the host reports it finished');
    assert.equal(scenario.writes('acme-shop/live').length, 1);
    assert.deepEqual(await scenario.stop(), { code: 0, signal: null });
    const verified = await sitehand('audit', 'verify');
    assert.equal(verified.code, 0, verified.out + verified.said);
    process.stdout.write(
      'In a minimal Debian root, without rights: doctor is green, a push was approved and written once, SIGTERM ended with 0, the trail verifies.\n',
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
