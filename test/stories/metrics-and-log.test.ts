import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { parse as parseYaml } from 'yaml';
import { z } from 'zod';
import { catalogue } from '../../src/commands/index.ts';
import { freePort } from '../../src/playground/paths-and-ports.ts';
import { parse } from '../../src/language/parse.ts';
import { inScenario, openScenario, patienceMs, type Scenario } from './scenario.ts';

/** What somebody who runs the bot sees of it: the metrics, the alerts that are made of them, and one request in the log. */

const folder = mkdtempSync(join(tmpdir(), 'sitehand-metrics-'));
let scenario: Scenario;
let metrics: string;
beforeAll(async () => {
  metrics = `http://127.0.0.1:${await freePort()}/metrics`;
  scenario = await openScenario({
    environment: { METRICS_PORT: new URL(metrics).port, AUDIT_OUT: `file:${join(folder, 'trail.jsonl')}` },
    hosting: { durations: { 'environments:push': 0, 'cache:clear': 0 } },
  });
});
afterAll(async () => {
  await scenario.close();
  rmSync(folder, { recursive: true });
});

/** One line of `/metrics`. */
type Series = { readonly name: string; readonly labels: Readonly<Record<string, string>>; readonly value: number };

async function scrape(): Promise<readonly Series[]> {
  const text = await (await fetch(metrics)).text();
  return text.split('\n').flatMap((line) => {
    const [, name, labels = '', value] = /^([a-z_]+)(?:\{(.*)\})? (\S+)$/.exec(line) ?? [];
    if (name === undefined) return [];
    const pairs = [...labels.matchAll(/(\w+)="([^"]*)"/g)].map(([, label = '', said = '']) => [label, said] as const);
    return [{ name, labels: Object.fromEntries(pairs), value: Number(value) }];
  });
}

const valueOf = (all: readonly Series[], name: string, labels: Readonly<Record<string, string>> = {}) =>
  all.find((one) => one.name === name && Object.entries(labels).every(([label, said]) => one.labels[label] === said))
    ?.value;

const detailsOf = (event: string, change: number) =>
  z
    .looseObject({ request: z.string().regex(/^r-[\da-f]{10}$/) })
    .parse(
      JSON.parse(
        String(
          scenario.rows('select details from audit where event = ? and change = ?', event, change)[0]?.['details'],
        ),
      ),
    );
const logged = (message: string) =>
  scenario
    .log()
    .split('\n')
    .filter((line) => line.endsWith(`"msg":"${message}"}`))
    .map((line) => z.record(z.string(), z.unknown()).parse(JSON.parse(line)));

test('one id leads from the click to the log, the audit trail and the request to the host', async () => {
  const cleared = await scenario.person('ana').asks('/site cache clear acme-shop/live');
  await cleared.shows('Done after');
  const { request } = detailsOf('asked', cleared.number);
  expect(logged('acked a delivery').filter((line) => line['request'] === request)).toEqual([
    expect.objectContaining({ kind: 'command' }),
  ]);
  const [answer, ...others] = logged('the result of a write');
  expect(answer).toMatchObject({ request, change: cleared.number, outcome: { kind: 'accepted' } });
  expect(others).toEqual([]);
  expect(scenario.writes().map(({ headers }) => headers['x-request-id'])).toEqual([request]);
  await vi.waitFor(
    () =>
      expect(logged('worked on a delivery').find((line) => line['request'] === request)).toMatchObject({
        work: 'reading a command',
        outcome: 'done',
      }),
    { timeout: patienceMs },
  );
});

test('the click that decides has an id of its own, in the line of the trail', async () => {
  const push = await scenario.person('ana').requests('/site push acme-shop/staging acme-shop/live --database');
  const asked = detailsOf('asked', push.number).request;
  await scenario.person('chi').clicks(await push.shows('Approve'), 'Approve');
  await push.tells('Approved by');
  const { request } = detailsOf('approve', push.number);
  expect(request).not.toBe(asked);
  const kinds = logged('acked a delivery').filter((line) => [asked, request].includes(String(line['request'])));
  expect(kinds.map(({ kind }) => kind)).toEqual(['form', 'button']);
});

test(
  'a person who is told of an error of ours gets the id that finds it in the log',
  inScenario({}, async (own) => {
    own.runSql('alter table timers rename to timers_away');
    const said = await own.person('ana').says('/site timers');
    const { text } = await said.hears('Something broke on my side');
    const [request = ''] = /r-[\da-f]{10}/.exec(text) ?? [];
    const lines = own.log().split('\n');
    expect(lines.filter((line) => line.includes(`"request":"${request}"`) && line.includes('"err":'))).toHaveLength(1);
    expect(lines.some((line) => line.includes(`"request":"${request}"`) && line.includes('acked a delivery'))).toBe(
      true,
    );
  }),
);

test(
  'a delivery that could not be saved is in the log under the id with which it was acked',
  inScenario({}, async (own) => {
    own.runSql('alter table inbox rename to inbox_away');
    const said = await own.person('ana').says('/site pause');
    await said.hears('nothing was done');
    const lines = own.log().split('\n');
    const failed = lines.find((line) => line.includes('could not save a delivery')) ?? '';
    const [, request = ''] = /"request":"(r-[\da-f]{10})"/.exec(failed) ?? [];
    const acked = lines.find((line) => line.includes('acked a delivery'));
    expect(acked).toContain(`"request":"${request}"`);
    expect(request).not.toBe('');
  }),
);

