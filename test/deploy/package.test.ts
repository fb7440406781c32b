import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { closeSync, existsSync, openSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { projectManifest } from '../../deploy/build.ts';
import { pack } from '../../deploy/release.ts';
import { openDatabase } from '../../src/storage/database.ts';
import { copyOfProject } from '../project-copy.ts';
import { canaries, ids, inScenario } from '../stories/scenario.ts';
import { packed } from './packed.ts';

/** The package, installed without a network into a folder that has nothing else, and used as people do. */

const folder = await mkdtemp(join(tmpdir(), 'sitehand-package-'));
const program = join(folder, 'empty/node_modules', projectManifest.name, 'sitehand.js');
afterAll(() => rm(folder, { recursive: true }));

beforeAll(async () => {
  const empty = join(folder, 'empty');
  await mkdir(empty);
  const words = ['install', '--offline', '--no-audit', '--prefix', empty, await packed(folder)];
  const installed = await run('npm', words, folder);
  if (installed.code !== 0) throw new Error(installed.said);
});

type Environment = Readonly<Record<string, string>>;

async function run(command: string, words: readonly string[], cwd: string, env: Environment = {}) {
  const child = spawn(command, words, { cwd, env: { PATH: process.env['PATH'], HOME: folder, ...env } });
  const [out, said] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  return { code: child.exitCode, out, said };
}
const sitehand = (words: readonly string[], env?: Environment) =>
  run(process.execPath, [program, ...words], folder, env);

test('it needs no other package, and has the licence of each one within it', () => {
  const read = (name: string): string => readFileSync(join(program, '..', name), 'utf8');
  expect(JSON.parse(read('package.json'))).not.toHaveProperty('dependencies');
  // The stand-ins are in a bundle of their own.
  expect(read('program.js')).not.toContain('T0SITEHAND');
  const licences = read('THIRD-PARTY-LICENCES.txt');
  for (const name of ['@slack/bolt', 'undici', 'kysely', 'pg', 'pino', 'zod', '@clack/prompts'])
    expect(licences).toMatch(new RegExp(`^${name} \\d+\\.\\d+\\.\\d+, MIT\n\n.+`, 'm'));
  expect(licences).not.toContain('vitest');
  // The bill of materials names the same packages, and is the same for the same sources.
  const bill = z
    .object({
      bomFormat: z.literal('CycloneDX'),
      components: z.array(z.object({ name: z.string(), version: z.string() })),
    })
    .parse(JSON.parse(read('sbom.cdx.json')));
  const named = [...licences.matchAll(/^-{80}\n\n(\S+ \S+), /gm)].map(([, one]) => one);
  expect(new Set(bill.components.map(({ name, version }) => `${name} ${version}`))).toEqual(new Set(named));
  expect(read('sbom.cdx.json')).not.toMatch(/timestamp|serialNumber/);
});

test('help lists the commands, and an unknown one does nothing', async () => {
  for (const words of [['help'], ['--help'], ['audit', '--help']]) {
    const { code, out } = await sitehand(words);
    expect({ code, starts: /^Type one of these after npx \S+:\n\n {2}start /.test(out) }).toEqual({
      code: 0,
      starts: true,
    });
    for (const name of [
      'setup',
      'doctor',
      'policy check',
      'policy explain',
      'policy test',
      'audit verify',
      'audit export',
    ])
      expect(out).toContain(`\n  ${name}`);
  }
  expect(await sitehand(['stat'])).toEqual({
    code: 2,
    out: '',
    said: 'Unknown word "stat"; did you mean "start"? Nothing was done. Try: npx sitehand help\n',
  });
  const incomplete = await sitehand(['setup']);
  expect(incomplete.code).toBe(2);
  expect(incomplete.out).toContain('SLACK_BOT_TOKEN is not set');
  expect(await sitehand(['start', 'now'])).toMatchObject({ code: 2, out: '' });
  expect(await sitehand(['toString'])).toMatchObject({ code: 2, out: '' });
});

test('without a word it says what it is and three next steps, and it knows its version', async () => {
  const { version } = projectManifest;
  expect(await sitehand(['--version'])).toEqual({ code: 0, out: `${version}\n`, said: '' });
  const { code, out } = await sitehand([]);
  expect(code).toBe(0);
  expect(out).toContain(`Sitehand ${version}: a pair of hands for your hosted sites, in Slack.\n`);
  const steps = [...out.matchAll(/^ {2}npx \S+ (\w+) {2}/gm)].map(([, step]) => step);
  expect(steps).toEqual(['playground', 'setup', 'help']);
});

test('the exit code is right even if the output cannot be written', async () => {
  const DATABASE_URL = `sqlite:${join(folder, 'full', 'a.db')}`;
  await (await openDatabase(DATABASE_URL)).close();
  const env = { ...process.env, DATABASE_URL };
  const full = openSync('/dev/full', 'w');
  const ends = (words: readonly string[]): number | null =>
    spawnSync(process.execPath, [program, ...words], { cwd: folder, env, stdio: ['ignore', full, full] }).status;
  const file = join(folder, 'full', 'a.backup');
  expect([ends(['backup', file]), ends(['backup', file]), ends(['audit', 'verify'])]).toEqual([0, 2, 0]);
  expect(existsSync(file)).toBe(true);
  closeSync(full);
});

test('unreadable settings are named, and help still works', async () => {
  await mkdir(join(folder, '.env'));
  const [refused, helped] = [await sitehand(['start']), await sitehand(['help'])];
  await rm(join(folder, '.env'), { recursive: true });
  expect(helped).toMatchObject({ code: 0, said: '' });
  expect(refused).toMatchObject({ code: 2, out: '' });
  expect(refused.said).toMatch(/^\.env in this folder cannot be read: .* Nothing was done\./);
});

test('policy check prints every mistake in the format of editors and CI, and exits with 1', async () => {
  const policy = join(folder, 'rules.yml');
  await writeFile(policy, 'version: 1\nrules:\n  - allow: [reed]\n    to: everyone\n');
  const mistaken = await sitehand(['policy', 'check', policy]);
  expect(mistaken.code).toBe(1);
  expect(mistaken.out).toMatch(/rules\.yml:3:13: unknown command or class "reed"; did you mean "read"\?\n$/);
  const example = join(program, '../policy.example.yml');
  const usable = await sitehand(['policy', 'check'], { POLICY_FILE: example });
  expect(usable.code).toBe(0);
  expect(usable.out).toContain('can be used: 8 rules');
  const missing = await sitehand(['policy', 'check', 'nowhere.yml']);
  expect(missing.code).toBe(1);
  expect(missing.out).toContain('cannot be read');
  expect(await sitehand(['policy', 'chekc'])).toMatchObject({ code: 2, out: '' });
  const explained = await sitehand(['policy', 'explain', '@leads pause'], { POLICY_FILE: example });
  expect(explained).toMatchObject({ code: 0, said: '' });
  expect(explained.out).toMatch(/^@leads may run pause\n/);
});

test('from setup to a push: doctor is green, the push is approved and written once, a long log is read, the trail verifies', async () => {
  const work = join(folder, 'work');
  await mkdir(work);
  const packed = { words: [program, 'start'], folder: work };
  const hosting = { durations: { 'environments:push': 0 } } as const;
  await inScenario({ start: false, ownProcess: 'all', program: packed, hosting }, async (scenario) => {
    const { POLICY_FILE: _, ...answers } = scenario.environment;
    const people = ['--leads', `${ids.ana},${ids.chi}`, '--ops-channel', 'C0OPS'];
    const prepared = await run(process.execPath, [program, 'setup', ...people], work, answers);
    expect(prepared).toMatchObject({ code: 0, said: '' });

    await scenario.start({ POLICY_FILE: join(work, 'policy.yml') });
    // The settings are those of the `.env` that it wrote.
    const examined = await run(process.execPath, [program, 'doctor'], work);
    expect(examined.out).toMatch(/✅ All \d+ checks are fine\n$/);
    expect(examined.code).toBe(0);
    const ana = scenario.person('ana');
    const push = await ana.requests('/site push acme-shop/staging acme-shop/live --database --reason "new shop"');
    await scenario.person('chi').clicks(push.card(), 'Approve');
    await scenario.holdBeforeSend(push.number);
    scenario.makeDue(push.number);
    await push.tells('the host reports it finished');
    expect(scenario.writes('acme-shop/live')).toHaveLength(1);

    // Long enough for the thread.
    const logs = '2026-11-20 10:00:00 [error] one of many\n'.repeat(20_000);
    const body = { environment: { container_info: { logs } } };
    const id = scenario.hosting.world.environmentNamed('acme-blog/staging')?.id;
    const path = `/sites/environments/${id}/logs`;
    scenario.hosting.faults.add({ kind: 'status', method: 'GET', path, status: 200, body });
    const read = await ana.says('/site logs acme-blog/staging error --lines 20000');
    await read.hears('20,000');

    const environment = { DATABASE_URL: scenario.databaseUrl, AUDIT_KEY: canaries.audit };
    const verified = await sitehand(['audit', 'verify'], environment);
    expect(verified.code).toBe(0);
    expect(verified.out).toContain('lines of the audit trail are unaltered');
    expect(await scenario.stop()).toEqual({ code: 0, signal: null });
  })();
});

test('the playground plays without any settings, and leaves nothing behind', async () => {
  const [work, temporary] = [join(folder, 'play'), join(folder, 'play-tmp')];
  // A `.env` that nothing else could start with.
  await Promise.all([mkdir(join(work, '.env'), { recursive: true }), mkdir(temporary)]);
  const env = { PATH: process.env['PATH'], HOME: work, TMPDIR: temporary };
  const child = spawn(process.execPath, [program, 'playground', '--port', '0'], { cwd: work, env });
  const exited = once(child, 'exit');
  const said = text(child.stderr);
  let out = '';
  for await (const part of child.stdout.iterator({ destroyOnReturn: false })) {
    out += String(part);
    if (out.includes('Ctrl-C')) break;
  }
  const [address] = /http:\/\/127\.0\.0\.1:\d+/.exec(out) ?? [await said];
  const ask = async (path: string, body?: object): Promise<string> => {
    const given = body && { method: 'POST', body: JSON.stringify(body) };
    return (await fetch(`${address}/${path}`, given)).text();
  };
  expect(await ask('')).toContain('<script type="module" src="/web/page.js">');
  expect(await ask('web/page.js')).not.toMatch(/^import\b/m);
  expect(await ask('web/page.css')).toContain('{');
  expect(await ask('commands')).toContain('"path":"cache clear"');
  await ask('control/slack/command', { person: 'U01ANA', channel: 'C0ACME', text: '/site cache clear acme-shop/live' });
  await expect.poll(() => ask('control/hosting/journal')).toContain('"method":"POST"');
  child.kill('SIGINT');
  expect(await exited).toEqual([0, null]);
  expect(await readdir(work)).toEqual(['.env']);
  expect(await readdir(temporary)).toEqual(['node-compile-cache']);
});

test('the package is byte for byte the same in another folder under another umask, and a release takes no other', async () => {
  const repository = { type: 'git', url: 'git+https://github.com/acme/sitehand.git' } as const;
  const { file } = await pack(await mkdtemp(join(folder, 'made-')), { ...projectManifest, repository });
  const copy = await copyOfProject();
  const dry = (owner: string) =>
    run(
      'sh',
      [
        '-c',
        `umask 077; exec "$0" deploy/release.ts --repository ${owner}/sitehand --package "$1"`,
        process.execPath,
        file,
      ],
      copy,
    );
  const made = await dry('acme');
  expect(made).toMatchObject({ code: 0, said: '' });
  expect(made.out).toContain('Made again, byte for byte the same. Nothing was published.');
  const sums = readFileSync(join(copy, 'release/SHA256SUMS'), 'utf8');
  expect(sums).toContain(createHash('sha256').update(readFileSync(file)).digest('hex'));
  const other = await dry('other');
  expect(other).toMatchObject({ code: 1, out: '' });
  expect(other.said).toContain('is not byte for byte what these sources make.\nNothing was published.\n');
  await rm(copy, { recursive: true });
});
