import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { newKey } from '../../src/api/authenticate.ts';
import { catalogue, commandAt } from '../../src/commands/index.ts';
import { optionName } from '../../src/language/usage.ts';
import { freePort } from '../../src/playground/paths-and-ports.ts';
import { exampleArguments } from '../commands/in-memory-host.ts';
import { changes } from './endpoints/acting.ts';
import { reads } from './endpoints/reads.ts';
import { putUpSite } from './endpoints/sites.ts';
import { environmentOf, type Reading, type Writing } from './endpoints/story.ts';
import { writes } from './endpoints/writes.ts';
import { programAt, type Asking } from './program.ts';
import { ids, openScenario, reloadPolicy, type Scenario } from './scenario.ts';

/** Every command, asked for in Slack by a person and over HTTP by a program for that person: the same comes of it. */

const key = newKey();
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

/** What the program's door takes: a line, or a command and its fields by name. */
type Asked =
  | { readonly say: string }
  | { readonly command: string; readonly fields: Readonly<Record<string, unknown>> };
/** One request: as it is typed in Slack, and as both kinds of a program's. */
type Row = { readonly command: string; readonly line: string; readonly asked: readonly [Asked, Asked] };

const rowOf = (command: string, words: string, given: Readonly<Record<string, readonly string[]>>): Row => {
  const line = `${command} ${words}`.trimEnd();
  const options = Object.entries(given).map(([name, said]) => [optionName(name), said[0] === 'yes' ? true : said]);
  return { command, line, asked: [{ say: line }, { command, fields: Object.fromEntries(options) }] };
};

