import { expect, it, test } from 'vitest';
import { z } from 'zod';
import type { Environment } from '../../src/hosting/contract/target.ts';
import { createChangeStore } from '../../src/change/change-store.ts';
import { sentTo, changesFor } from '../../src/talk/changes-pages.ts';
import { readerOf } from '../../src/access/visibility.ts';
import { entriesOf, exportFile, trailFor, trailSince, wholeTrail, type Entry } from '../../src/audit/audit-query.ts';
import { auditExportPage } from '../../src/talk/audit-pages.ts';
import type { Person } from '../../src/access/access-check.ts';
import { appendAudit, listAudit, type AuditEntry } from '../../src/storage/audit.ts';
import { unreviewed, type NewChange } from '../../src/storage/changes.ts';
import type { Database } from '../../src/storage/database.ts';
import type { PipelineContext } from '../../src/talk/context.ts';
import type { Policy } from '../../src/policy/rules.ts';
import { verifyAudit } from '../../src/storage/verify.ts';
import { plain } from '../../src/words/text.ts';
import { describeBoth } from '../storage/describe-both.ts';
import { save } from '../storage/samples.ts';
import {
  askingFor,
  ana,
  blog,
  changeOf,
  company,
  environment,
  live,
  names,
  policyOf,
  staging,
  contextWith,
} from '../fixtures.ts';

const chi: Person = { ...ana, id: 'U03CHI', name: 'Chi' };
const all = policyOf('{ allow: [read, audit], to: [developers, leads] }');
const shopOnly = policyOf(
  '{ allow: [read], to: [developers, leads] }',
  '{ allow: [audit], to: [leads], where: ["acme-shop/*"] }',
);
const contextFor = (policy: Policy, more: Partial<PipelineContext> = {}): PipelineContext =>
  contextWith({ policy: () => policy, company: () => company, names: () => names, ...more });
const everything = () => true;

const add = (database: Database, entry: Partial<AuditEntry>) =>
  database.transaction((tx) =>
    appendAudit(tx, { at: 1, change: null, event: 'pause', actor: ana.id, details: '{}', ...entry }, undefined),
  );

const about = (env: Environment): Partial<NewChange> => ({
  target: `environment:${env.id}`,
  target_name: env.name,
  targets: JSON.stringify([env]),
  card: changeOf().card,
});

/** A change with the audit lines of a request, two approvals and acceptance. */
async function saveTrail(database: Database, env: Environment): Promise<number> {
  const { number } = await save(database, about(env));
  const target = env.name;
  const authorization = JSON.stringify({ approval: 'none', rules: [7, 9], policy: 'c0ffee'.repeat(10) });
  const place = { target, target_key: `environment:${env.id}` };
  const asked = { ...place, name: 'Ana', reason: 'release 42', fingerprint: 'f00d'.repeat(16), authorization };
  const lines: Partial<AuditEntry>[] = [
    { event: 'asked', details: JSON.stringify(asked) },
    { event: 'vote', actor: chi.id, details: JSON.stringify({ ...place, name: 'Chi' }) },
    { event: 'approve', actor: 'U04DEE', details: JSON.stringify({ ...place, name: 'Dee' }) },
    {
      event: 'accept',
      actor: 'sitehand',
      details: JSON.stringify({ ...place, receipt: { kind: 'accepted', status: 202, operation: 'op-1' } }),
    },
  ];
  for (const line of lines) await add(database, { change: number, ...line });
  return number;
}

