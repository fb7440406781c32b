import { randomBytes } from 'node:crypto';
import { expect, it } from 'vitest';
import { Refusal } from '../../../src/base/errors.ts';
import { createPayloadStore, type PayloadStore } from '../../../src/slack/context/button-payloads.ts';
import type { Database, DatabaseOptions } from '../../../src/storage/database.ts';
import { plain, say } from '../../../src/words/text.ts';
import { describeBoth } from '../../storage/describe-both.ts';

const hourMs = 3_600_000;
const kept = { shown: [], shareable: true };
const pageOf = (title: string) => ({ title: say`${title}`, parts: [] });

const onTrouble = (error: unknown): void => {
  throw error;
};

describeBoth('the payload of a button', (open) => {
  const opened = async (options?: DatabaseOptions) => {
    const database = await open(options);
    const payloads = createPayloadStore(database, onTrouble);
    /** What another replica finds, or this one after a restart. */
    const later = async (): Promise<PayloadStore> => {
      await payloads.close();
      return createPayloadStore(database, onTrouble);
    };
    return { payloads, later, database };
  };

  it('is stored separately for simultaneous callers, and can be read at once', async () => {
    const { payloads, later } = await opened();
    const all = await Promise.all(
      Array.from({ length: 40 }, async (_, at) => ({
        at,
        list: await payloads.keepList(`U${at % 3}`, ['cache', 'clear', `site-${at}`]),
        page: await payloads.keepPage(`U${at % 3}`, { ...kept, args: [`${at}`], page: pageOf(`page ${at}`) }),
      })),
    );
    for (const one of [payloads, await later()]) {
      for (const { at, list, page } of all) {
        expect((await one.keptList(list)).words).toEqual(['cache', 'clear', `site-${at}`]);
        const found = await one.keptPage(page ?? '');
        expect([found.args, plain(found.page.title)]).toEqual([[`${at}`], `page ${at}`]);
      }
    }
  });

  it('is refused if it is too long; the ones saved with it are stored', async () => {
    const { payloads, later } = await opened();
    // Random text cannot be compressed.
    const long = [randomBytes(400_000).toString('hex')];
    const [before, list, page, after] = await Promise.allSettled([
      payloads.keepList('U1', ['before']),
      payloads.keepList('U1', long),
      payloads.keepPage('U1', { ...kept, args: long, page: pageOf('long') }),
      payloads.keepList('U1', ['after']),
    ]);
    expect(list).toMatchObject({ status: 'rejected', reason: expect.any(RangeError) as unknown });
    expect(page).toEqual({ status: 'fulfilled', value: undefined });
    for (const [one, said] of [
      [before, 'before'],
      [after, 'after'],
    ] as const) {
      expect(one.status === 'fulfilled' && (await (await later()).keptList(one.value)).words).toEqual([said]);
    }
  });

  it('is too old after an hour, and missing for another kind', async () => {
    let now = 1_000;
    const { payloads, later } = await opened({ now: () => now });
    const id = await payloads.keepList('U1', ['who', 'am', 'i']);
    await later();
    await expect(payloads.keptPage(id)).rejects.toThrow(Refusal);
    now += hourMs - 1;
    expect((await payloads.keptList(id)).words).toEqual(['who', 'am', 'i']);
    now += 1;
    await expect(payloads.keptList(id)).rejects.toThrow('This button is too old. Nothing was done.');
  });

  it('is too old if the database refused it; later ones are stored', async () => {
    const { database } = await opened();
    const troubles: unknown[] = [];
    let isAway = true;
    const away = { ...database, transaction: () => Promise.reject(new Error('away')) };
    const either: Database = {
      ...database,
      transaction: (work) => (isAway ? away : database).transaction(work),
    };
    const payloads = createPayloadStore(either, (error) => troubles.push(error));
    const lost = await payloads.keepList('U1', ['lost']);
    await payloads.close();
    expect(troubles).toEqual([new Error('away')]);
    await expect(payloads.keptList(lost)).rejects.toThrow(Refusal);
    isAway = false;
    const again = await payloads.keepList('U1', ['kept']);
    await payloads.close();
    expect((await payloads.keptList(again)).words).toEqual(['kept']);
  });
});
