import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { FaultRequest } from '../../src/playground/hosting/faults.ts';
import { openScenario, patienceMs, type Scenario } from './scenario.ts';
import type { Words } from './people.ts';

/** How the host answers a write, and what the thread then says. There is one write in each case. */
type Case = { readonly fault: FaultRequest; readonly state: string; readonly says: Words };

const hostile = 'No <!channel> <@U03CHI> *today*';
const data = { errors: ['environment is in maintenance'], sftp_password: 'hunter22x' };
const quoted = `It says: “${hostile} · environment is in maintenance · sftp_password: ***”.`;

const unknown = (fault: FaultRequest, says: Words = /⚠️ @\w+ Outcome unknown\. I sent it at/): Case => ({
  fault,
  state: 'unknown',
  says,
});
/** With words of the host. */
const explained = (
  status: number,
  body: Readonly<Record<string, unknown>>,
  why = `the host answered ${status}`,
): Case =>
  unknown({ kind: 'status', status, body: { message: hostile, data, ...body } }, `and ${why}. ${quoted} It may or may`);
const contradicting = (status: number, body: Readonly<Record<string, unknown>>, code: string): Case =>
  explained(status, body, `the host answered ${status}, but its body says ${code}`);
const accepted = (fault: FaultRequest, as = '.'): Case => ({
  fault,
  state: 'accepted',
  says: `☑️ Accepted by the host${as}`,
});
const unread = ", but I couldn't read its answer. This cannot be verified from here.";
const rejected = (status: number, says: string): Case => ({
  fault: { kind: 'status', status, body: { message: hostile, status, data } },
  state: 'rejected',
  says: `❌ The host rejected it (${status}: ${says}). Nothing was changed. ${quoted}`,
});

const cases: Readonly<Record<string, Case>> = {
  'answers 400': rejected(400, 'bad request'),
  'answers 401': rejected(401, 'unauthorized'),
  'answers 403': rejected(403, 'forbidden'),
  'answers 404': rejected(404, 'not found'),
  'answers 418': rejected(418, "i'm a teapot"),
  'answers 408': unknown({ kind: 'status', status: 408 }),
  'answers 409': explained(409, { status: 409 }),
  'answers 202 about a failure': contradicting(202, { status: 500, operation_id: null }, '500'),
  'answers 200 with an error': contradicting(200, { error: true }, 'error'),
  'answers 302': unknown({ kind: 'status', status: 302, headers: { location: '/v2/sites' } }),
  'answers 307': unknown({ kind: 'status', status: 307, headers: { location: '/v2/sites/tools/clear-cache' } }),
  'answers 500': explained(500, { status: 500 }),
  'answers 500 without a word': unknown({ kind: 'status', status: 500, applied: true }),
  'answers 503 in HTML': unknown({ kind: 'status', status: 503, text: '<h1>Sorry</h1>' }),
  'cuts the wire before it answers': unknown({ kind: 'reset', at: 'before-headers', applied: true }),
  'cuts the wire after the status line': unknown(
    { kind: 'reset', at: 'after-status-line', applied: true },
    /and the host began to answer 202, but the connection was reset before a whole answer\. It may or may/,
  ),
  'cuts the wire after the headers of a 202': accepted({ kind: 'reset', at: 'after-headers', applied: true }),
  'cuts the wire in the body of a 202': accepted({ kind: 'reset', at: 'mid-body', applied: true }, unread),
  'answers 202 in broken JSON': accepted({ kind: 'broken-json', applied: true }, unread),
  'answers 202 without an operation': accepted({ kind: 'odd-202', shape: 'no-id', applied: true }),
  'answers 202 with a number for an operation': accepted({ kind: 'odd-202', shape: 'number-id', applied: true }),
  'answers 202 without a body': accepted({ kind: 'odd-202', shape: 'no-body', applied: true }),
  'answers 200': accepted({ kind: 'odd-202', shape: 'answered-200', applied: true }),
  'answers 204': accepted({ kind: 'status', status: 204, applied: true }),
};
const policy = `
version: 1
groups: { all: [U01ANA, U02BEN, U03CHI, U04DEE, U05FAY] }
rules: [{ allow: [read, routine], to: [all] }]
`;
/** Several channels, because Slack takes one message a second in each. */
const places = [
  ['ana', 'C0ACME'],
  ['ana', 'C0GENERAL'],
  ['ana', 'G0BAKERY'],
  ['ana', 'D0U01ANA'],
  ['ben', 'D0U02BEN'],
  ['chi', 'D0U03CHI'],
  ['dee', 'D0U04DEE'],
  ['fay', 'D0U05FAY'],
] as const;

describe('promise 2: the host, asked to clear a cache,', () => {
  let scenario: Scenario;
  beforeAll(async () => {
    scenario = await openScenario({ policy, hosting: { optional: { operations: false } } });
    for (const [index, { fault }] of Object.values(cases).entries()) {
      scenario.hosting.faults.add({ ...fault, method: 'POST' });
      const [person, channel] = places[index % places.length] ?? places[0];
      await scenario.person(person).says('/site cache clear acme-shop/staging', channel);
      await scenario.hosting.until(() => scenario.writes()[index], patienceMs);
    }
  });
  afterAll(() => scenario.close());

  const followsSince = (number: number, since: number): Promise<void> =>
    vi.waitFor(
      () => {
        scenario.runSql(
          `update changes set poll_state = json_set(poll_state, '$.since', ?), due_at = 1
            where number = ? and owner is null and poll_state is not null and settled_at is null`,
          since,
          number,
        );
        expect(scenario.rows('select 1 from changes where number = ? and settled_at is not null', number)).toHaveLength(
          1,
        );
      },
      { timeout: patienceMs, interval: 50 },
    );

  test.concurrent.each(Object.entries(cases).map(([name, told], index) => ({ name, ...told, number: index + 1 })))(
    '$name: $state',
    async ({ number, state, says }) => {
      const change = await scenario.change(number, places[(number - 1) % places.length]?.[0]);
      // An operation that the host does not know is given up after a minute; this ends that minute.
      if (state === 'accepted') await followsSince(number, 0);
      await change.tells(says);
      if (state === 'unknown' && typeof says === 'string') await change.shows(says);
      expect(scenario.rows('select state from changes where number = ?', number)).toEqual([{ state }]);
    },
  );

  test('the story of such a change has the host’s words, and so has its record', async () => {
    const number = Object.keys(cases).indexOf('answers 409') + 1;
    const ana = scenario.person('ana');
    const told = await (await ana.says(`/site change ${number}`, 'D0U01ANA')).hears(`#${number}`);
    expect(told.text).toContain(`the host answered 409. ${quoted}`);
    expect(told.text).not.toContain('hunter22x');
    const [line] = scenario.rows("select details from audit where change = ? and event = 'outcome_lost'", number);
    expect(String(line?.['details'])).toContain('environment is in maintenance');
  });

  test('and each of them was written once, whatever the outcome', () => {
    expect(scenario.writes()).toHaveLength(Object.keys(cases).length);
  });
});
