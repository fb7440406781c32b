import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import * as fc from 'fast-check';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { sitehand } from '../../src/playground/beside.ts';
import { parseRehearsal, readRehearsal } from '../../src/playground/rehearsal.ts';
import { isFields, listOf } from '../../src/playground/slack/json-fields.ts';
import { loadPolicy } from '../../src/policy/load.ts';
import { coversFolded, foldNames } from '../../src/policy/pattern.ts';
import type { Person } from '../../src/playground/slack/shapes.ts';

type Stage = Exclude<ReturnType<typeof parseRehearsal>, string>;

function staged(text: string): Stage {
  const drawn = parseRehearsal(`version: 1\n${/^rules:/m.test(text) ? '' : 'rules: []\n'}${text}`);
  if (typeof drawn === 'string') throw new Error(drawn);
  return drawn;
}

const shownAs = ({ workspace }: Stage): Record<string, string> =>
  Object.fromEntries(workspace.people.map(({ id, real_name, title }) => [id, `${real_name}, ${title}`]));
const sitesOf = ({ plan }: Stage): Record<string, string[]> =>
  Object.fromEntries(plan.sites.map(({ name, environments }) => [name, environments.map((one) => one.name)]));

describe('the people of a rehearsal', () => {
  it('are those of the file, a guest, a person in no group, and the bot', () => {
    const stage = staged('groups: { developers: [U01ANA, W0G9QF8C6], leads: [U01ANA] }\npeople: { ben: [U7Q, U8Q] }');
    expect(shownAs(stage)).toEqual({
      U01ANA: 'Ana, developers, leads',
      W0G9QF8C6: 'W…F8C6, developers',
      U7Q: 'Ben, also ben',
      U8Q: 'Ben 2, also ben',
      U0NOGROUP: 'Nia, in no group',
      U0GUEST: 'Gus, guest',
      U0SITEHAND: 'Sitehand, ',
    });
    expect(stage.workspace.people.filter((one) => one.is_restricted).map(({ id }) => id)).toEqual(['U0GUEST']);
  });

  it.each([
    ['behind each id', 'groups:\n  leads:\n    - U1Q # Ana Almeida\n    - U2Q # @ben', ['Ana Almeida', 'Ben']],
    ['behind each id of a list in brackets', 'groups:\n  leads: [\n    U1Q, # Ana\n    U2Q # Ben\n  ]', ['Ana', 'Ben']],
    ['behind the whole list', 'groups:\n  leads: [U1Q, U2Q] # Ana, Ben', ['Ana', 'Ben']],
    ['with more text', 'groups:\n  leads: [U1Q, U2Q] # Ana (nights), Ben - days', ['Ana', 'Ben']],
    ['of two alike', 'groups:\n  leads: [U1Q, U2Q] # Ana Almeida, Ana Berg', ['Ana Almeida', 'Ana Berg']],
    ['that are no names', 'groups:\n  leads: [U12Q, U22Q] # the two who hold the keys', ['U…U12Q', 'U…U22Q']],
  ])('have the names in the comments %s', (_where, text, names) => {
    const people = staged(text).workspace.people.slice(0, 2);
    expect(people.map((one) => one.real_name)).toEqual(names);
    expect(new Set(people.map((one) => one.name)).size).toBe(2);
  });

  it('fill the user groups; for a group without people beside it, enough people to approve are invented', () => {
    const rules = 'rules:\n  - { allow: [push], to: [leads], approval: { by: [leads], count: 4 } }\n';
    const { workspace } = staged(`${rules}groups: { developers: [S0DEVS, U01ANA], leads: [S0LEADS] }`);
    const [developers, leads] = workspace.groups;
    expect(developers).toMatchObject({ id: 'S0DEVS', name: 'developers', users: ['U01ANA'] });
    expect(leads).toMatchObject({ id: 'S0LEADS', handle: 'leads' });
    expect(leads?.users).toHaveLength(5);
    const known = new Map(workspace.people.map((one): [string, Person] => [one.id, one]));
    expect(leads?.users.map((id) => known.get(id)?.title)).toEqual(leads?.users.map(() => 'leads'));
  });

  it('are in every channel of the file and in #general', () => {
    const { workspace } = staged(
      `channels:
  C0SHOP: { sites: ['shop-*'], cards: C0CARDS } # #shop-team, since May
  G0BRAND: { sites: ['brand-*'] }
  deny: [C0NO]
  ops: C0OPS # faults are told here`,
    );
    expect(workspace.channels.map(({ id, name, kind }) => `${id} ${name} ${kind}`)).toEqual([
      'C0GENERAL general public',
      'C0SHOP shop-team public',
      'C0CARDS cards public',
      'G0BRAND brand private',
      'C0NO denied public',
      'C0OPS ops public',
    ]);
    for (const { members } of workspace.channels) expect(members).toHaveLength(workspace.people.length);
  });
});

