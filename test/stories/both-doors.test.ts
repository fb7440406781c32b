import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { changeSchema } from '../../src/api/schemas.ts';
import { catalogue, commandAt } from '../../src/commands/index.ts';
import { optionName } from '../../src/language/usage.ts';
import { freePort } from '../../src/playground/paths-and-ports.ts';
import { parseStored } from '../../src/storage/parse-json.ts';
import { exampleArguments } from '../commands/in-memory-host.ts';
import { changes } from './endpoints/acting.ts';
import { reads } from './endpoints/reads.ts';
import { putUpSite } from './endpoints/sites.ts';
import { environmentOf, type Reading, type Writing } from './endpoints/story.ts';
import { writes } from './endpoints/writes.ts';
import { askingAt, key, type Asking } from './caller.ts';
import { ids, openScenario, patienceMs, reloadPolicy, type Scenario } from './scenario.ts';

/** Every command, asked for in Slack by a person and over HTTP by a program for that person: the same comes of it. */

const both = '[developers, "caller:deploy-bot"]';
const mayRead = `{ allow: [read], to: [leads, ${both.slice(1)} }`;
const actions = '[routine, sensitive, destructive]';
const mayAct = `{ allow: ${actions}, to: ${both}, approval: { by: [leads] } }`;
const policyOf = (...rules: readonly string[]): string => `version: 1
groups: { developers: [U01ANA], leads: [U03CHI] }
callers:
  deploy-bot: { keys: ["${key.hash}"], for: U01ANA, operators: [U02BEN], channel: C0ACME, expires: 2099-01-01 }
rules:
${rules.map((rule) => `  - ${rule}\n`).join('')}`;

/** A request as it is typed, and by its fields. */
type Row = { readonly command: string; readonly line: string; readonly fields: Readonly<Record<string, unknown>> };

/** A row as a program asks: with the same line, or with the command and its fields by name. */
const askedFor = ({ command, line, fields }: Row) => [{ say: line }, { command, fields }] as const;

const rowOf = (command: string, words: string, given: Readonly<Record<string, unknown>>): Row => {
  const asJson = (said: unknown): unknown =>
    typeof said === 'string' ? said.split('\n') : Array.isArray(said) && said[0] === 'yes' ? true : said;
  const options = Object.entries(given).map(([name, said]) => [optionName(name), asJson(said)] as const);
  return { command, line: `${command} ${words}`.trimEnd(), fields: Object.fromEntries(options) };
};

/** A command's own example. */
const exampleOf = (path: string): Row =>
  rowOf(path, commandAt(path).examples?.[0] ?? '', exampleArguments(path)[0] ?? {});

/** A row of a table of endpoints: its line is what is typed, and its fields are those of its form. */
function rowOn({ command, words, picks, fills }: Reading | Writing, on: string): Row {
  const names = Object.entries(commandAt(command).fields).map(([name, { label }]) => [label, name] as const);
  const fieldOf = new Map(names);
  const picked = (picks?.(on) ?? []).map(({ label, said }) => [label, said] as const);
  const filled = [...picked, ...Object.entries(fills(on))].map(
    ([label, said]) => [fieldOf.get(label) ?? label, said] as const,
  );
  return rowOf(command, words(on), Object.fromEntries(filled));
}

const isFirst = ({ command }: { readonly command: string }, at: number, all: readonly { command: string }[]): boolean =>
  all.findIndex((one) => one.command === command) === at;
const cacheClear = writes.find(({ command }) => command === 'cache clear');
if (cacheClear === undefined) throw new Error('there is no row that clears a cache');
/** As the table has them, without the one that needs a file on the machine, and one for many environments. */
const changing: readonly Writing[] = [
  ...writes.filter(({ how }) => how !== 'with its own certificate'),
  { ...cacheClear, how: 'many', seen: 'always' },
];
const siteOf = (story: Writing): string => `story-${changing.indexOf(story) + 1}`;
const onOf = (story: Writing, name = 'live'): string => {
  if (story.how === 'many') return `${siteOf(story)}/*`;
  return story.target === 'domain' ? `${name}.${siteOf(story)}.example` : `${siteOf(story)}/${name}`;
};
const targets: readonly (readonly [story: Reading | Writing, on: string])[] = [
  ...changing.filter(isFirst).map((story) => [story, onOf(story)] as const),
  ...reads.filter(isFirst).map((story) => [story, story.typedOn] as const),
];
const oneOfEach = targets.map(([story, on]) => rowOn(story, on));
/** The same for a target that there is not, if they name one. */
const nowhere = targets
  .filter(([, on]) => on !== 'the company')
  .map(([story, on]) => rowOn(story, on.includes('/') ? 'nowhere/live' : 'nowhere.example'));