describeBoth('reading the audit trail', (open) => {
  it('shows for each line who did it, why, by which rules, with whose approval, and the outcome', async () => {
    const database = await open();
    const number = await saveTrail(database, live);
    const { lines, more } = await trailFor(database.db, everything, {
      env: undefined,
      since: undefined,
      by: undefined,
    });
    expect(more).toBe(false);
    expect(lines.map(({ seq }) => seq)).toEqual([4, 3, 2, 1]);
    const [accepted, approved, voted, asked] = lines;
    const authorization = { change: number, target: live.name, rules: [7, 9], fingerprint: 'f00d'.repeat(16) };
    expect(asked).toMatchObject({
      ...authorization,
      actor: ana.id,
      name: 'Ana',
      says: 'asked for it',
      reason: 'release 42',
      approvers: [],
    });
    expect(voted).toMatchObject({ ...authorization, name: 'Chi', approvers: ['Chi'] });
    expect(approved).toMatchObject({ ...authorization, name: 'Dee', approvers: ['Chi', 'Dee'] });
    expect(accepted).toMatchObject({
      ...authorization,
      actor: 'sitehand',
      receipt: 'accepted 202 op-1',
      approvers: ['Chi', 'Dee'],
    });
  });

  it('exports with each line of a change what it skipped in an emergency, and that nobody has reviewed it', async () => {
    const database = await open();
    await saveTrail(database, live);
    const authorization = JSON.stringify({ rules: [7], breakGlass: { approval: true, freezes: ['weekend'] } });
    const sent = { ...about(live), authorization, sent_at: 2, settled_at: 3, state: 'done', post_review: unreviewed };
    const { number } = await save(database, { ...sent, state: 'done' });
    await add(database, { change: number, event: 'break_glass', actor: 'sitehand' });
    const { content } = await exportFile(database, everything, 'jsonl', undefined);
    const lines = content
      .trim()
      .split('\n')
      .map((line) => z.object({ break_glass: z.string().optional() }).parse(JSON.parse(line)));
    const skipped = 'sent without approval and in spite of the freeze weekend; nobody has reviewed it yet';
    expect(lines.map((line) => line.break_glass)).toEqual([undefined, undefined, undefined, undefined, skipped]);
  });

  it('shows only lines of targets that the person may audit; admin actions count by their target', async () => {
    const database = await open();
    await saveTrail(database, live);
    await saveTrail(database, blog);
    const key = (env: Environment) => JSON.stringify({ target: env.name, targets: [{ ...env, site: env.site?.name }] });
    await add(database, { event: 'lock', details: key(live) });
    await add(database, { event: 'lock', details: key(blog) });
    await add(database, { event: 'pause' });
    await add(database, { event: 'policy', actor: 'sitehand', details: '{"hash":"h","text":"of every place"}' });
    const seen = async (policy: Policy) => {
      const { lines } = await trailFor(database.db, readerOf(contextFor(policy), chi, 'audit'), {
        env: undefined,
        since: undefined,
        by: undefined,
      });
      return lines.map(({ target }) => target);
    };
    expect(await seen(all)).toHaveLength(12);
    const some = await seen(shopOnly);
    expect(some.filter((target) => target === live.name)).toHaveLength(5);
    // Neither the pause nor the policy: they are about the company.
    expect(some).toHaveLength(5);
    expect(some).not.toContain(blog.name);
  });

  it('can be filtered by environment, with its locks, by person, and by time', async () => {
    const database = await open();
    const number = await saveTrail(database, live);
    await saveTrail(database, blog);
    const key = JSON.stringify({ name: 'Chi', target: live.name, target_key: `environment:${live.id}` });
    await add(database, { event: 'lock', actor: chi.id, at: 50, details: key });
    const seen = async (filter: object) => {
      const wanted = { env: undefined, since: undefined, by: undefined, ...filter };
      return (await trailFor(database.db, everything, wanted)).lines.map(({ says, change }) => [says, change]);
    };
    expect(await seen({ env: live })).toEqual([
      ['locked it', undefined],
      ['the host accepted it', number],
      ['approved it', number],
      ['approved it; more are needed', number],
      ['asked for it', number],
    ]);
    expect(await seen({ env: staging })).toEqual([]);
    expect(await seen({ env: live, by: chi.id })).toEqual([
      ['locked it', undefined],
      ['approved it; more are needed', number],
    ]);
    expect(await seen({ since: 50 })).toEqual([['locked it', undefined]]);
    expect(await seen({ since: 51 })).toEqual([]);
  });

  it('limits a long list, and says so', async () => {
    const database = await open();
    const rows = Array.from({ length: 1_201 }, (_, at) => {
      const [seq, chain] = [at + 1, { previous: `p${at}`, hash: `h${at}` }];
      return { seq, at: seq, change: null, event: 'pause', actor: ana.id, details: '{}', ...chain };
    });
    await database.db.insertInto('audit').values(rows).execute();
    const list = await trailFor(database.db, everything, { env: undefined, since: undefined, by: undefined });
    expect([list.lines.length, list.lines[0]?.seq, list.more]).toEqual([200, 1_201, true]);
    const seqs = async (pieces: AsyncGenerator<readonly Entry[]>) => {
      const found: number[] = [];
      for await (const some of pieces) found.push(...some.map(({ seq }) => seq));
      return found;
    };
    expect(await seqs(trailSince(database.db, everything, 700))).toEqual(
      Array.from({ length: 502 }, (_, at) => 1_201 - at),
    );
    expect(await seqs(wholeTrail(database.db, undefined))).toEqual(Array.from({ length: 1_201 }, (_, at) => at + 1));
    expect(await seqs(wholeTrail(database.db, 1_200))).toEqual([1_200, 1_201]);
  });

  it('limits a long list of one environment, and finds its old lines', async () => {
    const database = await open();
    const { number } = await save(database, about(live));
    const other = await save(database, about(blog));
    const details = JSON.stringify({ target_key: `environment:${live.id}`, targets: [live] });
    const rows = Array.from({ length: 1_400 }, (_, at) => {
      const [seq, chain] = [at + 1, { previous: `p${at}`, hash: `h${at}` }];
      const target = `environment:${live.id}`;
      const others = [{ change: other.number }, { change: null, details, target }, { change: null }] as const;
      const of = [{ change: number, target }, ...others][at % 4];
      const actor = at < 8 ? chi.id : ana.id;
      return { seq, at: seq, event: 'pause', actor, change: null, details: '{}', ...of, ...chain };
    });
    await database.db.insertInto('audit').values(rows).execute();
    const seen = async (filter: object, mayRead: (about: { targets: string }) => boolean = everything) => {
      const wanted = { env: live, since: undefined, by: undefined, ...filter };
      const { lines, more } = await trailFor(database.db, mayRead, wanted);
      return [lines.length, lines[0]?.seq, lines.at(-1)?.seq, more];
    };
    expect(await seen({})).toEqual([200, 1_399, 1_001, true]);
    expect(await seen({ since: 1_001 })).toEqual([200, 1_399, 1_001, false]);
    expect(await seen({ since: 1_000 })).toEqual([200, 1_399, 1_001, false]);
    expect(await seen({ since: 999 })).toEqual([200, 1_399, 1_001, true]);
    expect(await seen({ since: 1_399 })).toEqual([1, 1_399, 1_399, false]);
    expect(await seen({ by: chi.id })).toEqual([4, 7, 1, false]);
    expect(await seen({ by: chi.id, since: 5 })).toEqual([2, 7, 5, false]);
    expect(await seen({ env: undefined, by: chi.id })).toEqual([8, 8, 1, false]);
    // Only a quarter of it is readable, so one batch does not fill the list.
    const blogOnly = ({ targets }: { targets: string }) => targets.includes(blog.id);
    expect(await seen({ env: undefined }, blogOnly)).toEqual([200, 1_398, 602, true]);
  });

  it('finds a line of an environment, however many other lines follow', async () => {
    const database = await open();
    const row = (at: number, key: string, actor = ana.id) => {
      const target = `environment:${key}`;
      const details = JSON.stringify({ target_key: target });
      return { seq: at, at, change: null, event: 'lock', actor, details, target, previous: `p${at}`, hash: `h${at}` };
    };
    const rows = Array.from({ length: 6_001 }, (_, at) => row(at + 2, live.id, at < 10 ? chi.id : ana.id));
    for (const some of [[row(1, staging.id)], rows.slice(0, 3_000), rows.slice(3_000)])
      await database.db.insertInto('audit').values(some).execute();
    const seen = async (env: Environment, by?: string) => {
      const { lines, more } = await trailFor(database.db, everything, { env, since: undefined, by });
      return [lines.length, lines[0]?.seq, lines.at(-1)?.seq, more];
    };
    expect(await seen(staging)).toEqual([1, 1, 1, false]);
    expect(await seen(live, chi.id)).toEqual([10, 11, 2, false]);
  });

  it('finds the lines of changes in the same way', async () => {
    const database = await open();
    const changeStore = createChangeStore({ auditKey: undefined, installation: '', onEvent: () => undefined });
    for (let at = 1; at <= 210; at += 1) {
      const change = await save(database, about(live));
      const by = at <= 10 ? chi.id : ana.id;
      await database.transaction((tx) => changeStore.remark(tx, change, 'vote', { by, at }));
    }
    const found = await trailFor(database.db, everything, { env: live, since: undefined, by: chi.id });
    expect([found.lines.length, found.lines[0]?.seq, found.more]).toEqual([10, 10, false]);
    expect(await verifyAudit(database.db, [])).toMatchObject({ kind: 'proven', lines: 210 });
  });

  it('is readable even if somebody has altered its details', async () => {
    const database = await open();
    for (const details of [
      '',
      'no json',
      '[]',
      'null',
      '{"name":7,"authorization":"{","receipt":[1],"target":{}}',
      '{"authorization":{"rules":["x",3]}}',
    ]) {
      await add(database, { details });
    }
    const lines = await listAudit(database.db, { limit: 9 });
    const entries = await entriesOf(database.db, lines, everything);
    expect(entries).toHaveLength(lines.length);
    expect(entries[0]?.rules).toEqual([3]);
  });
});