it('knows whether programs can ask, and has the channels of their cards', () => {
  const { hasCallers, workspace } = staged('callers: { deploy-bot: { channel: C0CARDS }, other-bot: {} }');
  expect(hasCallers).toBe(true);
  expect(workspace.channels.map(({ id }) => id)).toContain('C0CARDS');
  expect(staged('').hasCallers).toBe(false);
});

describe('the sites of a rehearsal', () => {
  const usual = ['acme-shop', 'acme-blog', 'acme-docs', 'north-bakery', 'lumen-studio', 'harbor-events'];

  it('are the default ones if they fit', () => {
    const stage = staged(
      "live: ['*/live']\nrules:\n  - { allow: [push], to: everyone, where: ['acme-shop/*', company] }",
    );
    expect(Object.keys(sitesOf(stage))).toEqual(usual);
    expect(stage.plan.domains).toEqual([]);
  });

  it.each([
    ["live: ['*/production']", 'acme-shop', ['live', 'staging', 'production']],
    ["live: ['brand-*/live']", 'brand-one', ['live', 'staging']],
    ["live: ['widgets/pre*']", 'widgets', ['live', 'staging', 'pre-one']],
    ["channels: { C0A: { sites: ['*-lab'] } }", 'one-lab', ['live', 'staging']],
    [
      'environments: { a0000000-0000-4000-8000-000000000001: { site: Café, name: eu } }',
      'Café',
      ['live', 'staging', 'eu'],
    ],
  ])('include those that %s names', (text, site, environments) => {
    expect(sitesOf(staged(text))[site]).toEqual(environments);
  });

  it('have the ids in the file', () => {
    const [one, two, three] = ['1', '2', '3'].map((which) => `A0000000-0000-4000-8000-00000000000${which}`);
    const { plan } = staged(
      `environments: { ${one}: { site: acme-blog, name: preview } }
sites: { ${two}: { name: acme-blog, environments: [${one}, ${three}] } }`,
    );
    const blog = plan.sites.find(({ name }) => name === 'acme-blog');
    expect(blog?.id).toBe(two?.toLowerCase());
    expect(blog?.environments).toContainEqual({ id: one?.toLowerCase(), name: 'preview' });
    expect(blog?.environments).toContainEqual({ id: three?.toLowerCase(), name: 'live' });
  });

  it('do not change an existing id', () => {
    const { plan } = staged('environments: { e0e0e0e0-0000-4000-8000-000000000011: { site: shop, name: live } }');
    const ids = plan.sites.flatMap(({ environments }) => environments.map(({ id }) => id));
    expect(new Set(ids).size).toBe(ids.length);
    expect(plan.sites.map(({ name }) => name)).toEqual(usual);
  });

  it('include the domains that rules name', () => {
    const where = "['domain:Example.com', 'domain:*.brand.example', 'domain:*']";
    const { plan } = staged(`rules:\n  - { allow: [push], to: everyone, where: ${where} }`);
    expect(plan.domains).toEqual(['example.com', 'shop.brand.example']);
  });

  it('include a match for every possible pattern of a policy', () => {
    const glob = fc.stringMatching(/^[a-c*-]{1,6}$/).filter((text) => !text.includes('**'));
    fc.assert(
      fc.property(fc.array(fc.tuple(glob, glob), { minLength: 1, maxLength: 5 }), (pairs) => {
        const text = `version: 1\nlive: ${JSON.stringify(pairs.map((pair) => pair.join('/')))}\nrules: []\n`;
        const loaded = loadPolicy(text, []);
        const stage = parseRehearsal(text);
        if (loaded.kind === 'mistakes' || typeof stage === 'string') throw new Error(JSON.stringify(loaded));
        const targets = stage.plan.sites.flatMap(({ id: siteId, name: site, environments }) =>
          environments.map(({ id, name }) => ({
            kind: 'environment' as const,
            id,
            name: `${site}/${name}`,
            site: { id: siteId, name: site },
            live: false,
          })),
        );
        for (const pattern of loaded.policy.live) {
          expect(targets.some((target) => coversFolded(pattern, foldNames(target), 'allow'))).toBe(true);
        }
        expect(new Set(targets.map(({ id }) => id)).size).toBe(targets.length);
      }),
    );
  });
});

