import * as fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { peaksIn } from '../../src/commands/logs/queries.ts';
import { HostTrouble } from '../../src/hosting/client.ts';
import { keepReadings, type SiteReadings } from '../../src/change/site-readings.ts';
import { createChangeStore } from '../../src/change/change-store.ts';
import type { PipelineContext } from '../../src/talk/context.ts';
import {
  codeSpan,
  escapeMarkdown,
  changesExportPage,
  timeLineFile,
  timeLinePage,
} from '../../src/talk/time-line-page.ts';
import { timeLineFor as readTimeLine, type TimeLine, type TimeLineEntry } from '../../src/talk/time-line.ts';
import { appendAudit, listAudit, type AuditEntry } from '../../src/storage/audit.ts';
import type { NewChange } from '../../src/storage/changes.ts';
import type { Database } from '../../src/storage/database.ts';
import { inline, link, plain, say } from '../../src/words/text.ts';
import { describeBoth } from '../storage/describe-both.ts';
import { save } from '../storage/samples.ts';
import {
  askingFor,
  ana,
  blog,
  changeOf,
  chi,
  company,
  contextWith,
  hostile,
  live,
  names,
  policyOf,
  shopDomain,
  staging,
} from '../fixtures.ts';

const now = Date.UTC(2026, 2, 1, 12);
const hour = 3_600_000;
const since = now - 48 * hour;

const timeLineFor = (context: PipelineContext, person: typeof ana, env: typeof live, since: number) =>
  readTimeLine(context, askingFor(context, person, 'changes'), env, since);

const contextOn = (database: Database, more: Partial<PipelineContext> = {}): PipelineContext =>
  contextWith({
    database,
    policy: () => policyOf('{ allow: [read], to: [developers, leads] }'),
    company: () => company,
    names: () => names,
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- Only the log is read.
    read: (async () => '') as PipelineContext['read'],
    logs: {
      analyze: () => Promise.reject(new Error('not here')),
      findNew: () => Promise.reject(new Error('not here')),
      peaks: (query) => peaksIn(query, () => 'client-3f2a'),
    },
    changeStore: createChangeStore({
      auditKey: undefined,
      installation: database.installation,
      onEvent: () => undefined,
    }),
    ...more,
  });

const add = (database: Database, entry: Partial<AuditEntry>) =>
  database.transaction((tx) =>
    appendAudit(tx, { at: now, change: null, event: 'pause', actor: ana.id, details: '{}', ...entry }, undefined),
  );

const throwing = (error: unknown) => async (): Promise<never> => {
  throw error;
};

type About = typeof live | typeof shopDomain;
const keyOf = ({ kind, id }: About): string => `${kind}:${id}`;

/** A change of this target with its audit lines, the first one at `at`. */
async function happened(
  database: Database,
  target: About,
  at: number,
  more: Partial<NewChange> = {},
  events: readonly (readonly [string, string, string])[] = [],
): Promise<number> {
  const about = { target: keyOf(target), target_name: target.name, targets: JSON.stringify([target]) };
  const row = { ...about, card: changeOf().card, requester: ana.id, requester_name: 'Ana', created_at: at, ...more };
  const { number } = await save(database, row);
  const place = { target: target.name, target_key: keyOf(target) };
  for (const [index, [event, actor, name]] of ([['asked', ana.id, 'Ana'], ...events] as const).entries()) {
    const details = JSON.stringify({ ...place, name });
    await add(database, { change: number, at: at + index * 60_000, event, actor, details });
  }
  return number;
}

const kinds = ({ entries }: TimeLine): readonly string[] =>
  entries.map((entry) =>
    entry.kind === 'change' ? `#${entry.number}` : entry.kind === 'lock' ? entry.says : `${entry.count} errors`,
  );

const sourceOf = (line: TimeLine): string => plain(say`${timeLinePage(live, line).source ?? ''}`);

