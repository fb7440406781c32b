import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { policy } from '../../../src/program/policy.ts';
import { manifestOf, newAppPage } from '../../../src/program/setup/manifest.ts';
import type { Prompts } from '../../../src/program/setup/prompts.ts';
import { setup } from '../../../src/program/setup/setup.ts';
import { person, SEED } from '../../../src/playground/slack/seed.ts';
import { canaries, inScenario, type Scenario, type ScenarioOptions } from '../../stories/scenario.ts';

/** The setup without a terminal, and with scripted answers, against both stand-ins. */

type Site = {
  /** Runs it in an empty folder with all variables it needs. Given ones replace them; undefined removes one. */
  readonly run: (
    words: readonly string[],
    replaced?: Readonly<Record<string, string | undefined>>,
    prompts?: Prompts,
  ) => Promise<{ readonly code: number; readonly said: string }>;
  readonly read: (name: string) => Promise<string>;
  readonly write: (name: string, text: string) => Promise<void>;
  readonly names: () => Promise<readonly string[]>;
  readonly scenario: Scenario;
  readonly folder: string;
};

const inFolder =
  (options: ScenarioOptions, story: (site: Site) => Promise<void>): (() => Promise<void>) =>
  async () => {
    const folder = await mkdtemp(join(tmpdir(), 'sitehand-setup-'));
    const told: string[] = [];
    try {
      await inScenario({ start: false, ...options }, async (scenario) => {
        const policyFile = { POLICY_FILE: join(folder, 'policy.yml') };
        await story({
          scenario,
          folder,
          run: async (words, replaced = {}, prompts?) => {
            const environment = { ...scenario.environment, ...policyFile, ...replaced };
            const said: string[] = [];
            const code = await setup(words, {
              environment,
              folder,
              prompts,
              write: (text) => said.push(text),
            });
            told.push(...said);
            return { code, said: said.join('') };
          },
          read: (name) => readFile(join(folder, name), 'utf8'),
          write: (name, text) => writeFile(join(folder, name), text),
          names: async () => (await readdir(folder)).toSorted(),
        });
      })();
      for (const canary of Object.values(canaries)) expect(told.join('')).not.toContain(canary);
    } finally {
      await rm(folder, { recursive: true });
    }
  };

const ops = ['--ops-channel', 'C0OPS'];
const leads = ['--leads', 'U03CHI,U04DEE', ...ops];

test(
  'with all answers given it writes the three files, and policy check and doctor find nothing wrong',
  inFolder({}, async ({ scenario, folder, run, read, names }) => {
    const words = [...leads, '--developers', 'S0DEVS'];
    const { code, said } = await run(words, { SLACK_COMMAND: '/hosting' });
    expect(said).toMatch(
      /✅ Bot: not started yet\n[^]*✅ All 20 checks are fine\nTo start it: npm start\nThen in Slack: \/invite @Sitehand, and \/hosting help\.\n$/,
    );
    expect(code).toBe(0);
    expect(await names()).toEqual(['.env', 'app-manifest.yml', 'policy.yml']);

    const file = join(folder, 'policy.yml');
    const env = parseEnv(await read('.env'));
    const { PATH: _, ...given } = scenario.environment;
    expect(env).toMatchObject({ ...given, SLACK_COMMAND: '/hosting', POLICY_FILE: file });
    expect((await stat(join(folder, '.env'))).mode & 0o777).toBe(0o600);

    const text = await read('policy.yml');
    expect(text).toContain('    - U03CHI # Chi Chukwu\n    - U04DEE # Dee Das\n');
    expect(text).toContain('    - S0DEVS # @devs\n');
    expect(await policy(['check', file], {}, { write: () => 0, complain: () => 0 })).toBe(0);
    const manifest: unknown = parse(await read('app-manifest.yml'));
    expect(manifest).toMatchObject({ features: { slash_commands: [{ command: '/hosting' }] } });

    const methods = scenario.slack.calls().map(({ method }) => method);
    expect(methods.filter((method) => /^(chat|views|files)\./.test(method))).toEqual([]);
    expect(scenario.writes()).toEqual([]);
  }),
);