describeBoth('the export of the trail', (open) => {
  it('is for people who may audit, without lines that they may not see, and is itself in the trail', async () => {
    const database = await open({ now: () => Date.parse('2026-03-01T12:00:00Z') });
    const { installation } = database;
    await saveTrail(database, live);
    await saveTrail(database, blog);
    const changeStore = createChangeStore({ auditKey: undefined, installation, onEvent: () => undefined });
    const context = contextFor(shopOnly, { database, changeStore, auditKeys: [] });
    const actor = askingFor(context, chi, 'audit export');
    const exported = await auditExportPage(context, actor, { format: 'jsonl', since: undefined });
    expect(plain(exported.title)).toBe('Audit trail as a file · 4 lines');
    expect(exported.file?.name).toBe('audit-trail-2026-03-01.jsonl');
    const rows = exported.file?.content
      .trimEnd()
      .split('\n')
      .map((line): unknown => JSON.parse(line));
    expect(rows).toMatchObject([{ line: 1 }, { line: 2 }, { line: 3 }, { line: 4, receipt: 'accepted 202 op-1' }]);
    const [line] = await listAudit(database.db, { limit: 1 });
    expect(line).toMatchObject({ event: 'audit_export', actor: chi.id });
    expect(JSON.parse(line?.details ?? '')).toEqual({ name: 'Chi', format: 'jsonl', lines: 4 });
    expect(await verifyAudit(database.db, [])).toMatchObject({ kind: 'proven', lines: 9 });
    const again = await auditExportPage(context, actor, { format: 'csv', since: undefined });
    expect(again.file?.content.split('\r\n')).toHaveLength(1 + 4 + 1);
  });
});