describeBoth('a time line', (open) => {
  it('has changes, locks and pauses in order, with who asked, who approved, and how long it took', async () => {
    const database = await open({ now: () => now });
    await add(database, {
      event: 'pause',
      at: since - hour,
      actor: 'U04DEE',
      details: '{"name":"Dee","reason":"acme-blog"}',
    });
    await happened(database, live, since - 3 * hour);
    const lock = { target: live.name, target_key: keyOf(live), name: 'Chi', reason: 'sale', until: now + hour };
    await add(database, { event: 'lock', at: since + hour, actor: chi.id, details: JSON.stringify(lock) });
    const sent: Partial<NewChange> = {
      sent_at: since + 5 * hour,
      settled_at: since + 5 * hour + 134_000,
      state: 'done',
      reason: 'r42',
    };
    const number = await happened(database, live, since + 4 * hour, sent, [
      ['vote', chi.id, 'Chi'],
      ['approve', 'U04DEE', 'Dee'],
      ['send', 'sitehand', 'Sitehand'],
    ]);
    await add(database, { event: 'resume', at: since + 6 * hour });
    const ofDomain = await happened(database, shopDomain, since + 7 * hour);
    await happened(database, blog, since + 8 * hour);
    await happened(database, staging, since + 8 * hour);
    const line = await timeLineFor(contextOn(database), ana, live, since);
    expect(kinds(line)).toEqual([
      'paused all sending',
      'locked it',
      `#${number}`,
      'resumed all sending',
      `#${ofDomain}`,
    ]);
    expect(line).toMatchObject({ since, until: now, more: false, log: { kind: 'found', found: { errors: 0 } } });
    expect(line.entries[0]).toMatchObject({ who: { id: 'U04DEE', name: 'Dee' }, reason: 'acme-blog' });
    const ofShop = contextOn(database, {
      policy: () => policyOf('{ allow: [read], to: [developers, leads], where: ["acme-shop/*"] }'),
    });
    const [paused] = (await timeLineFor(ofShop, ana, live, since)).entries;
    expect(paused).toMatchObject({ who: { id: 'U04DEE', name: 'Dee' }, reason: undefined });
    expect(line.entries[1]).toMatchObject({ who: { id: chi.id, name: 'Chi' }, reason: 'sale', until: now + hour });
    expect(line.entries[2]).toMatchObject({
      at: since + 5 * hour,
      requester: { id: ana.id, name: 'Ana' },
      approvers: [
        { id: chi.id, name: 'Chi' },
        { id: 'U04DEE', name: 'Dee' },
      ],
      reason: inline('r42'),
      tookMs: 134_000,
      moments: [
        { at: since + 4 * hour, says: 'asked for it' },
        { says: 'approved it; more are needed' },
        { says: 'approved it' },
        { says: 'began to send it' },
      ],
    });
  });

  it('leaves out what its reader may not read, and says that there was more', async () => {
    const database = await open({ now: () => now });
    const both = await happened(database, live, now - hour, { targets: JSON.stringify([live, staging]) });
    const one = await happened(database, live, now - hour / 2);
    const onlyLive = policyOf('{ allow: [read], to: [developers], where: ["*/live"] }');
    const context = contextOn(database, { policy: () => onlyLive });
    expect(kinds(await timeLineFor(context, ana, live, since))).toEqual([`#${one}`]);
    expect(kinds(await timeLineFor(contextOn(database), ana, live, since))).toEqual([`#${both}`, `#${one}`]);
    for (let count = 0; count < 100; count += 1) await happened(database, live, now - 60_000);
    const long = await timeLineFor(contextOn(database), ana, live, since);
    expect(long.more).toBe(true);
    expect(long.entries).toHaveLength(100);
    expect(kinds(long)).not.toContain(`#${both}`);
  });

  it('begins with the lock that was in force then, and with no other', async () => {
    const database = await open({ now: () => now });
    const locks = async (): Promise<readonly string[]> =>
      kinds(await timeLineFor(contextOn(database), ana, live, since));
    const about = { target: live.name, target_key: keyOf(live) };
    const lock = (at: number, more: object = {}) =>
      add(database, { event: 'lock', at, details: JSON.stringify({ ...about, ...more }) });
    await lock(since - 9 * hour, { until: since });
    expect(await locks()).toEqual([]);
    await lock(since - 8 * hour);
    await add(database, { event: 'unlock', at: since - 7 * hour, details: JSON.stringify(about) });
    expect(await locks()).toEqual([]);
    await lock(since - 6 * hour, { until: since + 1 });
    expect(await locks()).toEqual(['locked it']);
  });

  it('says that there was more if not all pauses are in it', async () => {
    const database = await open({ now: () => now });
    for (let count = 0; count < 101; count += 1) await add(database, { at: since + count });
    const line = await timeLineFor(contextOn(database), ana, live, since);
    expect(line.entries).toHaveLength(100);
    expect(line.more).toBe(true);
  });

  it('says that there was more if not all steps of its changes were read', async () => {
    const database = await open({ now: () => now });
    const number = await happened(database, live, since);
    const step = { at: now, change: number, event: 'throttle', actor: 'sitehand', details: '{}' };
    await database.transaction(async (tx) => {
      for (let count = 1; count < 5_000; count += 1) await appendAudit(tx, step, undefined);
    });
    expect((await timeLineFor(contextOn(database), ana, live, since)).more).toBe(true);
  });

  it('says how many domains it includes, if not all', async () => {
    const database = await open({ now: () => now });
    const domains = Array.from({ length: 51 }, (_, index) => ({ ...shopDomain, id: `d${index}` }));
    const context = contextOn(database, { names: () => ({ ...names, domains }) });
    const line = await timeLineFor(context, ana, live, since);
    expect(sourceOf(line)).toContain('changes to 50 of the 51 domains of its site are in it');
    expect(sourceOf(empty)).toContain('changes to the domains of its site are in it');
    const { content } = timeLineFile(live, line, ana).file;
    expect(content).toContain('Changes to 50 of the 51 domains of its site are in it.');
  });

  it('works without the log, and says why it could not be read', async () => {
    const database = await open({ now: () => now });
    const number = await happened(database, live, now - hour);
    const told: unknown[] = [];
    const onTrouble = (_what: string, why: unknown): unknown => told.push(why);
    const failing = (error: unknown): PipelineContext => contextOn(database, { read: throwing(error), onTrouble });
    const trouble = new HostTrouble({ kind: 'server error', status: 500, says: '' }, { attempts: 1, elapsedMs: 5 });
    const line = await timeLineFor(failing(trouble), ana, live, since);
    expect(kinds(line)).toEqual([`#${number}`]);
    expect(plain(line.log.kind === 'failed' ? line.log.why : [])).toBe('The host answered 500.');
    const bug = new Error('a bug');
    expect((await timeLineFor(failing(bug), ana, live, since)).log.kind).toBe('failed');
    expect(told).toEqual([bug]);
  });

  it('is exported with names and without links, and the export is in the trail', async () => {
    const database = await open({ now: () => now });
    const reason = '[x](http://evil.example) `y` | <b> https://evil.example jo@acme.example';
    await happened(database, live, now - hour, { reason }, [['approve', chi.id, 'C*h*i']]);
    const context = contextOn(database);
    const asking = askingFor(context, ana, 'changes export');
    const { title, file } = await changesExportPage(context, asking, {
      env: live,
      since: { clock: '2026-02-27T12:00Z' },
    });
    expect(plain(title)).toContain('1 entry');
    expect(file?.name).toBe('time-line-acme-shop-live-2026-03-01.md');
    expect(file?.content).toContain(
      'From 2026-02-27 12:00:00 UTC to 2026-03-01 12:00:00 UTC, exported by Ana \\(U01ANA\\).',
    );
    expect(file?.content).toContain(
      '  * Asked by Ana \\(U01ANA\\): ``[x](http://evil.example) `y` | <b> https://evil.example ***@***``; approved by C\\*h\\*i \\(U03CHI\\)',
    );
    const [newest] = await listAudit(database.db, { limit: 1 });
    expect(newest).toMatchObject({ event: 'changes_export', actor: ana.id, target: keyOf(live) });
    expect(JSON.parse(newest?.details ?? '')).toMatchObject({ since, entries: 1 });
  });
});