describe('a file that is not a policy', () => {
  it.each([
    ['a list without its end', 'a: [', /^isn't YAML: line \d+: /],
    ['nothing', '', /^isn't a policy: it has no "version" and no "rules"$/],
    ['words', 'just words', /^isn't a policy/],
    ['half of one', 'version: 1', /^isn't a policy: it has no "rules"$/],
    ['brackets without end', '['.repeat(10_000), /^isn't YAML: /],
  ])('is refused: %s', (_what, text, sentence) => {
    expect(parseRehearsal(text)).toMatch(sentence);
  });

  it.each([
    ['no-such-file.yml', /no-such-file\.yml can't be read: there is no such file\. Nothing was started\.$/],
    ['src', /can't be read: it is a folder\. Nothing was started\.$/],
    ['package.json', /package\.json isn't a policy: it has no "rules"\. Nothing was started\.$/],
    [process.execPath, /can't be read: it is larger than 256 KiB\. Nothing was started\.$/],
  ])('is refused by its path: %s', async (path, sentence) => {
    await expect(readRehearsal(path)).rejects.toThrow(sentence);
  });

  it('is never read with an unexpected error', () => {
    fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => void parseRehearsal(text)));
    const words = fc.constantFrom(
      'groups:',
      'people:',
      '- ',
      '[U1Q,',
      ']',
      '{',
      '}',
      '\n',
      '  ',
      'a: ',
      '*x',
      '&x ',
      '"',
      '#',
    );
    fc.assert(fc.property(fc.array(words), (all) => void parseRehearsal(`version: 1\nrules: []\n${all.join('')}`)));
  });
});

describe('npm run playground -- --policy', () => {
  const running = new Set<ChildProcess>();
  let folder: string;
  beforeAll(async () => (folder = await mkdtemp(join(tmpdir(), 'rehearsed-'))));
  afterEach(() => {
    for (const child of running) child.kill('SIGKILL');
    running.clear();
  });
  afterAll(() => rm(folder, { recursive: true }));

  /** Runs until it has printed this, or has ended. Resolves with everything it printed. */
  async function run(policy: string, wanted: RegExp): Promise<{ readonly child: ChildProcess; readonly text: string }> {
    const words = [...sitehand, 'playground', '--port', '0', '--policy', policy];
    const child = spawn(process.execPath, words, { stdio: ['ignore', 'pipe', 'pipe'] });
    running.add(child);
    const { promise, resolve: settle } = Promise.withResolvers<void>();
    let text = '';
    for (const output of [child.stdout, child.stderr]) {
      output.on('data', (part: Buffer) => {
        text += part.toString();
        if (wanted.test(text)) settle();
      });
    }
    child.once('close', () => settle());
    await promise;
    expect(text).toMatch(wanted);
    return { child, text };
  }

  async function ask(url: string, body?: object): Promise<unknown> {
    const answer = await fetch(url, body && { method: 'POST', body: JSON.stringify(body) });
    const said: unknown = await answer.json();
    return said;
  }

  it('runs a command as one of the people of the example, under the current file', async () => {
    const policy = join(folder, 'policy.yml');
    await copyFile('policy.example.yml', policy);
    const { child, text } = await run(policy, /Ctrl-C/);
    expect(text).toContain('7 people (one a guest), 1 user group, 5 channels and 6 sites');
    const [url = ''] = /http:\/\/127\.0\.0\.1:\d+/.exec(text) ?? [];
    expect(await ask(`${url}/control/bot`)).toMatchObject({ policy: relative('', policy) });
    const [person, channel] = ['U0000000001', 'C0000000001'];
    const answers = async (): Promise<string> => {
      const said = listOf(await ask(`${url}/control/slack/messages?channel=${channel}&as=${person}`));
      return said.map((one) => (isFields(one) ? String(one['text']) : '')).join('\n');
    };
    const parsed = { person, channel, text: '/site can push acme-shop/staging acme-shop/live' };
    await ask(`${url}/control/slack/command`, parsed);
    await expect.poll(answers).toMatch(/You may run push.*\n.*approval by @Alex/);

    const rules = await readFile(policy, 'utf8');
    await writeFile(policy, rules.replace('rules:\n', 'rules:\n  - { deny: [push], to: everyone }\n'));
    await expect
      .poll(
        async () => {
          await ask(`${url}/control/slack/command`, parsed);
          return answers();
        },
        { interval: 250 },
      )
      .toMatch(/may not run push/);
    child.kill('SIGINT');
    expect(await once(child, 'close')).toEqual([0, null]);
  });

  it('ends with the mistakes of a file that the bot refuses', async () => {
    const policy = join(folder, 'mistaken.yml');
    await writeFile(policy, 'version: 1\nrules:\n  - { allow: [reed], to: everyone }\n');
    const { text } = await run(policy, /nothing is running/);
    expect(text).toMatch(/line 3: unknown command or class "reed"/);
  });
});