describeBoth('past changes', (open) => {
  it('are listed newest first, filtered by requester and target', async () => {
    const database = await open();
    const old = environment('acme-shop/old', 77);
    const rows = [about(live), about(blog), about(staging), about(old)];
    for (const row of rows) await save(database, row);
    await save(database, { ...about(live), requester: ana.id, state: 'done', settled_at: 9, post_review: unreviewed });
    const list = async (filter: object, policy = all) => {
      const wanted = { env: undefined, mine: false, waiting: false, scheduled: false, unreviewed: false, ...filter };
      const context = contextFor(policy, { database });
      const found = await changesFor(context, askingFor(context, ana, 'changes'), wanted);
      return found.lines.map(({ number }) => number);
    };
    expect(await list({})).toEqual([5, 4, 3, 2, 1]);
    expect(await list({ env: live })).toEqual([5, 1]);
    expect(await list({ mine: true })).toEqual([5]);
    expect(await list({ waiting: true })).toEqual([4, 3, 2, 1]);
    expect(await list({ unreviewed: true })).toEqual([5]);
    expect(await list({ unreviewed: true, waiting: true, env: live })).toEqual([]);
    // The rules are applied to a vanished target by its former name.
    const shopReader = policyOf('{ allow: [read], to: [developers], where: ["acme-shop/*"] }');
    expect(await list({}, shopReader)).toEqual([5, 4, 3, 1]);
    expect(await list({}, policyOf('{ allow: [read], to: [leads] }'))).toEqual([]);
  });

  it('beside a log are only those that its reader may see, also of what they read from', async () => {
    const database = await open();
    const push = { ...about(live), targets: JSON.stringify([live, staging]) };
    await save(database, { ...about(live), state: 'done', sent_at: 5, settled_at: 9 });
    await save(database, { ...push, state: 'done', sent_at: 6, settled_at: 9 });
    const numbers = async (policy: Policy) => {
      const context = contextFor(policy, { database });
      const { sight } = askingFor(context, ana, 'logs');
      return (await sentTo(context, sight.reader('changes'), live, 0)).map(({ number }) => number);
    };
    expect(await numbers(all)).toEqual([1, 2]);
    expect(await numbers(policyOf('{ allow: [read], to: [developers], where: ["*/live"] }'))).toEqual([1]);
  });

  it('are limited in a long list', async () => {
    const database = await open();
    for (let count = 0; count < 102; count += 1) await save(database, about(live));
    const context = contextFor(all, { database });
    const found = await changesFor(context, askingFor(context, ana, 'changes'), {
      env: undefined,
      mine: false,
      waiting: false,
      scheduled: false,
      unreviewed: false,
    });
    expect([found.lines.length, found.lines[0]?.number, found.more]).toEqual([100, 102, true]);
  });
});

test('are shown only if everything they read is readable too, also if it is gone', () => {
  const may = (policy: Policy, ...reads: readonly Environment[]) =>
    readerOf(contextFor(policy), ana)({ targets: JSON.stringify([live, ...reads]) });
  const shop = policyOf('{ allow: [read], to: [developers], where: ["acme-shop/*"] }');
  const oneOnly = policyOf('{ allow: [read], to: [developers], where: ["acme-shop/live"] }');
  expect(may(shop, staging)).toBe(true);
  expect(may(oneOnly, staging)).toBe(false);
  expect(may(oneOnly, { ...staging, id: 'gone' })).toBe(false);
  expect(may(shop, blog)).toBe(false);
  expect(may(all)).toBe(true);
});
