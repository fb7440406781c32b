import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import { z } from 'zod';
import type { Page } from '../../commands/kit/page.ts';
import { Refusal } from '../../base/errors.ts';
import type { Shown } from '../../access/sight.ts';
import { findPayload, putPayloads, type ButtonPayload } from '../../storage/button-payloads.ts';
import type { Database } from '../../storage/database.ts';
import { hourMs } from '../../words/duration.ts';

const zipped = promisify(gzip);
const unzipped = promisify(gunzip);

const keptMs = hourMs;
/** How many payloads are kept for each person; a further one replaces the oldest. */
const maxEach = 50;
const longText = 50_000;
const maxContentLength = 500_000;
/** How long a payload waits to be written together with others, and how many may wait. */
const momentMs = 50;
const maxWaiting = 100;
const maxText = 64 * 2 ** 20;
/** Marks compressed content: JSON never begins like this. */
const packedAs = 'gzip:';
// Only this file writes them, so what was shown and the shape of pages are not checked again.
const shown = z.custom<readonly Shown[]>(Array.isArray);
const words = z.array(z.string());
const list = z.object({ words, shown });
const page = z.object({
  args: words,
  page: z.custom<Page>((value) => typeof value === 'object' && value !== null),
  shown,
  shareable: z.boolean(),
});
/** A page with the arguments that asked for it, what it shows, and whether it may be shared. */
export type KeptPage = z.infer<typeof page>;
/** Arguments, or choices of a form with what they show. */
type KeptList = z.infer<typeof list>;

/** Keeps lists and pages behind buttons for an hour, if they don't fit into one or must be what somebody saw. */
export type PayloadStore = {
  /** Keeps a page. Resolves with its id, or undefined if it is too large. */
  readonly keepPage: (person: string, kept: KeptPage) => Promise<string | undefined>;
  /** Keeps a list. Resolves with its id. Throws `RangeError` if it is too long. */
  readonly keepList: (person: string, words: readonly string[], shown?: readonly Shown[]) => Promise<string>;
  /** The kept page; throws `Refusal` if it has expired. */
  readonly keptPage: (id: string) => Promise<KeptPage>;
  /** The kept list; throws `Refusal` if it has expired. */
  readonly keptList: (id: string) => Promise<KeptList>;
  /** Resolves when everything is written or lost. */
  readonly close: () => Promise<void>;
};

/**
 * The payload store in this database. Callers do not wait for a write: payloads are written together a moment later.
 * After a crash or a database error a button looks expired.
 */
export function createPayloadStore(database: Database, onTrouble: (error: unknown) => void): PayloadStore {
  const written = createLateWrites(database, onTrouble);
  const put = async (person: string, kind: ButtonPayload['kind'], content: string): Promise<string> => {
    if (content.length > maxContentLength) throw new RangeError('this is too long to be kept');
    const id = randomUUID();
    await written.add({ id, person, kind, content });
    return id;
  };
  const take = async (id: string, kind: ButtonPayload['kind']): Promise<unknown> => {
    const found = written.waiting.get(id) ?? (await findPayload(database.db, id, await database.now()));
    if (found?.kind !== kind)
      throw new Refusal('This button is too old. Nothing was done.', { hint: 'Type the command again.' });
    return JSON.parse(await unpack(found.content));
  };
  return {
    keepPage: async (person, kept) => {
      // The file was already sent.
      const content = await pack(JSON.stringify({ ...kept, page: { ...kept.page, file: undefined } }));
      return content.length > maxContentLength ? undefined : put(person, 'page', content);
    },
    keepList: async (person, kept, shows = []) =>
      put(person, 'list', await pack(JSON.stringify({ words: kept, shown: shows }))),
    keptPage: async (id) => page.parse(await take(id, 'page')),
    keptList: async (id) => list.parse(await take(id, 'list')),
    close: written.end,
  };
}

type NewPayload = Pick<ButtonPayload, 'id' | 'person' | 'kind' | 'content'>;

/** Writes payloads together, a moment later. `add` resolves when there is room for it to wait. */
function createLateWrites(database: Database, onTrouble: (error: unknown) => void) {
  const waiting = new Map<string, NewPayload>();
  let writing: Promise<void> | undefined;
  const write = async (): Promise<void> => {
    await wait(momentMs);
    const payloads = [...waiting.values()];
    try {
      await database.transaction(async (tx) => {
        const created_at = await database.now(tx);
        const times = { created_at, expires_at: created_at + keptMs };
        const rows = payloads.map((payload) => ({ ...payload, ...times }));
        await putPayloads(tx, rows, maxEach);
      });
    } catch (error) {
      onTrouble(error);
    }
    for (const { id } of payloads) waiting.delete(id);
    writing = waiting.size > 0 ? write() : undefined;
  };
  return {
    waiting: waiting as ReadonlyMap<string, NewPayload>,
    add: async (payload: NewPayload): Promise<void> => {
      while (waiting.size >= maxWaiting) await writing;
      waiting.set(payload.id, payload);
      writing ??= write();
    },
    end: async (): Promise<void> => {
      while (waiting.size > 0) await writing;
    },
  };
}

/** Long lists compress to about a tenth. */
const pack = async (text: string): Promise<string> =>
  text.length < longText ? text : `${packedAs}${(await zipped(text)).toString('base64')}`;

const unpack = async (text: string): Promise<string> =>
  text.startsWith(packedAs)
    ? (await unzipped(Buffer.from(text.slice(packedAs.length), 'base64'), { maxOutputLength: maxText })).toString(
        'utf8',
      )
    : text;
