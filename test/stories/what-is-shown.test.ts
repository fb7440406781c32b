import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { catalogue } from '../../src/commands/index.ts';
import type { Target } from '../../src/hosting/contract/target.ts';
import { mayShow } from '../../src/access/visibility.ts';
import type { Entry } from '../../src/playground/hosting/journal.ts';
import type { Environment } from '../../src/playground/hosting/resources.ts';
import { person as slackPerson, SEED } from '../../src/playground/slack/seed.ts';
import type { VisibleView } from '../../src/playground/slack/shapes.ts';
import { company, policyFrom } from '../fixtures.ts';
import { expectSoon, has, testUser, type ChangeThread, type Said, type TestUser, type Words } from './people.ts';
import { openScenario, type Scenario } from './scenario.ts';

/** Whatever anybody is shown belongs to commands and is about targets: it takes the right to each of them there. */

const sites = { hidden: 'north-bakery', open: 'harbor-events' } as const;
type Side = keyof typeof sites;
const sides: readonly Side[] = ['hidden', 'open'];
/** Stands in everything that is planted for an environment. */
const marks = { hidden: 'quince', open: 'walnut' } as const;
const addresses = { hidden: '203.0.113.77', open: '198.51.100.88' } as const;
const backups = { hidden: 'system-generated', open: 'manual' } as const;
const nameOf = (side: Side): string => `${sites[side]}/live`;
const domainOf = (side: Side): string => `${sites[side]}.example`;

/** What one person receives in one place, as one text. */
type Surface = (who: Reader, side: Side) => Promise<string>;
type Reader = TestUser & { readonly scenario: Scenario };

const textOf = (said: Said): string =>
  said
    .answers()
    .map(({ text, controls }) => `${text}\n${JSON.stringify(controls)}`)
    .join('\n');

/** The first answer to a line. */
const answer =
  (line: (side: Side) => string): Surface =>
  async (who, side) => {
    const said = await who.says(`/site ${line(side)}`, who.direct);
    await said.hears(/./);
    return textOf(said);
  };

