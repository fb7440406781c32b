import { sql } from 'kysely';
import { expect, it } from 'vitest';
import {
  createAuditOut,
  leaseMs,
  sendAll,
  tellAfterMs,
  type AuditBatch,
  type AuditOutOptions,
  type DeliveryResult,
} from '../../src/audit/audit-out.ts';
import { appendAudit, auditOutLag, readAuditOut } from '../../src/storage/audit.ts';
import type { Database } from '../../src/storage/database.ts';
import { describeBoth } from '../storage/describe-both.ts';

const taken: DeliveryResult = { kind: 'taken' };
const refused: DeliveryResult = { kind: 'failed', why: 'it answered 401', lasting: true };
const away: DeliveryResult = { kind: 'failed', why: 'the connection failed', lasting: false };

const append = (database: Database, count: number, details = '{}'): Promise<void> =>
  database.transaction(async (tx) => {
    for (let line = 0; line < count; line += 1)
      await appendAudit(tx, { at: 1_000, change: null, event: 'pause', actor: 'U1', details }, undefined);
  });

/** A sender with a destination that answers with `answer()` and keeps what it got. */
function senderOf(
  database: Database,
  answer: () => DeliveryResult | Promise<DeliveryResult> = () => taken,
  owner = 'a',
) {
  const batches: AuditBatch[] = [];
  const failures: string[] = [];
  const options: AuditOutOptions = {
    database,
    owner,
    destination: {
      id: 'd1',
      name: 'audit.example',
      deliver: async (batch) => {
        batches.push(batch);
        return answer();
      },
    },
    random: () => 1,
    onFailed: ({ why, attempts }) => failures.push(`${attempts}: ${why}`),
    onTrouble: (_, error) => failures.push(String(error)),
  };
  const signal = new AbortController();
  return {
    options,
    failures,
    stop: () => signal.abort(),
    send: (atOnce = false) => sendAll(options, signal.signal, atOnce),
    sizes: () => batches.map(({ lines }) => lines.length),
    seqs: () => batches.flatMap(({ lines }) => lines.map(({ seq }) => seq)),
    batches,
  };
}

const upTo = (last: number): readonly number[] => Array.from({ length: last }, (_, at) => at + 1);
const opsSaid = async ({ db }: Database): Promise<readonly string[]> => {
  const rows = await db.selectFrom('messages').selectAll().where('kind', '=', 'ops').orderBy('id').execute();
  return rows.map(({ body }) => body ?? '');
};
const sentOf = async ({ db }: Database): Promise<number> => (await readAuditOut(db, 'd1')).progress.sent.seq;