describeBoth('what a time line says of a change', (open) => {
  it('says who handed a request on, and how the site was before and after', async () => {
    const database = await open({ now: () => now });
    const dee = 'U04DEE';
    await add(database, { at: since, event: 'hand_on', actor: dee, details: '{"name":"D*e*e"}' });
    const number = await happened(database, live, now - hour, { handed_on_by: dee, reason: '`x`' });
    await happened(database, live, now - hour / 2);
    const page = { address: 'https://acme.example/', as: 'visitor' } as const;
    const wasWell = { ...page, impression: 'well', says: '200 in 0.4 s' } as const;
    const readings: SiteReadings = {
      before: { ...wasWell, at: now, looks: [wasWell] },
      after: {
        verdict: { kind: 'bad', bad: 3, of: 3 },
        shown: { ...page, at: now, impression: 'bad', says: '500 (an error *page*)' },
      },
    };
    await database.transaction((tx) => keepReadings(tx, number, readings, { stored: undefined, at: now }));
    const line = await timeLineFor(contextOn(database), ana, live, since);
    expect(line.entries.map((entry) => entry.kind === 'change' && [entry.handedOnBy?.name, entry.site])).toEqual([
      ['D*e*e', expect.anything()],
      [undefined, undefined],
    ]);
    for (let count = 0; count < 42; count += 1) await add(database, { change: number, event: 'evidence' });
    const { content } = timeLineFile(live, await timeLineFor(contextOn(database), ana, live, since), ana).file;
    expect(content).toContain(': read back what can be read\n  * … and 3 more.\n');
    expect(content).toContain('  * Asked by Ana \\(U01ANA\\), handed on by D\\*e\\*e \\(U04DEE\\): `` `x` ``\n');
    expect(content).toContain(
      '  * The site was 200 in 0.4 s, then 500 \\(an error \\*page\\*\\) in 3 of 3 readings.\n',
    );
    const drawn = JSON.stringify(timeLinePage(live, line));
    expect(drawn).toContain(`, handed on by "},{"person":"${dee}"}`);
  });
});