/** Commands that have no row in those tables, by their own example. */
const others = [...catalogue.keys()].filter((path) => !oneOfEach.some(({ command }) => command === path));

/** Only people decide what these do, or what is told to whom. */
const onlyPeople = [
  'logs reveal',
  'watch',
  'watch stop',
  'digest',
  'changes export',
  'timers cancel',
  'use',
  'lock',
  'unlock',
  'queue leave',
  'pause',
  'pause callers',
  'resume',
  'resume callers',
  'audit',
  'audit verify',
  'audit export',
];

/** What rules name of those; the others go with reading. */
const namedRights = ['logs reveal', 'watch', 'digest', 'audit', 'use', 'lock', 'unlock', 'pause', 'resume'];

/** The columns of a change in which both doors differ; the rest is pinned, or follows from it. */
const ofOneDoor = [
  'number',
  'request',
  'authorization',
  'created_at',
  'expires_at',
  'due_at',
  'caller',
  'caller_request',
];

describe('in Slack and over HTTP', { concurrent: false }, () => {
  let scenario: Scenario;
  let call: Asking;
  beforeAll(async () => {
    const port = await freePort();
    call = askingAt(`http://127.0.0.1:${port}`);
    const environment = { API_PORT: String(port), HOSTING_REQUESTS_PER_MINUTE: '100000' };
    scenario = await openScenario({ policy: policyOf(mayRead, mayAct), environment, start: false });
    for (const story of changing) putUpSite(scenario.hosting.world, siteOf(story));
    await scenario.start();
  });
  // Nobody has more than five changes waiting.
  afterEach(() => scenario.runSql("update changes set state = 'cancelled', settled_at = 1, created_at = 1"));
  afterAll(() => scenario.close());

  const ask = async (asked: object, on = '') => call('/v1/requests', { json: { ...asked, typed_name: on } });
  const newest = (): Record<string, unknown> => {
    const [row = {}] = scenario.rows('select * from changes order by number desc limit 1');
    return row;
  };
  const without = (row: Record<string, unknown>, names: readonly string[]) =>
    Object.fromEntries(Object.entries(row).filter(([name]) => !names.includes(name)));
  /** The rights of a change, without through whom it was asked for. */
  const rightsOf = ({ authorization }: Record<string, unknown>): unknown =>
    without(parseStored(String(authorization)), ['calling']);
  /** Everything that has happened: lines of the trail, and requests to the host. */
  const happened = () => [
    scenario.rows('select max(seq) as it from audit')[0]?.['it'],
    scenario.hosting.journal.entries().length,
  ];
  /** What Ana is told in Slack, without its buttons. */
  const told = async (line: string): Promise<string> => {
    const said = await scenario.person('ana').says(`/site ${line}`);
    return (await said.hears(/./)).text.replace(/\n\[[^\n]*$/, '');
  };

  test.for(changing.map((story) => [story.command, story.how ?? '', story] as const))(
    '%s %s: the same rights, the same pinned call and card',
    async ([, , story]) => {
      const on = onOf(story);
      if (story.target !== 'domain' && story.how !== 'many')
        story.given?.(environmentOf({ world: scenario.hosting.world, on }));
      const change = await changes(scenario, story, on, 'typed');
      const inSlack = newest();
      for (const asked of askedFor(rowOn(story, on))) {
        const { status, body } = await ask(asked, on);
        expect({ status, asked, detail: body['detail'] }).toEqual({ status: 202, asked, detail: undefined });
        expect(without(newest(), ofOneDoor)).toEqual(without(inSlack, ofOneDoor));
        expect(rightsOf(newest())).toEqual(rightsOf(inSlack));
        const { call: sent, fingerprint, facts, warning } = changeSchema.parse(body);
        expect({ sent, fingerprint }).toEqual({
          sent: parseStored(String(inSlack['call'])),
          fingerprint: inSlack['fingerprint'],
        });
        const { text } = change.card();
        for (const [label, value] of facts) expect(text).toContain(`${label}  ${value}`);
        expect(text).toContain(warning ?? '');
      }
    },
  );

  /** Word for word, but for bullets, for days and names, which only Slack draws, and for how long something took. */
  const wordsOf = (text: string): readonly string[] =>
    Object.entries({ ...ids, sitehand: 'U0SITEHAND' })
      .reduce((all, [name, id]) => all.replaceAll(new RegExp(`@${name}`, 'gi'), `@${id}`), text)
      .replaceAll(/\d{4}-\d\d-\d\d (?=\d\d:)|\d+ ms/g, '')
      .split('\n')
      .map((line) => line.replace(/^\* /, '').replaceAll(/\s+/g, ' ').trim())
      .filter((line) => line !== '');

  const isForAll = (path: string): boolean => !onlyPeople.includes(path);
  // Who asks differs.
  const isSame = (path: string): boolean => isForAll(path) && path !== 'whoami';
  const reports = [...reads.map((story) => rowOn(story, story.typedOn)), ...others.filter(isSame).map(exampleOf)];
  test.for(reports.map((row) => [row.line, row] as const))('%s: the same report', async ([line, row]) => {
    const asSlackSays = async (asked: object): Promise<void> => {
      const inSlack = wordsOf(await told(line));
      const { body } = await ask(asked);
      // Slack shows the first page.
      const lines = wordsOf(String(body['text'] ?? body['detail'])).slice(0, 20);
      expect(lines).not.toEqual([]);
      expect({ asked, missing: lines.filter((one) => !inSlack.includes(one)) }).toEqual({ asked, missing: [] });
    };
    // Between two looks a minute may have ended, or a log have grown.
    for (const asked of askedFor(row)) await vi.waitFor(() => asSlackSays(asked), { timeout: patienceMs });
  });

  const misspelt = ({ command, line, fields }: Row): Row => ({
    command,
    line: `${line} --nonsense=1`,
    fields: { ...fields, nonsense: '1' },
  });
  const acting = oneOfEach.filter(({ command }) => commandAt(command).shape === 'action');
  test.for<[string, readonly string[], readonly Row[], RegExp]>([
    ['whose target there is not', [], nowhere, /^I can't find nowhere/],
    ['with an option that there is not', [], oneOfEach.map(misspelt), /nonsense/],
    [
      'that others may',
      [mayRead, `{ allow: ${actions}, to: [leads], approval: none }`],
      acting,
      /^You may not run .* lets leads do it/,
    ],
    ['that nobody may', [mayRead], acting, /No rule allows anybody/],
    ['that a rule forbids', [mayRead, mayAct, `{ deny: ${actions}, to: everyone }`], acting, /forbids it/],
    [
      'that may not be read',
      [mayRead, mayAct, '{ deny: [read], to: everyone }'],
      oneOfEach,
      /^(I can't find|You may not)/,
    ],
  ])('a request %s is refused in the same words', async ([, rules, rows, words]) => {
    if (rules.length > 0) await reloadPolicy(scenario, policyOf(...rules));
    const before = scenario.rows('select max(seq) as it from audit');
    for (const row of rows) {
      const says = await told(row.line);
      expect(says).toMatch(words);
      for (const asked of askedFor(row))
        expect({ asked, ...(await ask(asked)) }).toMatchObject({ asked, status: 422, body: { detail: says } });
    }
    expect(scenario.rows('select max(seq) as it from audit')).toEqual(before);
    expect(scenario.writes()).toEqual([]);
  });

  test('what only people do is refused to a program in one sentence, and nothing comes of it', async () => {
    await reloadPolicy(scenario, policyOf(mayRead, mayAct, `{ allow: [${namedRights.join(', ')}], to: ${both} }`));
    const before = happened();
    for (const command of onlyPeople)
      for (const asked of askedFor(exampleOf(command))) {
        const detail = `Only people can use ${command}. Nothing was done. Ask for it in Slack.`;
        expect(await ask(asked)).toMatchObject({ status: 422, body: { detail } });
      }
    expect(happened()).toEqual(before);
    const { body } = await call('/v1/commands');
    const offered = [...catalogue.keys()]
      .filter(isForAll)
      .map((command) => expect.objectContaining({ command }) as unknown);
    expect(body).toEqual({ commands: offered });
  });
});
