import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { Environment } from '../../src/playground/hosting/resources.ts';
import type { VisibleMessage } from '../../src/playground/slack/person-view.ts';
import { expectSoon } from './people.ts';
import { ids, openScenario, patienceMs, type Scenario } from './scenario.ts';

const [second, minute, hour] = [1_000, 60_000, 3_600_000];

/** A line of php-fpm, so long ago. */
const entry = (agoMs: number, message: string): string => {
  const at = new Date(Date.now() - agoMs);
  const [, day, month, year, time] = /^\w+, (\d+) (\w+) (\d+) ([\d:]+)/.exec(at.toUTCString()) ?? [];
  return `[${day}-${month}-${year} ${time} UTC] ${message}`;
};
const fatal = (agoMs: number, what: string): string =>
  entry(agoMs, `PHP Fatal error:  Uncaught Error: ${what} in /www/public/a/b.php:3`);
/** Shows that the log goes back more than 24 hours. */
const old = fatal(30 * hour, 'something else');

/** A watch that was started an hour ago, and what its host and its channel hold. */
type Watched = {
  readonly number: number;
  /** Replaces the log. */
  readonly logs: (...lines: readonly string[]) => void;
  readonly fails: () => void;
  /** Makes it due, and resolves when that look is over. */
  readonly looks: () => Promise<void>;
  readonly said: () => readonly string[];
  readonly says: (words: RegExp) => Promise<VisibleMessage>;
  readonly column: (name: string) => unknown;
};

const logsPath = ({ id }: Environment): string => `/sites/environments/${id}/logs`;

/** The log of an environment, as the stand-in answers from now on. */
function logOf({ hosting }: Scenario, name: string) {
  const env = hosting.world.environmentNamed(name);
  if (env === undefined) throw new Error(`no ${name}`);
  const path = logsPath(env);
  let fault: number | undefined;
  const answers = (with_: { status: number; body?: unknown }): void => {
    if (fault !== undefined) hosting.faults.remove(fault);
    fault = hosting.faults.add({ kind: 'status', method: 'GET', path, times: 'always', ...with_ }).id;
  };
  return {
    logs: (...lines: readonly string[]) =>
      answers({
        status: 200,
        body: { environment: { container_info: { logs: lines.map((line) => `${line}\n`).join('') } } },
      }),
    fails: () => answers({ status: 500 }),
  };
}

async function watched(
  scenario: Scenario,
  {
    who = 'ana',
    name = 'acme-shop/live',
    channel = 'C0ACME',
    options = '',
  }: { who?: keyof typeof ids; name?: string; channel?: string; options?: string } = {},
): Promise<Watched> {
  const log = logOf(scenario, name);
  const answer = await scenario.person(who).says(`/site watch ${name} error ${options}`, channel);
  const { text } = await answer.hears(/Watch #\d+ of .* is on/);
  const number = Number(/#(\d+)/.exec(text)?.[1]);
  const column = (of: string): unknown =>
    scenario.rows(`select ${of} as it from watches where id = ?`, number)[0]?.['it'];
  const began = Date.now() - hour;
  scenario.rewrite('update watches set created_at = ?, read_to = ? where id = ?', began, began, number);
  const heard = (): readonly VisibleMessage[] =>
    scenario.slack.messages({ channel, as: ids.ana }).filter((one) => !one.ephemeral);
  return {
    number,
    ...log,
    column,
    looks: async () => {
      scenario.rewrite('update watches set due_at = 1, tried_at = null where id = ? and ended_at is null', number);
      await vi.waitFor(() => expect([column('due_at'), column('owner')]).not.toEqual([1, null]), waiting);
      await vi.waitFor(() => expect(column('owner')).toBeNull(), waiting);
    },
    said: () => heard().map((one) => one.text),
    says: (words) => expectSoon(scenario.slack, `${words}`, () => heard().find((one) => words.test(one.text)), heard),
  };
}
const waiting = { timeout: patienceMs, interval: 50 };

let scenario: Scenario;
beforeAll(async () => {
  scenario = await openScenario();
});
afterAll(() => scenario.close());

describe.concurrent('a watch', () => {
  test('tells a new kind once, with its count and first line, and is silent about known ones', async () => {
    const watch = await watched(scenario);
    await watch.says(/Ana watches the error log of acme-shop\/live here/);
    watch.logs(
      old,
      fatal(20 * hour, 'known'),
      fatal(5 * minute, 'known'),
      fatal(4 * minute, 'order 7 lost'),
      fatal(3 * minute, 'order 8 lost'),
    );
    await watch.looks();
    const told = await watch.says(/1 new kind of errors in acme-shop\/live, not seen in the 24 hours before/);
    expect(told.text).toContain('2×');
    expect(told.text).toContain('order 7 lost');
    expect(told.text).not.toContain('known in');
    watch.logs(
      old,
      fatal(4 * minute, 'order 7 lost'),
      fatal(30 * second, 'order 9 lost'),
      entry(20 * second, 'PHP Warning:  quiet in /www/a/b.php'),
    );
    await watch.looks();
    watch.logs(old, fatal(4 * minute, 'order 7 lost'), fatal(10 * second, 'entirely other'));
    await watch.looks();
    await watch.says(/entirely other/);
    expect(watch.said().filter((text) => /new kind/.test(text) && text.includes('#' + watch.number))).toHaveLength(2);
    expect(watch.said().join('\n')).not.toContain('quiet in');
  });
});
