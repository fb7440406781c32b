import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { z } from 'zod';
import { findPostgres, startPostgres } from '../postgres-server.ts';
import { openScenario, patienceMs, type Scenario, type ScenarioOptions } from '../stories/scenario.ts';
import { compose } from './compose.ts';

/** `npm run deployments`: runs what `deploy/` offers, in the image and on the machine that `deployments.sh` has made. */

type Settings = Readonly<Record<string, string>>;
type Deployment = {
  readonly title: string;
  readonly program: NonNullable<ScenarioOptions['program']>;
  /** Puts the settings where the deployment looks for them. */
  readonly configure: (settings: Settings) => void;
  /** Runs `sitehand` with these words beside the bot, as the documentation says. */
  readonly beside: (words: string, scenario: Scenario) => Promise<unknown>;
  /** What the log says after a stop in order; by default the exit code tells. */
  readonly ended?: string;
};

const machine = '/var/tmp/machine';
const policy = resolve('src/playground/policy.yml');
const { sitehand: service } = compose.services;

/** Runs a command while the stand-ins answer. Resolves with its output; rejects with all it said if it fails. */
const run = (command: string, ...words: readonly string[]): Promise<string> =>
  promisify(execFile)(command, words).then(
    ({ stdout }) => stdout.trim(),
    ({ message, stdout }: { message: string; stdout: string }) => assert.fail(`${message}${stdout}`),
  );
const say = (line: string): void => void process.stdout.write(`${line}\n`);

function writeSettings(file: string, settings: Settings): void {
  const lines = Object.entries(settings).map(([name, value]) => `${name}=${value}\n`);
  writeFileSync(file, lines.join(''), { mode: 0o600 });
}

/** Options of `podman run`: what `compose.yml` restricts, and what a machine may refuse to give. */
const restricted = [
  '--network=host',
  '--cgroups=disabled',
  '--ulimit=nofile=1024:1024',
  '--ulimit=nproc=1024:1024',
  '--read-only',
  '--read-only-tmpfs=false',
  ...service.tmpfs.map((one) => `--tmpfs=${one}`),
  ...service.cap_drop.map((one) => `--cap-drop=${one}`),
  ...service.security_opt.map((one) => `--security-opt=${one}`),
];

function container(
  title: string,
  volumes: readonly string[],
  configure: (file: string, settings: Settings) => void,
): Deployment {
  const file = '/var/tmp/settings';
  const given = [`--env-file=${file}`, ...volumes.map((one) => `--volume=${one}`)];
  return {
    title,
    program: { command: 'podman', words: ['run', '--rm', '--name=bot', ...restricted, ...given, 'sitehand'] },
    configure: (settings) => configure(file, settings),
    beside: async (words) => {
      await run('podman', 'healthcheck', 'run', 'bot');
      await run('podman', 'exec', 'bot', 'sitehand', ...words.split(' '));
    },
  };
}

const data = 'data:/srv/sitehand/data';
const withSqlite = container(
  'The image, with SQLite in its volume',
  [`${policy}:/srv/sitehand/policy.yml:ro`, data],
  writeSettings,
);

/** The service of `compose.yml`, with its secrets and variables, and with PostgreSQL in the folder `socket`. */
function withPostgres(socket: string): Deployment {
  const secrets = '/var/tmp/secrets';
  const volumes = service.volumes.map((one) => one.replace('./policy.yml', policy).replace(/^socket:/, `${socket}:`));
  const mounted = service.secrets.map((name) => `${secrets}/${name}:/run/secrets/${name}:ro`);
  return container('The image as in compose.yml, with PostgreSQL', [...volumes, ...mounted], (file, settings) => {
    const all: Settings = { ...settings, DATABASE_URL: 'postgres://sitehand@localhost/postgres?host=/run/postgresql' };
    mkdirSync(secrets);
    for (const name of service.secrets) {
      const secret = join(secrets, name);
      writeFileSync(secret, `${all[name.toUpperCase()]}\n`, { mode: 0o400 });
      chownSync(secret, 1000, 1000);
    }
    const { SLACK_API_URL = '', CHECK_CONNECT_TO = '' } = settings;
    const variables = Object.entries(service.environment).map(([name, value]) => {
      const chosen = value.startsWith('${') ? all[name] : value;
      return [name, chosen ?? ''] as const;
    });
    writeSettings(file, { ...Object.fromEntries(variables), SLACK_API_URL, CHECK_CONNECT_TO });
  });
}