/** A row of a table of endpoints: its line is what is typed, and its fields are those of its form. */
function rowOn({ command, words, picks, fills }: Reading | Writing, on: string): Row {
  const names = Object.entries(commandAt(command).fields).map(([name, { label }]) => [label, name] as const);
  const fieldOf = new Map(names);
  const picked = (picks?.(on) ?? []).map(({ label, said }) => [label, said] as const);
  const filled = [...picked, ...Object.entries(fills(on))].map(
    ([label, said]) => [fieldOf.get(label) ?? label, [said].flat().flatMap((one) => String(one).split('\n'))] as const,
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
const oneOfEach: readonly Row[] = [
  ...changing.filter(isFirst).map((story) => rowOn(story, onOf(story))),
  ...reads.filter(isFirst).map((story) => rowOn(story, story.typedOn)),
];
/** Commands that have no row in those tables, by their own example. */
const others = [...catalogue.keys()].filter((path) => !oneOfEach.some(({ command }) => command === path));

/** Only people decide what these do, or what is told to whom. */
const onlyPeople = [
  'logs reveal',
  ...['watch', 'watch stop', 'digest', 'changes export', 'timers cancel', 'use', 'lock', 'unlock'],
  ...['queue leave', 'pause', 'resume', 'audit', 'audit verify', 'audit export'],
] as const;

/** What rules name of those; the others go with reading. */
const namedRights = ['logs reveal', 'watch', 'digest', 'audit', 'use', 'lock', 'unlock', 'pause', 'resume'];

/** The columns of a change in which both doors differ; the rest is frozen, or follows from it. */
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
    call = programAt(`http://127.0.0.1:${port}`, key.key);
    const environment = { API_PORT: String(port), HOSTING_REQUESTS_PER_MINUTE: '100000' };
    scenario = await openScenario({ policy: policyOf(mayRead, mayAct), environment, start: false });
    for (const story of changing) putUpSite(scenario.hosting.world, siteOf(story));
    await scenario.start();
  });
  // Nobody has more than five changes waiting.
  afterEach(() => scenario.runSql("update changes set state = 'cancelled', settled_at = 1, created_at = 1"));
  afterAll(() => scenario.close());

  const ask = async (asked: Asked, on: string) => call('/v1/requests', { json: { ...asked, typed_name: on } });
  const newest = (): Record<string, unknown> => {
    const [row = {}] = scenario.rows('select * from changes order by number desc limit 1');
    return row;
  };
  const without = (row: Record<string, unknown>, names: readonly string[]) =>
    Object.fromEntries(Object.entries(row).filter(([name]) => !names.includes(name)));
  /** The rights of a change, without through whom it was asked for. */
  const rightsOf = ({ authorization }: Record<string, unknown>): unknown =>
    without(JSON.parse(String(authorization)) as Record<string, unknown>, ['calling']);
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
    '%s %s: the same rights, the same frozen call and card',
    async ([, , story]) => {
      const on = onOf(story);
      if (story.target !== 'domain' && story.how !== 'many')
        story.given?.(environmentOf({ world: scenario.hosting.world, on }));
      const change = await changes(scenario, story, on, 'typed');
      const inSlack = newest();
      for (const asked of rowOn(story, on).asked) {
        const { status, body } = await ask(asked, on);
        expect({ status, asked, detail: body['detail'] }).toEqual({ status: 202, asked, detail: undefined });
        expect(without(newest(), ofOneDoor)).toEqual(without(inSlack, ofOneDoor));
        expect(rightsOf(newest())).toEqual(rightsOf(inSlack));
        expect(body).toMatchObject({ call: JSON.parse(String(inSlack['call'])), fingerprint: inSlack['fingerprint'] });
        const { text } = change.card();
        for (const [label, value] of body['facts'] as [string, string][]) expect(text).toContain(`${label}  ${value}`);
        if (body['warning'] !== null) expect(text).toContain(body['warning']);
      }
    },
  );

  /** Word for word, but for bullets, and for days and names that only Slack draws. */
  const wordsOf = (text: string): readonly string[] =>
    Object.entries({ ...ids, sitehand: 'U0SITEHAND' })
      .reduce((all, [name, id]) => all.replaceAll(new RegExp(`@${name}`, 'gi'), `@${id}`), text)
      .replaceAll(/\d{4}-\d\d-\d\d (?=\d\d:)/g, '')
      .split('\n')
      .map((line) => line.replace(/^\* /, '').replaceAll(/\s+/g, ' ').trim())
      .filter((line) => line !== '');

  const reports: readonly Row[] = [
    ...reads.map((story) => rowOn(story, story.typedOn)),
    ...others
      .filter((path) => !onlyPeople.some((one) => one === path))
      .map((path) => rowOf(path, commandAt(path).examples?.[0] ?? '', exampleArguments(path)[0] ?? {})),
  ];
  test.for(reports.map((row) => [row.line, row] as const))('%s: the same report', async ([, { line, asked }]) => {
    const inSlack = wordsOf(await told(line));
    for (const one of asked) {
      const { body } = await ask(one, '');
      // Slack shows the first page.
      const text = wordsOf(String(body['text'] ?? body['detail'])).slice(0, 20);
      expect(text.length).toBeGreaterThan(0);
      expect({ one, missing: text.filter((words) => !inSlack.includes(words)) }).toEqual({ one, missing: [] });
    }
  });

  const nowhere = (row: Row): Row =>
    JSON.parse(JSON.stringify(row).replaceAll(/story-\d+|acme-\w+/g, 'nowhere')) as Row;
  const misspelt = ({ command, line, asked: [say, { fields }] }: Row): Row => ({
    command,
    line: `${line} --nonsense=1`,
    asked: [{ say: `${line} --nonsense=1` }, { command, fields: { ...fields, nonsense: '1' } }],
  });
  const named = oneOfEach.filter(({ line }) => /story|acme/.test(line));
  const acting = oneOfEach.filter(({ command }) => commandAt(command).shape === 'action');
  test.for<[string, readonly string[], readonly Row[], RegExp]>([
    ['whose target there is not', [], named.map(nowhere), /^I can't find nowhere/],
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
  ])('a request %s is refused in the same words', async ([, rules, rows, says]) => {
    if (rules.length > 0) await reloadPolicy(scenario, policyOf(...rules));
    const before = scenario.rows('select max(seq) as it from audit');
    for (const { line, asked } of rows) {
      const inSlack = await told(line);
      for (const one of asked) {
        const { status, body } = await ask(one, '');
        expect({ one, status, says: body['detail'] }).toEqual({ one, status: 422, says: inSlack });
        expect(inSlack).toMatch(says);
      }
    }
    expect(scenario.rows('select max(seq) as it from audit')).toEqual(before);
    expect(scenario.writes()).toEqual([]);
  });

  test('what only people do is refused to a program in one sentence, and nothing comes of it', async () => {
    await reloadPolicy(scenario, policyOf(mayRead, mayAct, `{ allow: [${namedRights.join(', ')}], to: ${both} }`));
    const before = happened();
    for (const command of onlyPeople)
      for (const { asked } of [
        rowOf(command, commandAt(command).examples?.[0] ?? '', exampleArguments(command)[0] ?? {}),
      ])
        for (const one of asked) {
          const says = `Only people can use ${command}. Nothing was done. Ask for it in Slack.`;
          expect(await ask(one, '')).toMatchObject({ status: 422, body: { detail: says } });
        }
    expect(happened()).toEqual(before);
    const { body } = await call('/v1/commands');
    const offered = (body['commands'] as { readonly command: string }[]).map(({ command }) => command);
    expect(offered).toEqual([...catalogue.keys()].filter((path) => !onlyPeople.some((one) => one === path)));
  });
});
