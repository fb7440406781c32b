import { randomBytes } from 'node:crypto';
import { expect, it } from 'vitest';
import { Refusal } from '../../src/errors.ts';
import { createShelf } from '../../src/slack/answers.ts';
import { plain, say } from '../../src/text.ts';
import { describeBoth } from '../storage/both.ts';

const hourMs = 3_600_000;
const pageOf = (title: string) => ({ title: say`${title}`, parts: [] });

describeBoth('what stands behind a button', (open) => {
  it('is kept apart for each of many who ask at once', async () => {
    const shelf = createShelf(await open());
    const kept = await Promise.all(
      Array.from({ length: 40 }, async (_, at) => ({
        at,
        words: await shelf.keepWords(`U${at % 3}`, ['cache', 'clear', `site-${at}`]),
        page: await shelf.keepPage(`U${at % 3}`, { words: [`${at}`], page: pageOf(`page ${at}`) }),
      })),
    );
    for (const { at, words, page } of kept) {
      expect(await shelf.keptWords(words)).toEqual(['cache', 'clear', `site-${at}`]);
      const found = await shelf.keptPage(page ?? '');
      expect([found.words, plain(found.page.title)]).toEqual([[`${at}`], `page ${at}`]);
    }
  });

  it('is refused where it would be too long, and what comes with it is kept', async () => {
    const shelf = createShelf(await open());
    // What is random cannot be packed.
    const long = [randomBytes(400_000).toString('hex')];
    const [before, words, page, after] = await Promise.allSettled([
      shelf.keepWords('U1', ['before']),
      shelf.keepWords('U1', long),
      shelf.keepPage('U1', { words: long, page: pageOf('long') }),
      shelf.keepWords('U1', ['after']),
    ]);
    expect(words).toMatchObject({ status: 'rejected', reason: expect.any(RangeError) as unknown });
    expect(page).toEqual({ status: 'fulfilled', value: undefined });
    for (const [one, said] of [
      [before, 'before'],
      [after, 'after'],
    ] as const) {
      expect(one.status === 'fulfilled' && (await shelf.keptWords(one.value))).toEqual([said]);
    }
  });

  it('is too old after an hour, and of another kind not there', async () => {
    let now = 1_000;
    const shelf = createShelf(await open({ now: () => now }));
    const id = await shelf.keepWords('U1', ['who', 'am', 'i']);
    await expect(shelf.keptPage(id)).rejects.toThrow(Refusal);
    now += hourMs - 1;
    expect(await shelf.keptWords(id)).toEqual(['who', 'am', 'i']);
    now += 1;
    await expect(shelf.keptWords(id)).rejects.toThrow('This button is too old. Nothing was done.');
  });
});