/** The answer to a line, and the file that comes with it. */
const fileOf =
  (line: (side: Side) => string): Surface =>
  async (who, side) => {
    const { slack } = who.scenario;
    const before = slack.files(who.id).length;
    const said = await who.says(`/site ${line(side)}`, who.direct);
    const first = await said.hears(/./);
    if (/may not|can't find|there is no file/.test(first.text)) return first.text;
    const files = await expectSoon(
      slack,
      'a file',
      () => (slack.files(who.id).length > before ? slack.files(who.id).slice(before) : undefined),
      () => textOf(said),
    );
    return [textOf(said), ...files.map(({ text }) => text)].join('\n');
  };

/** What a form offers in a field. */
const formOf =
  (line: (side: Side) => string, label: string): Surface =>
  async (who, side) => {
    const { slack } = who.scenario;
    const said = await who.says(`/site ${line(side)}`, who.direct);
    const form = (): VisibleView | undefined => slack.views(who.id).modals.at(-1);
    const isDrawn = (view: VisibleView | undefined): boolean =>
      view !== undefined && !view.text.includes('Looking at the host');
    await expectSoon(
      slack,
      `a form for ${who.id}`,
      () => (isDrawn(form()) || said.answers().length > 0 ? true : undefined),
      () => [form()?.text, textOf(said)],
    );
    const control = form()?.controls.find((one) => one.label === label);
    const typed = control?.type.includes('external')
      ? await slack.suggest(who.id, 'modal', { label }, marks[side])
      : undefined;
    const seen = JSON.stringify([form()?.text, form()?.controls, typed?.options]);
    await slack.closeModal(who.id, true).catch(() => undefined);
    return `${textOf(said)}\n${seen}`;
  };

const home: Surface = async (who) => {
  const { slack } = who.scenario;
  await slack.home(who.id);
  const view = await expectSoon(
    slack,
    'a home',
    () => slack.views(who.id).home,
    () => undefined,
  );
  return view.text;
};

const surfaces = {
  status: answer((side) => `status ${nameOf(side)}`),
  'status without a name': answer(() => 'status'),
  'time line': answer((side) => `changes ${nameOf(side)} --since 1h`),
  'time line as a file': fileOf((side) => `changes export ${nameOf(side)} --since 1h`),
  changes: answer(() => 'changes'),
  'changes of one': answer((side) => `changes ${nameOf(side)}`),
  change: answer((side) => `change ${sides.indexOf(side) + 1}`),
  timers: answer(() => 'timers'),
  'timers of one': answer((side) => `timers ${nameOf(side)}`),
  queue: answer(() => 'queue'),
  'queue of one': answer((side) => `queue ${nameOf(side)}`),
  watches: async (who) => {
    const said = await who.says('/site watches', 'C0GENERAL');
    await said.hears(/./);
    return textOf(said);
  },
  environments: answer(() => 'environments'),
  'domains list': answer(() => 'domains list'),
  'themes list': answer(() => 'themes list'),
  'themes list in': answer((side) => `themes list in ${sites[side]}/*`),
  'themes show': answer((side) => `themes show ${nameOf(side)}`),
  'allowlist show': answer((side) => `allowlist show ${nameOf(side)}`),
  'allowlist find': answer((side) => `allowlist find ${addresses[side]}`),
  logs: answer((side) => `logs ${nameOf(side)} error --since 1h`),
  files: answer((side) => `files ${nameOf(side)}`),
  'redirects list': answer((side) => `redirects list ${nameOf(side)}`),
  'backups list': answer((side) => `backups list ${nameOf(side)}`),
  'form of redirects remove': formOf((side) => `redirects remove ${nameOf(side)}`, 'From'),
  'form of redirects edit': formOf((side) => `redirects edit ${nameOf(side)}`, 'From'),
  'form of push': formOf((side) => `push ${nameOf(side)} --files`, 'Only these paths'),
  'form of themes update': formOf((side) => `themes update ${nameOf(side)}`, 'Themes'),
  audit: answer((side) => `audit ${nameOf(side)} --by @chi`),
  'audit as a file': fileOf(() => 'audit export jsonl'),
  can: answer((side) => `can cache clear ${nameOf(side)}`),
  home,
} as const satisfies Readonly<Record<string, Surface>>;
type SurfaceName = keyof typeof surfaces;

/** A part of what a surface shows. `needs`: the commands that it belongs to. `instead`: what is said without the last. */
type Row = {
  readonly surface: SurfaceName;
  readonly part: string;
  readonly needs: readonly string[];
  readonly shows: (side: Side) => Words;
  readonly instead?: string;
  /** A report about the company, which it also takes the right to; undefined: about the environment alone. */
  readonly isOfCompany?: true;
  /** What the rows are about, if not the environment. */
  readonly about?: 'domain';
};

const notShown = (path: string): string => `not shown: the rules don't let you run ${path} here`;
const change = (side: Side): string => `Clear the cache of ${nameOf(side)}`;

const rows: readonly Row[] = [
  {
    surface: 'status',
    part: 'the error log',
    needs: ['status', 'logs'],
    shows: (side) => `${marks[side]}-error`,
    instead: notShown('logs'),
  },
  {
    surface: 'status',
    part: 'last changes',
    needs: ['status', 'changes'],
    shows: change,
    instead: notShown('changes'),
  },
  {
    surface: 'status',
    part: 'newest backup',
    needs: ['status', 'backups list'],
    shows: (side) => `Newest backup: ${backups[side]}`,
    instead: notShown('backups list'),
  },
  {
    surface: 'status',
    part: 'timed access',
    needs: ['status', 'timers'],
    shows: (side) => new RegExp(`Timed access: \\n *${addresses[side]}`),
    instead: notShown('timers'),
  },
  { surface: 'status', part: 'the lock', needs: ['status'], shows: (side) => `${marks[side]}-lock` },
  {
    surface: 'status',
    part: 'the site',
    needs: ['status', 'check'],
    shows: () => /Site: (?!not shown)/,
    instead: notShown('check'),
  },
  { surface: 'time line', part: 'changes', needs: ['changes'], shows: (side) => `${marks[side]}-reason` },
  {
    surface: 'time line',
    part: 'peaks',
    needs: ['changes', 'logs'],
    shows: (side) => `${marks[side]}-error`,
    instead: notShown('logs'),
  },
  {
    surface: 'time line as a file',
    part: 'changes',
    needs: ['changes export', 'changes'],
    shows: (side) => `${marks[side]}-reason`,
  },
  {
    surface: 'time line as a file',
    part: 'peaks',
    needs: ['changes export', 'logs'],
    shows: (side) => `${marks[side]}-error`,
    instead: notShown('logs'),
  },
  {
    surface: 'status without a name',
    part: 'what was used lately',
    needs: ['status', 'environments'],
    shows: (side) => `[${nameOf(side)}]`,
  },
  { surface: 'changes', part: 'the list', needs: ['changes'], shows: change },
  { surface: 'changes of one', part: 'the list', needs: ['changes'], shows: change },
  { surface: 'change', part: 'the story', needs: ['change'], shows: (side) => `${marks[side]}-reason` },
  { surface: 'timers', part: 'the list', needs: ['timers'], shows: (side) => addresses[side] },
  { surface: 'timers of one', part: 'the list', needs: ['timers'], shows: (side) => addresses[side] },
  { surface: 'queue', part: 'the list', needs: ['queue'], shows: nameOf },
  { surface: 'queue of one', part: 'the list', needs: ['queue'], shows: (side) => `cache clear on ${nameOf(side)}` },
  { surface: 'watches', part: 'the list', needs: ['watches'], shows: (side) => `${marks[side]}-match` },
  { surface: 'environments', part: 'the list', needs: ['environments'], shows: nameOf },
  {
    surface: 'domains list',
    part: 'the list',
    needs: ['domains list'],
    shows: domainOf,
    instead: '2 domains that',
    isOfCompany: true,
    about: 'domain',
  },
  {
    surface: 'themes list',
    part: 'the list',
    needs: ['themes list', 'themes show'],
    shows: (side) => `${marks[side]}-theme`,
    instead: '1 theme that',
    isOfCompany: true,
  },
  {
    surface: 'themes list in',
    part: 'themes',
    needs: ['themes list', 'themes show'],
    shows: (side) => `${nameOf(side)} 4 themes`,
    instead: notShown('themes show'),
  },
  { surface: 'themes show', part: 'themes', needs: ['themes show'], shows: (side) => `${marks[side]}-theme` },
  { surface: 'allowlist show', part: 'the list', needs: ['allowlist show'], shows: (side) => addresses[side] },
  {
    surface: 'allowlist show',
    part: 'timed access',
    needs: ['allowlist show', 'timers'],
    shows: (side) => `Timed access ends: ${addresses[side]}`,
  },
  {
    surface: 'allowlist find',
    part: 'the list',
    needs: ['allowlist find', 'allowlist show'],
    shows: (side) => `${nameOf(side)} lets it in`,
    instead: notShown('allowlist show'),
  },
  { surface: 'logs', part: 'lines', needs: ['logs'], shows: (side) => `${marks[side]}-error` },
  {
    surface: 'logs',
    part: 'changes beside them',
    needs: ['logs', 'changes'],
    shows: (side) => `Cleared the cache of ${nameOf(side)}`,
  },
  { surface: 'files', part: 'files', needs: ['files'], shows: (side) => `${marks[side]}-file` },
  {
    surface: 'redirects list',
    part: 'redirects',
    needs: ['redirects list'],
    shows: (side) => `${marks[side]}-redirect`,
  },
  {
    surface: 'backups list',
    part: 'backups',
    needs: ['backups list'],
    shows: (side) => (side === 'hidden' ? 'System generated' : 'Manual'),
  },
  {
    surface: 'form of redirects remove',
    part: 'choices',
    needs: ['redirects remove', 'redirects list'],
    shows: (side) => `${marks[side]}-redirect`,
  },
  {
    surface: 'form of redirects edit',
    part: 'choices',
    needs: ['redirects edit', 'redirects list'],
    shows: (side) => `${marks[side]}-redirect`,
  },
  { surface: 'form of push', part: 'choices', needs: ['files'], shows: (side) => `${marks[side]}-file` },
  {
    surface: 'form of themes update',
    part: 'choices',
    needs: ['themes update', 'themes show'],
    shows: (side) => `${marks[side]}-theme`,
  },
  { surface: 'audit', part: 'lines', needs: ['audit'], shows: (side) => `${marks[side]}-lock` },
  { surface: 'audit as a file', part: 'lines', needs: ['audit'], shows: (side) => `${marks[side]}-lock` },
  {
    surface: 'home',
    part: 'recent changes',
    needs: ['changes'],
    shows: (side) => `Cleared the cache of ${nameOf(side)}`,
  },
];

const commands = [...new Set(rows.flatMap(({ needs }) => needs))];
/** Whom a rule denies what where the hidden environment is; the first nothing, the second all reading. */
const denials: readonly (string | undefined)[] = [undefined, 'read', ...commands];
const idOf = (denied: string | undefined): string => `U1READER${denials.indexOf(denied)}`;
/** Whom a rule denies two commands there. */
const withoutBoth = 'U1BOTH';
/** People with rules of their own, other ones in each run. */
const drawn = drawRules(8).map((rules, at) => ({ id: `U1DRAWN${at}`, group: `drawn-${at}`, rules }));
const where = JSON.stringify([`${sites.hidden}/*`, `domain:${domainOf('hidden')}`]);

const policy = `
version: 1
live: ['*/live']
groups:
  team: [U02BEN, U03CHI]
${denials.map((denied) => `  ${group(denied)}: [${idOf(denied)}]`).join('\n')}
  without-both: [${withoutBoth}]
  readers: [${[...denials.map(idOf), withoutBoth].join(', ')}]
${drawn.map(({ id, group }) => `  ${group}: [${id}]`).join('\n')}
rules:
  - { allow: [read, audit], to: [team, readers] }
  - { allow: [push], to: [${drawn.map(({ group }) => group).join(', ')}], approval: { by: [team], count: 1, expires: 1h } }
  - { allow: [routine, sensitive, lock, watch, pause, resume], to: [team] }
  - { allow: [sensitive, push], to: [readers], approval: { by: [team], count: 1, expires: 1h } }
${denials
  .flatMap((denied) =>
    denied === undefined ? [] : `  - { deny: ['${denied}'], to: [${group(denied)}], where: ${where} }`,
  )
  .join('\n')}
  - { deny: [status, 'redirects edit'], to: [without-both], where: ${where} }
${drawn.flatMap(({ group, rules }) => rules.map((rule) => `  - ${JSON.stringify({ ...rule, to: [group] })}`)).join('\n')}
`;

/** For each person, the rules that only they have: most may run most, and some things not in some places. */
function drawRules(count: number) {
  const classes = ['read', 'audit', 'sensitive'];
  const some = (from: readonly string[], maxLength: number) => fc.subarray([...from], { minLength: 1, maxLength });
  const places = [...sides.map((side) => `${sites[side]}/*`), '*/live', `domain:${domainOf('hidden')}`, 'company'];
  const where = some(places, 2);
  const first = fc.oneof(
    { weight: 3, arbitrary: fc.record({ allow: fc.constant(classes) }) },
    { weight: 1, arbitrary: fc.record({ allow: fc.constant(classes), where: some(places, 4) }) },
  );
  const more = fc.oneof(
    { weight: 4, arbitrary: fc.record({ deny: some(commands, 8), where }) },
    { weight: 1, arbitrary: fc.record({ deny: some(classes, 1), where }) },
    { weight: 1, arbitrary: fc.record({ allow: some(commands, 8), where }) },
  );
  const rules = fc.tuple(first, fc.array(more, { minLength: 1, maxLength: 3 }));
  return fc.sample(rules, count).map(([one, others]) => [one, ...others]);
}

function group(denied: string | undefined): string {
  return `without-${(denied ?? 'nothing').replaceAll(' ', '-')}`;
}

const readers = [...denials.map(idOf), withoutBoth, ...drawn.map(({ id }) => id)].map((id) =>
  slackPerson(id, `Reader ${id}`, 'Reader'),
);
const members = readers.map(({ id }) => id);
const seed = {
  ...SEED,
  people: [...SEED.people, ...readers],
  channels: SEED.channels.map((one) =>
    one.id === 'C0GENERAL' ? { ...one, members: [...one.members, ...members] } : one,
  ),
};

describe('what a rule denies where an environment is', () => {
  let scenario: Scenario;
  /** What each reader received. */
  const received = new Map<string, string>();
  const textFor = (denied: string | undefined, surface: string, side: Side): string =>
    received.get(`${idOf(denied)} ${surface} ${side}`) ?? '';
  /** The sections of the hosting API that were read about the hidden environment for each reader. */
  const read = new Map<string | undefined, readonly string[]>();

  async function runEverything(id: string): Promise<void> {
    const who: Reader = { ...testUser(scenario.slack, id), scenario };
    // What is about everything comes last: some of it is about what was used.
    const inOrder = Object.entries(surfaces).toSorted(
      ([one], [other]) => Number(isOfAll(one)) - Number(isOfAll(other)),
    );
    for (const [name, surface] of inOrder) {
      const hidden = await surface(who, 'hidden');
      received.set(`${id} ${name} hidden`, hidden);
      received.set(`${id} ${name} open`, isOfAll(name) ? hidden : await surface(who, 'open'));
    }
  }

  beforeAll(async () => {
    scenario = await openScenario({ policy, slack: { seed } });
    await plant(scenario);
    for (const denied of denials) {
      const { journal } = scenario.hosting;
      const before = journal.entries().length;
      await runEverything(idOf(denied));
      const about = journal.entries().slice(before).filter(isAboutHidden(scenario));
      read.set(denied, [...new Set(about.map(({ section = 'unknown' }) => section))].toSorted());
    }
    for (const { id } of drawn) await runEverything(id);
  });
  afterAll(() => scenario.close());

  test.each(rows)('$surface: $part', ({ surface, needs, shows, instead }) => {
    const cells = denials.flatMap((denied) => sides.map((side) => ({ denied, side })));
    const table = (shown: (denied: string | undefined, side: Side) => boolean) =>
      Object.fromEntries(cells.map(({ denied, side }) => [`without ${denied}: ${side}`, shown(denied, side)]));
    const isShown = (denied: string | undefined, side: Side): boolean =>
      has(textFor(denied, surface, side), shows(side));
    const mayBeShown = (denied: string | undefined, side: Side): boolean =>
      side === 'open' || denied === undefined || !['read', ...needs].includes(denied);
    expect(table(isShown)).toEqual(table(mayBeShown));
    if (instead !== undefined) expect(textFor(needs.at(-1), surface, 'hidden')).toContain(instead);
  });

  test.each(drawn)('whatever the rules: $id', ({ id, rules }) => {
    const loaded = policyFrom(policy);
    const may = (path: string, target: Target): boolean => mayShow(loaded, { id, groups: [] }, path, target) === 'yes';
    const cells = rows.flatMap((row) =>
      sides.map((side) => ({ ...row, side, name: `${row.surface}, ${row.part}: ${side}` })),
    );
    const shown = cells.filter(({ surface, side, shows }) =>
      has(received.get(`${id} ${surface} ${side}`) ?? '', shows(side)),
    );
    const allowed = cells.filter(({ needs, side, about, isOfCompany }) =>
      // The list itself is about the company, what stands in it about environments.
      needs.every(
        (path, at) => may(path, targetOf(scenario, side, about)) && (at > 0 || !isOfCompany || may(path, company)),
      ),
    );
    expect({ rules, shown: shown.map(({ name }) => name) }).toEqual({ rules, shown: allowed.map(({ name }) => name) });
  });

  test('without the right to read, nothing names it but what was typed', () => {
    const { world } = scenario.hosting;
    const { id, siteId } = own(scenario, nameOf('hidden'));
    const ids = [id, siteId, ...world.domains.filter((one) => one.siteId === siteId).map((one) => one.id)];
    for (const surface of Object.keys(surfaces)) {
      const text = textFor('read', surface, 'hidden');
      for (const word of [marks.hidden, ...ids]) expect(text).not.toContain(word);
      if (isOfAll(surface) || surface === 'allowlist find') expect(text).not.toContain(sites.hidden);
      else expect(text).toMatch(/I can't find/);
    }
  });

  test.each([
    ['change', 'change', 1],
    ['read', 'change', 1],
    ['watches', 'watch stop', 1],
    ['read', 'watch stop', 1],
    ['timers', 'timers cancel', 3],
    ['read', 'timers cancel', 3],
  ])('without %s, %s of what is hidden is answered like that of what is not there', async (denied, path, number) => {
    const who = testUser(scenario.slack, idOf(denied));
    const heard = async (asked: number): Promise<string> => {
      const said = await who.says(`/site ${path} ${asked}`, who.direct);
      return (await said.hears(/Nothing was done/)).text.replaceAll(String(asked), 'N');
    };
    expect(await heard(number)).toBe(await heard(999));
  });

  test('the thread of a change that is hidden gives no target: nothing says its id', async () => {
    const { ts } = await scenario.change(1, 'ben');
    const heard = async (denied: string | undefined, words: Words): Promise<string> => {
      const said = await testUser(scenario.slack, idOf(denied)).mentions('backups list', 'C0GENERAL', ts);
      return (await said.hears(words)).text;
    };
    expect(await heard(undefined, 'backups')).toContain(nameOf('hidden'));
    expect(await heard('read', /./)).not.toMatch(/bakery|[0-9a-f]{8}-/);
  });

  test('a form says who holds a lock to those who may run its command there, or see the status', async () => {
    const form = surfaces['form of redirects edit'];
    const who = { ...testUser(scenario.slack, withoutBoth), scenario };
    expect(await form(who, 'open')).toContain(`${marks.open}-lock`);
    const hidden = await form(who, 'hidden');
    expect(hidden).toContain(nameOf('hidden'));
    expect(hidden).not.toContain(`${marks.hidden}-lock`);
    for (const denied of ['status', 'redirects edit'])
      expect(textFor(denied, 'form of redirects edit', 'hidden')).toContain(`${marks.hidden}-lock`);
  });

  test('the host is read about it only with the right to what is read', () => {
    const all = Object.values(sectionOf).toSorted();
    const expected = denials.map((denied): [string | undefined, readonly string[]] => [
      denied,
      denied === 'read' ? [] : all.filter((section) => section !== sectionOf[denied ?? '']),
    ]);
    expect([...read]).toEqual(expected);
  });

  test.each(commands.filter(takesEnvironment))('can says the same: %s', async (command) => {
    const who = testUser(scenario.slack, idOf(command));
    for (const [side, says] of [
      ['hidden', 'may not'],
      ['open', 'may'],
    ] as const) {
      const said = await who.says(`/site can ${command} ${nameOf(side)}`, who.direct);
      const heard = await said.hears(`You ${says} run ${command} on ${nameOf(side)}`);
      if (side === 'hidden') expect(heard.text).toMatch(/Forbidden by line \d+ of the policy: /);
    }
  });
});

/** Whether a surface is about everything at once. */
const isOfAll = (name: string): boolean =>
  [
    'status without a name',
    'changes',
    'timers',
    'queue',
    'watches',
    'environments',
    'domains list',
    'themes list',
    'audit as a file',
    'home',
  ].includes(name);

/** The section of the hosting API that a command reads about one environment. */
const sectionOf: Readonly<Record<string, string>> = {
  'redirects list': '4.2',
  'allowlist show': '4.17',
  logs: '4.19',
  files: '4.20',
  'backups list': '4.22',
};

function isAboutHidden(scenario: Scenario): (entry: Entry) => boolean {
  const { id, siteId } = own(scenario, nameOf('hidden'));
  return ({ path, query }) => [id, siteId].some((one) => JSON.stringify([path, query]).includes(one));
}

const takesEnvironment = (path: string): boolean => 'env' in (catalogue.get(path)?.fields ?? {});

const own = (scenario: Scenario, name: string): Environment => {
  const found = scenario.hosting.world.environmentNamed(name);
  if (found === undefined) throw new Error(`no ${name}`);
  return found;
};

function targetOf(scenario: Scenario, side: Side, about: Row['about']): Target {
  const { id, siteId } = own(scenario, nameOf(side));
  const site = { id: siteId, name: sites[side] };
  return about === 'domain'
    ? { kind: 'domain', id: domainOf(side), name: domainOf(side), site }
    : { kind: 'environment', id, name: nameOf(side), live: true, site };
}

/** Leaves something of every kind that can be shown, at both environments. */
async function plant(scenario: Scenario): Promise<void> {
  const [ben, chi] = [scenario.person('ben'), scenario.person('chi')];
  const cleared: ChangeThread[] = [];
  for (const side of sides) {
    plantAtHost(scenario, side);
    cleared.push(await ben.asks(`/site cache clear ${nameOf(side)} --reason ${marks[side]}-reason`, 'C0GENERAL'));
  }
  for (const { tells } of cleared) await tells('✅');
  for (const side of sides) {
    const [name, mark] = [nameOf(side), marks[side]];
    await ben.opens(`/site allowlist add ${name} ${addresses[side]} --for 2h`, 'List before', 'C0GENERAL');
    await (await ben.confirms({}, 'C0GENERAL')).tells('✅');
    await (await chi.says(`/site lock ${name} ${mark}-lock`, 'C0GENERAL')).hears('is locked by you');
    await (await ben.says(`/site cache clear ${name} --queue`, 'C0GENERAL')).hears('number 1');
    await (await ben.says(`/site watch ${name} --match ${mark}-match`, 'C0GENERAL')).hears('is on until');
  }
  // They read nothing meanwhile.
  scenario.runSql("update waiting set due_at = 9000000000000 where kind = 'watch'");
}

function plantAtHost(scenario: Scenario, side: Side): void {
  const { world } = scenario.hosting;
  const mark = marks[side];
  const env = own(scenario, nameOf(side));
  const at = Date.now() - 20_000;
  const stamp = new Date(at).toISOString().slice(0, 19).replaceAll('-', '/').replace('T', ' ');
  const text = `${stamp} [error] 7#7: *1 FastCGI sent in stderr: "PHP message: PHP Fatal error:  Uncaught Error: ${mark}-error" while reading response header from upstream, client: 203.0.113.9, server: ${sites[side]}.example`;
  env.written = Array.from({ length: 300 }, () => ({ kind: 'error' as const, at, text }));
  const [redirect] = env.redirects.length > 0 ? env.redirects : own(scenario, 'acme-shop/live').redirects;
  if (redirect) env.redirects = [{ ...redirect, from: `/${mark}-redirect`, domain: domainOf(side) }];
  env.files = [...env.files, { name: `${mark}-file`, path: `${mark}-file` }];
  world.themes = [
    ...world.themes,
    { name: `${mark}-theme`, title: `${mark}-theme`, description: '', latest: '2.0.0', vulnerable: [] },
  ];
  env.themes = [
    ...env.themes,
    { name: `${mark}-theme`, version: '1.0.0', status: 'inactive', updateStatus: null, autoUpdate: null },
  ];
  const [backup] = own(scenario, 'acme-shop/live').backups;
  if (backup) env.backups = [{ ...backup, type: backups[side], created_at: Date.now() - 3_600_000 }];
}