const empty: TimeLine = {
  since,
  until: now,
  entries: [],
  withoutChanges: undefined,
  more: false,
  domains: { all: 1, read: 1 },
  log: { kind: 'found', found: { errors: 0, lines: 0, readFrom: undefined, newestIfUtc: undefined, timeless: 0 } },
};
const changeEntry = (more: object = {}): TimeLineEntry => ({
  kind: 'change',
  at: now,
  number: 7,
  title: 'Push',
  requester: { id: ana.id, name: 'Ana' },
  handedOnBy: undefined,
  reason: undefined,
  approvers: [],
  mark: '✅',
  outcome: inline('Done.'),
  site: undefined,
  tookMs: undefined,
  moments: [],
  moreMoments: 0,
  ...more,
});

describe('the file of a time line', () => {
  it('is bounded: its oldest entries are left out, and it says so', () => {
    const moments = Array.from({ length: 40 }, () => ({
      at: now,
      who: { id: 'sitehand', name: undefined },
      says: 'x'.repeat(900),
    }));
    const entries = Array.from({ length: 100 }, (_, number) => changeEntry({ number, moments }));
    const { file, line } = timeLineFile(live, { ...empty, entries }, ana);
    expect(file.content.length).toBeLessThan(1_010_000);
    expect(line.more).toBe(true);
    expect(line.entries.length).toBeLessThan(100);
    expect(file.content).toContain('#99 ');
    expect(file.content).not.toContain('#0 ');
    expect(file.content).toContain('are left out');
  });

  test('says which part of the log is unknown', () => {
    const content = (log: TimeLine['log']): string => timeLineFile(live, { ...empty, log }, ana).file.content;
    expect(content({ kind: 'failed', why: say`The host answered 500.` })).toContain(
      'unknown: The host answered 500. Its peaks are missing here.',
    );
    const log = { errors: 1, lines: 20, readFrom: now, newestIfUtc: since - 60_000, timeless: 2 };
    expect(content({ kind: 'found', found: log })).toMatch(
      /no ten minutes stand out, if times without a zone are UTC: /,
    );
    expect(content({ kind: 'found', found: log })).toContain(
      'back to 2026-03-01 12:00:00 UTC: earlier peaks are missing here. 2 lines have no time',
    );
  });

  test('has a reason as code, and the address of a ticket in it', () => {
    const reason = say`for ${link('[x](http://evil.example)', 'https://t.example/b/%5Bx%5D?a=1&b=2')} ${'`<br>'}`;
    const { content } = timeLineFile(live, { ...empty, entries: [changeEntry({ reason })] }, ana).file;
    expect(content).toContain(': ``for [x](http://evil.example) `<br>`` <https://t.example/b/%5Bx%5D?a=1&b=2>\n');
  });

  test.each([
    ['plain', '`plain`'],
    ['a `b` ```c', '````a `b` ```c````'],
    ['`', '`` ` ``'],
    ['', '`  `'],
    ['a\r\n# b\u202E', '`a # b⟨U+202E⟩`'],
  ])('%j as code is %s', (text, shown) => {
    expect(codeSpan(text)).toBe(shown);
  });

  test('hostile text makes no markup, no link and no line of its own', () => {
    fc.assert(
      fc.property(hostile, (text) => {
        const span = codeSpan(text);
        const fence = /^`+/.exec(span)?.[0] ?? '';
        expect(span.endsWith(fence)).toBe(true);
        const inside = span.slice(fence.length, -fence.length);
        expect([...inside.matchAll(/`+/g)].map(([run]) => run)).not.toContain(fence);
        const escaped = escapeMarkdown(text);
        expect(escaped.replaceAll(/\\[!-/:-@[-`{-~]/g, '')).not.toMatch(/[\\`*_{}[\]<>#|~!&$()@]|:\/\/|www\./i);
        for (const shown of [span, escaped]) expect(shown).not.toMatch(/[\n\r\u2028\u2029\u202E\u200B]/);
      }),
    );
  });
});

test('the page offers the export and the log of the same span', () => {
  const page = timeLinePage(live, { ...empty, entries: [changeEntry({ reason: inline('r42') })] });
  expect(page.offers).toEqual([
    { label: 'Export', args: ['changes', 'export', live.id, '--since=2026-02-27T12:00:00Z'] },
    { label: 'Error log', args: ['logs', live.id, 'error', '--since=2026-02-27T12:00:00Z'] },
  ]);
});