/** Answers each question with what the script has next, and writes down all that is said. */
function scripted(script: readonly (readonly [question: string, answer: unknown])[]) {
  const said: string[] = [];
  const rest = [...script];
  const next = (asked: string): unknown => {
    said.push(asked);
    const [question = 'nothing', answer] = rest.shift() ?? [];
    if (!asked.startsWith(question)) throw new Error(`expected ${question}, found ${asked}`);
    return answer;
  };
  const text = (asked: string): string => z.string().parse(next(asked));
  const prompts: Prompts = {
    ask: async (question, { example, initial } = {}) => text(`${question} ${initial ?? example ?? ''}`),
    askSecret: async (question) => text(question),
    choose: async (question, options) => text(`${question} ${options.map(({ label }) => label).join(', ')}`),
    chooseMembers: async (question) => z.array(z.string()).parse(next(question)),
    confirm: async (question, initial = false) => z.boolean().parse(next(`${question}${initial ? ' Yes' : ''}`)),
    tell: (text) => void said.push(text),
  };
  return { prompts, said, rest };
}

test(
  'it asks for the service first and fills in its address, asks again for a wrong one, and warns of a single lead',
  inFolder({}, async ({ scenario, run, read }) => {
    const { url } = scenario.hosting;
    const elsewhere = url.replace('/v2', '/elsewhere/v2');
    const {
      prompts,
      said,
      rest: unasked,
    } = scripted([
      ['Name of the slash command /site', 'hosting'],
      ['Bot User OAuth Token', canaries.bot],
      ['Which hosting service is it? Kinsta, Another service with the same API', 'kinsta'],
      ['Base address of its API, with /v2 https://api.kinsta.com/v2', url.replace('/v2', '')],
      ['Base address of its API, with /v2 https://api.kinsta.com/v2', elsewhere],
      [`Keep the address ${elsewhere}?`, false],
      ['Base address of its API', url],
      ['Who are the leads?', ['U03CHI']],
      ['Who are the developers?', ['S0DEVS']],
      ['Id of the channel', '#ops'],
      ['Id of the channel', 'C0NOTHERE'],
      ['Keep C0NOTHERE?', false],
      ['Id of the channel', 'C0OPS'],
      ['Only one person may approve. Let whoever has nobody to ask use --break-glass', true],
    ]);
    const missing = ['SLACK_COMMAND', 'SLACK_BOT_TOKEN', 'HOSTING_API_URL', 'HOSTING_COMPANY_ID'];
    const { code } = await run([], Object.fromEntries(missing.map((name) => [name, undefined])), prompts);
    expect({ code, unasked }).toEqual({ code: 0, unasked: [] });
    expect(said[0]).toMatch(/^Given: .*SLACK_APP_TOKEN.*HOSTING_API_KEY/);
    expect(said).toContain('Slash command: /hosting.');
    expect(said).toContain(
      "Slack doesn't show me #C0NOTHERE (channel_not_found). It may be private, and I am not in it.",
    );
    expect(said).toContain('Channel C0OPS: Slack shows it.');
    expect(said).toContain('HOSTING_API_URL must end with /v2.');
    expect(said).toContain("Hosting API: the host doesn't say whose key this is (404).");
    expect(said.join('\n')).toContain('There is only one lead: nobody can approve what that person asks for');
    expect((await read('policy.yml')).match(/breakGlass: alone/g)).toHaveLength(2);
    expect(parseEnv(await read('.env'))).toMatchObject({ HOSTING_API_URL: url, HOSTING_DIALECT: 'kinsta' });

    const page = new URL(/https:\S+new_app\S+/.exec(said.join('\n'))?.[0] ?? '');
    expect(page.origin + page.pathname).toBe('https://api.slack.com/apps');
    const { manifest_json: filledIn = '', ...rest } = Object.fromEntries(page.searchParams);
    expect(rest).toEqual({ new_app: '1' });
    expect(JSON.parse(filledIn)).toEqual(parse(await read('app-manifest.yml')));
  }),
);