test('completed work is counted, and waiting work is measured', async () => {
  const said = await scenario.person('rob').says('/site cache clear acme-shop/live');
  await said.hears('You may not run');
  const all = await scrape();
  expect(valueOf(all, 'sitehand_database_up')).toBe(1);
  expect(valueOf(all, 'sitehand_sends_total', { outcome: 'accepted' })).toBeGreaterThanOrEqual(1);
  expect(valueOf(all, 'sitehand_sends_total', { outcome: 'unknown' })).toBe(0);
  expect(valueOf(all, 'sitehand_commands_total', { command: 'cache clear', outcome: 'saved' })).toBe(1);
  expect(valueOf(all, 'sitehand_commands_total', { command: 'cache clear', outcome: 'refused' })).toBe(1);
  expect(valueOf(all, 'sitehand_commands_total', { command: 'push', outcome: 'reviewed' })).toBe(1);
  expect(valueOf(all, 'sitehand_changes', { state: 'unknown' })).toBe(0);
  expect(valueOf(all, 'sitehand_oldest_seconds', { queue: 'changes' })).toBeLessThan(60);
  expect(valueOf(all, 'sitehand_sending_paused', { scope: 'all' })).toBe(0);
  expect(valueOf(all, 'sitehand_places', { for: 'reports', state: 'free' })).toBe(6);
  expect(valueOf(all, 'sitehand_database_transaction_seconds_count')).toBeGreaterThan(5);
  expect(valueOf(all, 'sitehand_policy_broken')).toBe(0);
  expect(valueOf(all, 'sitehand_faults_total')).toBe(0);
  const names = new Set(['ana', 'Ana', 'acme-shop', 'acme-shop/live', 'U01ANA']);
  expect(all.filter(({ labels }) => Object.values(labels).some((said) => names.has(said)))).toEqual([]);
});

test('a log without room: changes go on, lost lines are counted, and the ops channel hears once and once again', async () => {
  const ops = (): readonly string[] =>
    scenario.slack
      .messages({ channel: 'C0OPS', as: 'U03CHI' })
      .map(({ text }) => text)
      .filter((text) => text.includes('my log'));
  scenario.fillLog(true);
  const cleared = await scenario.person('ana').asks('/site cache clear acme-blog/live');
  await cleared.shows('Done after');
  await scenario.slack.until(
    () => ops().some((text) => text.includes("I can't write my log")) || undefined,
    patienceMs,
  );
  expect(valueOf(await scrape(), 'sitehand_log_lost_lines')).toBeGreaterThan(2);
  scenario.fillLog(false);
  await scenario.slack.until(() => ops().some((text) => text.includes('I can write my log')) || undefined, patienceMs);
  expect(ops()).toEqual([expect.stringMatching(/I can write my log on .* again\. It lacks \d+ lines\./)]);
  expect(logged('lines of this log could not be written and are lost')).toEqual([
    expect.objectContaining({ why: 'ENOSPC' }),
  ]);
});

const rowsOf = (page: string): readonly (readonly [string, string])[] =>
  [...page.matchAll(/^\| `(sitehand_[a-z_]+)` \|([^|]*)\|/gm)].map(([, name = '', labels = '']) => [
    name,
    [...labels.matchAll(/`(\w+)`/g)].map(([, label]) => label).join(),
  ]);

/** The metric that a series belongs to: a histogram has three series. */
const metricOf = (name: string): string => name.replace(/_(bucket|sum|count)$/, '');

test('monitoring.md names every metric with its labels, and no other', async () => {
  const found = new Map<string, string>();
  for (const { name, labels } of await scrape())
    if (name.startsWith('sitehand_'))
      found.set(
        metricOf(name),
        Object.keys(labels)
          .filter((label) => label !== 'le')
          .join(),
      );
  expect(Object.fromEntries(rowsOf(readFileSync('docs/monitoring.md', 'utf8')))).toEqual(Object.fromEntries(found));
});

test('every alert uses existing metrics, labels and values, and advises with existing commands', async () => {
  const rule = z.object({
    alert: z.string(),
    expr: z.string(),
    annotations: z.object({ summary: z.string(), action: z.string() }),
  });
  const { groups } = z
    .object({ groups: z.array(z.object({ rules: z.array(rule) })) })
    .parse(parseYaml(readFileSync('deploy/alerts.yml', 'utf8')));
  const all = await scrape();
  const rules = groups.flatMap((group) => group.rules);
  expect(rules.length).toBeGreaterThan(10);
  for (const { alert, expr, annotations } of rules) {
    const selectors = [...expr.matchAll(/(sitehand_[a-z_]+)(?:\{([^}]*)\})?/g)];
    expect(selectors.length).toBeGreaterThan(0);
    for (const [, name = '', matchers = ''] of selectors) {
      const series = all.filter((one) => one.name === name);
      expect(series, `${alert}: ${name}`).not.toEqual([]);
      const labels = new Set(series.flatMap((one) => Object.keys(one.labels)));
      for (const [, label = '', operator = '', values = ''] of matchers.matchAll(/(\w+)([=!]~?)"([^"]*)"/g)) {
        expect(labels, `${alert}: ${name}`).toContain(label);
        const known = new Set(series.map((one) => one.labels[label]));
        for (const value of values.split('|'))
          if (!operator.startsWith('!')) expect(known, `${alert}: ${name}`).toContain(value);
      }
      const grouped = [...expr.matchAll(/by \((\w+)\)/g)].map(([, label = '']) => label);
      for (const label of grouped) expect(labels, `${alert}: ${name}`).toContain(label);
    }
    for (const [, line = ''] of `${annotations.summary} ${annotations.action}`.matchAll(
      /\/site ([a-z ]+?)(?= says| names| ends|\.)/g,
    ))
      expect(parse(line, catalogue)).toBeDefined();
  }
});