const boot = ['--quiet', '--register=no', '--keep-unit', '--console=read-only', `--directory=${machine}`, '--boot'];
const unit: Deployment = {
  title: 'The unit under systemd, with SQLite',
  program: { command: 'systemd-nspawn', words: boot },
  configure: (settings) => {
    const DATABASE_URL = 'sqlite:/var/lib/sitehand/sitehand.db';
    writeSettings(join(machine, 'etc/sitehand/sitehand.env'), { ...settings, DATABASE_URL });
  },
  beside: async (words, scenario) => {
    const pid = scenario.pid();
    const init = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim();
    await run('nsenter', `--target=${init}`, '--all', 'sitehand', ...words.split(' '));
  },
  ended: 'sitehand.service: Deactivated successfully.',
};

/** What the image adds to its base, and what its user may do. */
async function examine(): Promise<void> {
  const inside = (...words: readonly string[]): Promise<string> =>
    run('podman', 'run', '--rm', ...restricted, `--volume=${data}`, '--entrypoint=sh', 'sitehand', '-c', ...words);
  assert.equal(await inside('id --user'), '1000');
  const writable = 'find / \\( -path /proc -o -path /sys -o -path /dev \\) -prune -o ! -type l -writable -print';
  const places = await inside(`${writable} 2> /dev/null || true`);
  assert.deepEqual(places.split('\n').toSorted(), ['/srv/sitehand/data', '/tmp']);

  const installed = 'dpkg-query --show';
  assert.equal(await inside(installed), await run('chroot', machine, ...installed.split(' ')));
  const sizeOf = async (image: string) => Number(await run('podman', 'image', 'inspect', '--format={{.Size}}', image));
  const added = (await sizeOf('sitehand')) - (await sizeOf('base'));
  assert(added < 8.5e6, `it adds ${added} bytes`);
  const bill = z.object({ components: z.array(z.object({ name: z.string(), version: z.string() })) });
  const { components } = bill.parse(JSON.parse(await inside('cat /opt/sitehand/sbom.cdx.json')));
  const names = components.map(({ name, version }) => `${name} ${version}`);
  say(
    `The image adds ${(added / 1e6).toFixed(1)} MB to its base, no package of Debian's, and of npm: ${names.join(', ')}.`,
  );
}

async function tryOut({ title, program, configure, beside, ended = '' }: Deployment): Promise<void> {
  const hosting = { durations: { 'environments:push': 0 } } as const;
  const scenario = await openScenario({ start: false, ownProcess: 'all', hosting, program });
  // A systemd whose unit fails would run on.
  const starts = async (): Promise<void> => {
    const late = once(AbortSignal.timeout(patienceMs), 'abort').then(() => assert.fail('the bot did not become ready'));
    await Promise.race([scenario.start(), late]);
  };
  const stops = async (): Promise<void> => {
    const before = scenario.log().length;
    assert.deepEqual(await scenario.stop(), { code: 0, signal: null });
    assert(scenario.log().slice(before).includes(ended));
  };
  try {
    const settings = Object.entries(scenario.environment);
    configure(Object.fromEntries(settings.filter(([name]) => /^(?:SLACK|HOSTING|CHECK|AUDIT)_/.test(name))));
    await starts();
    await beside('doctor', scenario);
    const request = '/site push acme-shop/staging acme-shop/live --database --reason "new shop"';
    const push = await scenario.person('ana').requests(request);
    await scenario.person('chi').clicks(push.card(), 'Approve');
    await push.tells('the host reports it finished');
    assert.equal(scenario.writes('acme-shop/live').length, 1);
    await stops();
    await starts();
    await beside('audit verify', scenario);
    await stops();
    assert.equal(scenario.writes('acme-shop/live').length, 1);
    say(
      `${title}: doctor is content, a push was approved and written once, SIGTERM ended it in order twice, the trail verifies.`,
    );
  } catch (error) {
    process.stderr.write(`${title}:\n${scenario.log()}\n`);
    throw error;
  } finally {
    await scenario.close();
  }
}

const binaries = findPostgres();
assert(binaries, 'PostgreSQL is missing: install the Debian package postgresql.');
const postgres = await startPostgres(binaries);
try {
  const socket = new URL(postgres.url).searchParams.get('host') ?? '';
  chmodSync(socket, 0o755);
  await examine();
  for (const one of [withSqlite, withPostgres(socket), unit]) await tryOut(one);
} finally {
  await postgres.stop();
}