test('an address of Slack that would be too long is not offered', () => {
  const pageFor = (length: number) =>
    newAppPage(manifestOf('/site', `https://${'a'.repeat(length)}.example/slack/events`));
  expect(pageFor(50)?.length).toBeLessThan(8_000);
  expect(pageFor(2_000)).toBeUndefined();
});

test(
  'it makes a missing audit key, but not if replicas share a database',
  inFolder({}, async ({ run, read, folder }) => {
    const { said } = await run([...leads], { AUDIT_KEY: undefined });
    const { AUDIT_KEY = '' } = parseEnv(await read('.env'));
    expect(AUDIT_KEY).toMatch(/^[0-9a-f]{64}$/);
    expect(said).toContain('I made an AUDIT_KEY.');
    expect(said).not.toContain(AUDIT_KEY);
    const shared = { AUDIT_KEY: undefined, DATABASE_URL: 'postgres://sitehand@127.0.0.1:1/none' };
    await rm(join(folder, '.env'));
    await run([...leads, '--overwrite'], shared);
    expect(parseEnv(await read('.env'))).not.toHaveProperty('AUDIT_KEY');
  }),
);

test(
  'it can be run again: existing files stay, and different ones are replaced only with --overwrite',
  inFolder({}, async ({ run, read, write, names }) => {
    expect(await run(leads)).toMatchObject({ code: 0 });
    const again = await run([]);
    expect(again.said).toContain('app-manifest.yml is already as it should be.\n.env is already as it should be.\n');
    expect(again.said).toMatch(/policy\.yml is already there and stays as it is\.\n/);
    expect(again.code).toBe(0);

    const others = await run(['--leads', 'U04DEE,U05FAY', ...ops]);
    expect(others.said).toMatch(
      /policy\.yml is already there and stays as it is\. With --overwrite it would be replaced\.\n/,
    );
    expect(others.said).toMatch(/All 20 checks are fine\nTo start it: .*\n.*\n$/);
    expect(others.code).toBe(1);

    await write('.env', '# mine\nHOSTING_API_KEY=another\n');
    await write('policy.yml', 'version: 1\nrules: []\n');
    const kept = await run(leads);
    expect(kept.code).toBe(1);
    expect(kept.said).toContain(
      '.env is already there and stays as it is. With --overwrite HOSTING_API_KEY would change.\n',
    );
    expect(kept.said).toContain("These answers are not in .env, so I didn't check the rest with them.\n");
    expect([await read('.env'), await read('policy.yml')]).toEqual([
      '# mine\nHOSTING_API_KEY=another\n',
      'version: 1\nrules: []\n',
    ]);

    expect(await run([...leads, '--overwrite'])).toMatchObject({ code: 0 });
    expect(await read('policy.yml')).toContain('U03CHI # Chi Chukwu');
    expect(await read('.env')).toMatch(/^# mine\nHOSTING_API_KEY=(?!another)/);
    expect(await names()).toEqual(['.env', 'app-manifest.yml', 'policy.yml']);
  }),
);

test(
  'everything that is missing is named at once, and nothing is asked of Slack or the host',
  inFolder({}, async ({ scenario, run, names }) => {
    const missing = { SLACK_BOT_TOKEN: undefined, HOSTING_API_KEY: undefined, SLACK_APP_TOKEN: undefined };
    const { code, said } = await run([], missing);
    expect(code).toBe(2);
    for (const name of ['SLACK_BOT_TOKEN is not set', 'HOSTING_API_KEY is not set', '--leads is missing'])
      expect(said).toContain(name);
    expect(said).toContain('SLACK_APP_TOKEN or SLACK_SIGNING_SECRET is not set');
    expect(said).toMatch(/ Nothing was written\.\n$/);
    expect(await names()).toEqual([]);
    expect(scenario.slack.calls()).toEqual([]);
    expect(scenario.hosting.journal.entries()).toEqual([]);
  }),
);

test.each<
  [why: string, replaced: Readonly<Record<string, string>>, words: readonly string[], code: number, says: RegExp]
>([
  [
    'a token that Slack refuses',
    { SLACK_BOT_TOKEN: 'xoxb-0123456789-other' },
    leads,
    2,
    /Slack refuses SLACK_BOT_TOKEN \(invalid_auth\)/,
  ],
  [
    'an app token that Slack refuses',
    { SLACK_APP_TOKEN: 'xapp-0123456789-other' },
    leads,
    2,
    /Slack refuses SLACK_APP_TOKEN/,
  ],
  [
    'a key that the host rejects',
    { HOSTING_API_KEY: 'another-key-of-the-host' },
    leads,
    2,
    /The host rejected this key \(401\)/,
  ],
  [
    'an address without encryption',
    { HOSTING_API_URL: 'http://host.example/v2' },
    leads,
    2,
    /HOSTING_API_URL is plain http/,
  ],
  ['a command that is a word after it', { SLACK_COMMAND: '/push' }, leads, 2, /SLACK_COMMAND cannot be \/push/],
  ['a lead who is a guest', {}, ['--leads', 'U07GUS'], 2, /U07GUS is not a member of this workspace/],
  ['a user group that is none', {}, ['--leads', 'S0NONE'], 2, /S0NONE is not a Slack user group in use/],
  ['a name for a channel', {}, [...leads, '--ops-channel', '#ops'], 2, /^--ops-channel must be the id of a channel/m],
  ['a name for a lead', {}, ['--leads', '@leads'], 2, /^--leads must be Slack ids: U… or W… of people/],
  [
    'an address of HTTP in Socket Mode',
    {},
    [...leads, '--request-url', 'https://a.example/slack/events'],
    2,
    /--request-url is for HTTP/,
  ],
  ['a secret among the words', {}, ['--bot-token', canaries.bot], 2, /^setup does not take all of these words\. /],
])('%s is named, and nothing is written', (_, replaced, words, code, says) =>
  inFolder({}, async ({ run, names }) => {
    const found = await run(words, replaced);
    expect(found.said).toMatch(says);
    expect(found.said).toMatch(/ Nothing was written\.\n$/);
    expect(found.code).toBe(code);
    expect(await names()).toEqual([]);
  })(),
);

test(
  'a Slack that does not answer is unknown: the files are written, with the ids that were given, and doctor says the rest',
  inFolder({}, async ({ scenario, run, read }) => {
    scenario.slack.faults.add({ kind: 'html', method: '*', times: 1_000 });
    const { code, said } = await run(leads);
    expect(said).toContain('Bot token: unknown: Slack gave no usable answer. Check SLACK_API_URL and the network.\n');
    expect(said).toContain("Slack doesn't list everybody (it has not said who I am)");
    expect(await read('policy.yml')).toContain('    - U03CHI\n    - U04DEE\n');
    expect(said).toMatch(
      /needs? a look, .* unknown\nWhat has ❔ couldn't be checked; .* doctor checks it again\.\nTo start it: .*\nThen in Slack: .*\n$/,
    );
    expect(code).toBe(3);
  }),
);

test(
  'an answer that could not be checked need not be corrected',
  inFolder({}, async ({ scenario, run }) => {
    scenario.slack.faults.add({ kind: 'error', method: 'apps.connections.open', error: 'internal_error', times: 100 });
    const { code, said } = await run(leads);
    expect(said).toMatch(/is unknown\nWhat has ❔ couldn't be checked; .*\.\nTo start it: .*\nThen .*\n$/);
    expect(code).toBe(3);
  }),
);

test.each<[why: string, words: readonly string[], says: string]>([
  ['a bot that is in no channel yet', leads, "I'm not in #C0OPS."],
  ['no ops channel', leads.slice(0, 2), 'The rules name no ops channel'],
])('%s does not keep it from being started', (_, words, says) =>
  inFolder({}, async ({ scenario, run }) => {
    scenario.slack.changeChannel('C0OPS', { bot: false });
    const { code, said } = await run(words);
    expect(said).toContain(`⚠️  Ops channel: ${says}`);
    expect(said).toMatch(/What has ⚠️ can be done once it runs\.\nTo start it: npm start\n/);
    expect(code).toBe(0);
  })(),
);

test(
  'a manifest that somebody keeps is not the one to paste, and lines of .env are named before they change',
  inFolder({}, async ({ run, read, write }) => {
    await write('app-manifest.yml', 'mine\n');
    await write('.env', '# mine\nSLACK_BOT_TOKEN=xoxb-0123456789-other\n');
    const { prompts, said, rest } = scripted([
      ['Name of the slash command', ''],
      ['app-manifest.yml is already there. Replace it?', false],
      ['Bot User OAuth Token', canaries.bot],
      ['Which hosting service is it?', 'document'],
      ['.env has other lines for SLACK_BOT_TOKEN. Change them? Yes', true],
    ]);
    expect(await run(leads, { SLACK_BOT_TOKEN: undefined }, prompts)).toMatchObject({ code: 0 });
    expect(rest).toEqual([]);
    const toMake = said.find((text) => text.includes('Now make the app')) ?? '';
    expect(toMake).toContain('let setup replace app-manifest.yml, which is not the manifest for these answers');
    expect(toMake.indexOf('https://api.slack.com/apps?new_app')).toBeLessThan(toMake.indexOf('Now make the app'));
    expect(await read('.env')).toMatch(new RegExp(`^# mine\nSLACK_BOT_TOKEN=${canaries.bot}\n`));
    expect(await read('app-manifest.yml')).toBe('mine\n');
  }),
);

test('--help lists every option, and does nothing', async () => {
  const said: string[] = [];
  expect(await setup(['--help'], { write: (text) => said.push(text), folder: '/nowhere' })).toBe(0);
  const options = [...said.join('').matchAll(/^ {2}(--[a-z-]+)/gm)].map(([, name]) => name);
  expect(options).toEqual(['--leads', '--developers', '--ops-channel', '--request-url', '--settings', '--overwrite']);
});

const validate = { method: 'GET', path: '/validate', times: 100 } as const;

test(
  'a host that does not say whose key it is must be told the company',
  inFolder({}, async ({ scenario, run, names }) => {
    scenario.hosting.faults.add({ kind: 'status', status: 404, body: {}, ...validate });
    const { code, said } = await run(leads, { HOSTING_COMPANY_ID: undefined });
    expect(said).toContain("HOSTING_COMPANY_ID is not set, and the host doesn't say which company the key belongs to.");
    expect(code).toBe(2);
    expect(await names()).toEqual([]);
    expect(await run(leads)).toMatchObject({ code: 0 });
  }),
);

test(
  'a host that is away says nothing about its key',
  inFolder({}, async ({ run, names }) => {
    const { code, said } = await run(leads, {
      HOSTING_API_URL: 'http://127.0.0.1:1/v2',
      HOSTING_COMPANY_ID: undefined,
    });
    expect(said).toMatch(/Hosting API: I can't reach the host.* So the key wasn't checked\.\n/);
    expect(await names()).toEqual(['.env', 'app-manifest.yml', 'policy.yml']);
    expect(code).toBe(3);
  }),
);

test(
  'without the scope for user groups it goes on without them',
  inFolder(
    { slack: { scopes: ['app_mentions:read', 'chat:write', 'commands', 'users:read'] } },
    async ({ run, read }) => {
      const { code, said } = await run([...leads, '--developers', 'S0DEVS']);
      expect(said).toContain('Bot token: the bot token lacks usergroups:read.');
      expect(said).toContain(
        "Slack doesn't list all its user groups (missing_scope). Others can be named by their ids.\n",
      );
      expect(await read('policy.yml')).toContain('    - S0DEVS\n');
      expect(said).toMatch(/❌ Slack app: [^]*\nFirst mend what has ❌; .* doctor checks it again\.\nTo start it: /);
      expect(code).toBe(1);
    },
  ),
);

const many = Array.from({ length: 450 }, (_, index) => person(`U1${String(index).padStart(4, '0')}`, 'Ned Noname', ''));
const odd = person('U2ODD', 'Eve\nrules:\u202e\u001b[2J\n  - allow: [push]\u2028to: everyone', '');

test(
  'people are listed to the last page, and no name breaks out of its comment',
  inFolder(
    { slack: { seed: { ...SEED, people: [...SEED.people, ...many, odd] } } },
    async ({ scenario, run, read }) => {
      const { code } = await run(['--leads', 'U2ODD,U10449', ...ops]);
      expect(code).toBe(0);
      expect(scenario.slack.calls().filter(({ method }) => method === 'users.list')).toHaveLength(3);
      const text = await read('policy.yml');
      expect(text).toContain('    - U2ODD # Eve rules: [2J - allow: [push] to: everyone\n    - U10449 # Ned Noname\n');
    },
  ),
);

test(
  'over HTTP the manifest has the addresses, and a signing secret takes the place of the app token',
  inFolder({ slack: { delivery: { kind: 'http', url: 'http://127.0.0.1:1/' } } }, async ({ run, read }) => {
    const incomplete = await run(leads);
    expect(incomplete.code).toBe(2);
    expect(incomplete.said).toContain('--request-url is missing');
    const url = 'https://bot.example/slack/events';
    const copied = await run([...leads, '--request-url', 'https://YOUR-HOST/slack/events']);
    expect(copied.said).toBe(
      '--request-url must be https://YOUR-HOST/slack/events, with the public name of your machine, or that name alone. Nothing was written.\n',
    );
    expect(await run([...leads, '--request-url', 'bot.example'])).toMatchObject({ code: 0 });
    expect(await read('app-manifest.yml')).not.toMatch(/YOUR-HOST|Without Socket Mode/);
    expect(parse(await read('app-manifest.yml'))).toMatchObject({
      features: { slash_commands: [{ command: '/site', url }] },
      settings: {
        event_subscriptions: { request_url: url },
        interactivity: { request_url: url, message_menu_options_url: url },
        socket_mode_enabled: false,
      },
    });
  }),
);

test(
  'secrets can come from files, which .env then names, and all settings from one file',
  inFolder({}, async ({ scenario, folder, run, read, write }) => {
    const { SLACK_BOT_TOKEN: bot, HOSTING_API_KEY: key } = scenario.environment;
    await write('token', `${bot}\n`);
    await write('settings', `HOSTING_API_KEY='${key}'\nLOG_LEVEL=warn\n`);
    const file = { SLACK_BOT_TOKEN_FILE: join(folder, 'token') };
    const without = { SLACK_BOT_TOKEN: undefined, ...file, HOSTING_API_KEY: undefined };
    const { code } = await run([...leads, '--settings', join(folder, 'settings')], without);
    expect(code).toBe(0);
    const env = parseEnv(await read('.env'));
    expect(env).toMatchObject({ ...file, HOSTING_API_KEY: key, LOG_LEVEL: 'warn' });
    expect(env).not.toHaveProperty('SLACK_BOT_TOKEN');
    const unread = await run([...leads, '--settings', join(folder, 'nothing')]);
    expect(unread.code).toBe(2);
    expect(unread.said).toContain('The settings cannot be read: ');
  }),
);
