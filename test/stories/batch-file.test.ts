import { describe, expect, test } from 'vitest';
import { recordsOf } from '../cells.ts';
import { address, submitBatch, carePlan, eventually, policy } from './batch.ts';
import { inScenario, patienceMs, type Scenario } from './scenario.ts';
import type { ChangeThread, TestUser } from './people.ts';

/** The file with all lines of a batch: when it comes, what is in it, and what happens if it cannot. */

const clear = '/site cache clear set:care-plan';

/** The one file that a person can see, once it is there. */
async function fileFor({ slack }: Scenario, { id }: TestUser) {
  const found = await slack.until(() => (slack.files(id).length > 0 ? slack.files(id) : undefined), patienceMs);
  expect(found).toHaveLength(1);
  return { name: found[0]?.name, records: recordsOf(found[0]?.text ?? '') };
}
const uploads = ({ slack }: Scenario): number =>
  slack.calls().filter(({ method }) => method === 'files.completeUploadExternal').length;
const last = (card: ChangeThread) => card.replies().at(-1);

describe.concurrent('the file of a batch', () => {
  test(
    'is on its last reply, with a line for each environment that agrees with the host and the card',
    inScenario({ policy }, async (scenario) => {
      const [ana, chi, gus] = [scenario.person('ana'), scenario.person('chi'), scenario.person('gus')];
      await (await chi.says('/site lock acme-docs/live =SUM(1)')).hears('locked');
      scenario.hosting.faults.add({ kind: 'status', status: 422, method: 'POST', skip: 2, times: 1 });
      const card = await submitBatch(ana, '/site cache clear acme-*/*,harbor-events/live');
      await card.tells('did not end well');
      await card.shows('[End it]');
      // It may go on yet, so not all lines are final.
      expect(scenario.slack.files(ana.id)).toEqual([]);
      await ana.clicks(card.card(), 'End it');
      await card.tells(`change ${card.number} lists each one.`);
      const { name, records } = await fileFor(scenario, ana);
      expect(name).toBe(`batch-${card.number}.csv`);
      expect(last(card)).toMatchObject({ files: [name] });
      expect(scenario.slack.files(gus.id)).toHaveLength(1);
      const [head, ...rows] = records;
      expect(head).toEqual(['environment', 'change', 'state', 'outcome', 'sent at (UTC)', 'decided by']);
      const kept = scenario.rows('select number, target_name, sent_at from changes where batch = ?', card.number);
      const nameOf = (id: unknown): unknown => kept.find(({ number }) => number === id)?.['target_name'];
      expect(new Set(rows.map(([env]) => env))).toEqual(
        new Set(
          ['blog', 'docs', 'shop']
            .flatMap((site) => [`acme-${site}/live`, `acme-${site}/staging`])
            .concat('harbor-events/live'),
        ),
      );
      for (const [env, number, state, outcome, sent, by] of rows) {
        const writes = scenario.writes(env);
        expect({ env, state, by }).toEqual({
          env,
          state:
            writes[0]?.status === 422
              ? 'failed'
              : writes.length > 0
                ? 'done'
                : env === 'acme-docs/live'
                  ? 'not sent'
                  : 'to do',
          by: 'Ana (U01ANA)',
        });
        if (number !== '') expect(nameOf(Number(number))).toBe(env);
        expect(sent === '').toBe(writes.length === 0);
        if (state === 'failed') expect(outcome).toContain('The host rejected it (422: unprocessable entity)');
        if (state === 'not sent') expect(outcome).toMatch(/^acme-docs\/live is locked by U03CHI .*=SUM\(1\)/);
        if (sent)
          expect(Math.abs(Date.parse(`${sent.replace(' ', 'T')}Z`) - (writes[0]?.at ?? 0))).toBeLessThan(60_000);
      }
      expect(rows).toHaveLength(7);
      for (const end of ['done', 'failed', 'not sent']) expect(rows.map(([, , state]) => state)).toContain(end);
      await card.shows(`${rows.filter(([, , state]) => state === 'done').length} of 7 done · 1 failed · 1 not sent`);
      expect(card.replies().length).toBeLessThanOrEqual(3);
      // As it would be if an older Sitehand had queued it and a change of the batch were closed now.
      const ended = `${card.number}:ended`;
      const isDrawn = () => scenario.rows('select 1 from messages where key = ? and due_at is null', ended).length > 0;
      await eventually(scenario, 'the file to be noted', isDrawn);
      scenario.runSql('update messages set version = version + 1, due_at = 1 where key = ?', ended);
      await eventually(scenario, 'the reply to be drawn again', isDrawn);
      expect(uploads(scenario)).toBe(1);
    }),
  );

  test(
    'names who approved it; a batch that never began has none',
    inScenario({ policy }, async (scenario) => {
      const [ana, chi] = [scenario.person('ana'), scenario.person('chi')];
      const none = await submitBatch(ana, `/site allowlist add set:care-plan ${address}`);
      await ana.clicks(none.card(), 'Cancel');
      await scenario.becomes(none.number, 'cancelled');
      const card = await submitBatch(ana, `/site allowlist add set:care-plan ${address}`);
      await chi.clicks(card.card(), 'Approve');
      await card.tells('All are done.');
      const { records } = await fileFor(scenario, ana);
      expect(records.slice(1).map(([env, , state, , , by]) => [env, state, by])).toEqual(
        carePlan.map((env) => [env, 'done', 'Chi (U03CHI)']),
      );
    }),
  );

  test.each([
    ['the app lacks the scope', { method: 'files.getUploadURLExternal', kind: 'error', error: 'missing_scope' }],
    ['the server takes no files', { method: 'files.getUploadURLExternal', kind: 'off' }],
    [
      'the workspace allows no files',
      { method: 'files.completeUploadExternal', kind: 'error', error: 'file_uploads_disabled' },
    ],
  ] as const)('is left out if %s: the reply says where all lines are, and the work goes on', (_, fault) =>
    inScenario({ policy }, async (scenario) => {
      const ana = scenario.person('ana');
      scenario.slack.faults.add(fault);
      const card = await submitBatch(ana, clear);
      await card.tells(`change ${card.number} lists each one.`);
      await eventually(
        scenario,
        'the file to be given up',
        () =>
          scenario.rows(`select 1 from messages where key = ? and due_at is null`, `${card.number}:ended`).length > 0,
      );
      expect(scenario.log()).toContain(`attaching the file to ${card.number}:ended`);
      expect(scenario.slack.files(ana.id)).toEqual([]);
      expect(card.replies()).toHaveLength(1);
      const next = await ana.asks('/site cache clear acme-shop/live');
      await scenario.becomes(next.number, 'done');
    })(),
  );

  test.each([
    ['Slack limits uploads for minutes', { kind: 'rate_limited', retryAfter: '300' }],
    ['its upload is refused as if the token were wrong', { kind: 'error', error: 'invalid_auth' }],
  ] as const)('holds up nothing else if %s', (_, fault) =>
    inScenario({ policy }, async (scenario) => {
      const ana = scenario.person('ana');
      scenario.slack.faults.add({ method: 'files.getUploadURLExternal', ...fault });
      const card = await submitBatch(ana, clear);
      await card.tells('All are done.');
      const attempts = () =>
        scenario.rows('select attempts from messages where key = ?', `${card.number}:ended`)[0]?.['attempts'];
      await eventually(scenario, 'the file to be put off', () => Number(attempts()) > 0);
      const next = await ana.asks('/site cache clear acme-shop/live');
      await next.shows('Done after');
      expect(scenario.log()).not.toContain('no longer accepts the bot token');
      expect(scenario.slack.files(ana.id)).toEqual([]);
    })(),
  );

  test(
    'comes once if Sitehand is killed between the reply and the file',
    inScenario({ policy, ownProcess: 'the first' }, async (scenario) => {
      const ana = scenario.person('ana');
      const fault = scenario.slack.faults.add({ method: 'upload', kind: 'status', status: 503 });
      const card = await submitBatch(ana, clear);
      await card.tells('All are done.');
      await scenario.slack.until(
        () => scenario.slack.calls().find(({ method }) => method === 'files.getUploadURLExternal'),
        patienceMs,
      );
      await scenario.kill();
      scenario.slack.faults.remove(fault.id);
      expect(scenario.slack.files(ana.id)).toEqual([]);
      await scenario.start();
      const { records } = await fileFor(scenario, ana);
      expect(records).toHaveLength(5);
      expect(last(card)).toMatchObject({ files: [`batch-${card.number}.csv`] });
      expect(card.replies()).toHaveLength(1);
      expect(uploads(scenario)).toBe(1);
    }),
  );
});