describeBoth('the audit trail that is sent elsewhere', (open) => {
  it('goes in order, once, at most 100 lines and 256 KB at a time; a larger line goes alone', async () => {
    const database = await open({ now: () => 5_000 });
    await append(database, 250);
    const sender = senderOf(database);
    await sender.send();
    await sender.send();
    expect(sender.sizes()).toEqual([100, 100, 50]);
    await append(database, 3, JSON.stringify({ text: 'x'.repeat(120_000) }));
    await append(database, 1, JSON.stringify({ text: 'x'.repeat(400_000) }));
    await append(database, 1);
    const restarted = senderOf(database, undefined, 'b');
    await restarted.send();
    expect(restarted.sizes()).toEqual([2, 1, 1, 1]);
    expect([...sender.seqs(), ...restarted.seqs()]).toEqual(upTo(255));
    const rows = await database.db.selectFrom('audit').selectAll().orderBy('seq').execute();
    const lines = [...sender.batches, ...restarted.batches].flatMap((batch) => batch.lines);
    expect(lines.map((line) => ({ ...line, target: null }))).toEqual(rows);
    expect(sender.batches[0]?.installation).toBe(database.installation);
  });

  it('counts what waits, and for how long', async () => {
    const database = await open({ now: () => 5_000 });
    expect(await auditOutLag(database.db, 'd1', 5_000)).toEqual({ lines: 0, oldestMs: 0 });
    await append(database, 3);
    expect(await auditOutLag(database.db, 'd1', 5_000)).toEqual({ lines: 3, oldestMs: 4_000 });
    await senderOf(database).send();
    expect(await auditOutLag(database.db, 'd1', 5_000)).toEqual({ lines: 0, oldestMs: 0 });
    expect(await auditOutLag(database.db, 'another', 5_000)).toEqual({ lines: 3, oldestMs: 4_000 });
  });

  it('waits longer after each failure, at most five minutes, and not after a restart', async () => {
    let now = 10_000;
    const database = await open({ now: () => now });
    await append(database, 1);
    const sender = senderOf(database, () => away);
    const pauses: number[] = [];
    for (let attempt = 0; attempt < 11; attempt += 1) {
      await sender.send();
      const { trouble } = (await readAuditOut(database.db, 'd1')).progress;
      pauses.push((trouble?.nextAt ?? 0) - now);
      now += (trouble?.nextAt ?? 0) - now - 1;
      await sender.send();
      now += 1;
    }
    expect(pauses).toEqual([2, 4, 8, 16, 32, 64, 128, 256, 300, 300, 300].map((seconds) => seconds * 1_000));
    expect(sender.failures).toHaveLength(11);
    await sender.send();
    const restarted = senderOf(database);
    await restarted.send();
    expect(restarted.seqs()).toEqual([]);
    await restarted.send(true);
    expect(restarted.seqs()).toEqual([1]);
  });

  it('waits as long as it is asked to, at most an hour', async () => {
    const database = await open({ now: () => 10_000 });
    await append(database, 1);
    for (const [asked, pause] of [
      [60_000, 60_000],
      [86_400_000, 3_600_000],
    ] as const) {
      await senderOf(database, () => ({ ...away, retryAfterMs: asked })).send(true);
      expect((await readAuditOut(database.db, 'd1')).progress.trouble?.nextAt).toBe(10_000 + pause);
    }
  });

  it('reports lasting trouble to the ops channel once, at once or after a quarter of an hour, and its end', async () => {
    let now = 10_000;
    const database = await open({ now: () => now });
    await append(database, 1);
    await senderOf(database, () => away).send(true);
    now += tellAfterMs - 1;
    await senderOf(database, () => away).send(true);
    expect(await opsSaid(database)).toEqual([]);
    now += 1;
    for (const answer of [away, away, refused]) await senderOf(database, () => answer).send(true);
    expect(await opsSaid(database)).toEqual([expect.stringContaining('does not reach ')]);
    await senderOf(database).send(true);
    expect(await opsSaid(database)).toEqual([expect.anything(), expect.stringContaining(' again.')]);
    await append(database, 1);
    now += 1;
    for (const answer of [refused, refused, taken]) await senderOf(database, () => answer).send(true);
    expect(await opsSaid(database)).toHaveLength(4);
    expect((await opsSaid(database))[2]).toContain('it answered 401');
  });

  it('has one sender at a time; one whose lease has ended moves nothing', async () => {
    let now = 10_000;
    const database = await open({ now: () => now });
    const replica = await database.again({ now: () => now });
    await append(database, 2);
    const [answer, got] = [Promise.withResolvers<DeliveryResult>(), Promise.withResolvers<undefined>()];
    const slow = senderOf(database, () => (got.resolve(undefined), answer.promise), 'slow');
    const sending = slow.send();
    await got.promise;
    const other = senderOf(replica, undefined, 'other');
    now += leaseMs - 1;
    await other.send();
    // On SQLite there is no other replica: the owner of the lease was killed.
    expect(other.seqs()).toEqual(database.kind === 'postgres' ? [] : [1, 2]);
    now += 1;
    await other.send();
    expect(other.seqs()).toEqual([1, 2]);
    await append(database, 1);
    answer.resolve(taken);
    await sending;
    expect(await sentOf(database)).toBe(2);
    await slow.send();
    expect(slow.seqs()).toEqual([1, 2, 3]);
    expect(await sentOf(database)).toBe(3);
  });

  it('frees its lease at a stop, and counts no failure', async () => {
    const database = await open({ now: () => 10_000 });
    await append(database, 1);
    const stopped = senderOf(database, () => (stopped.stop(), away));
    await stopped.send();
    expect((await readAuditOut(database.db, 'd1')).progress).toMatchObject({ lease: null, trouble: null });
    expect(stopped.failures).toEqual([]);
  });

  it('starts again from the first line if the last sent one was replaced or is gone', async () => {
    const database = await open({ now: () => 10_000 });
    await append(database, 3);
    const sender = senderOf(database);
    await sender.send();
    const trigger = database.kind === 'sqlite' ? 'audit_no_delete' : 'audit_no_change on audit';
    await sql.raw(`drop trigger ${trigger}`).execute(database.db);
    await sql.raw('delete from audit where seq > 1').execute(database.db);
    await sender.send();
    expect(sender.seqs()).toEqual([1, 2, 3, 1]);
    await append(database, 3, '{"other":1}');
    await sender.send();
    expect(sender.seqs()).toEqual([1, 2, 3, 1, 2, 3, 4]);
    expect(await sentOf(database)).toBe(4);
  });

  it('is polled from start to stop', async () => {
    const database = await open({ now: () => 10_000 });
    await append(database, 1);
    const arrived = Promise.withResolvers<undefined>();
    const sender = senderOf(database, () => (arrived.resolve(undefined), taken));
    const poller = createAuditOut(sender.options);
    poller.start();
    await arrived.promise;
    await poller.stop();
    expect(sender.seqs()).toEqual([1]);
  });
});
