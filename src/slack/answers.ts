import { randomUUID } from 'node:crypto';
import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import { z } from 'zod';
import type { Page } from '../commands/page.ts';
import { Refusal, type Words } from '../errors.ts';
import { findAnswer, putAnswer } from '../storage/answers.ts';
import type { Database } from '../storage/database.ts';

/** Words and pages behind buttons, where they do not fit or stand for what somebody has seen. */

const zipped = promisify(gzip);
const unzipped = promisify(gunzip);

const keptMs = 3_600_000;
const longText = 50_000;
const mostText = 64 * 2 ** 20;
/** No JSON begins so. */
const packedAs = 'gzip:';
const words = z.array(z.string());
// Written by `keepPage` alone; the shape of a page is its own source's.
const page = z.object({ words, page: z.custom<Page>((value) => typeof value === 'object' && value !== null) });
export type KeptPage = z.infer<typeof page>;

/** Keeps a page for an hour, with the words that asked for it; resolves with its id, undefined where it is too much. */
export async function keepPage(database: Database, person: string, kept: KeptPage): Promise<string | undefined> {
  const { file: _, ...shown } = kept.page;
  try {
    return await put(database, person, 'page', { words: kept.words, page: shown });
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/** Keeps words for an hour; resolves with their id. */
export const keepWords = (database: Database, person: string, said: Words): Promise<string> =>
  put(database, person, 'words', said);

async function put(database: Database, person: string, kind: 'words' | 'page', content: unknown): Promise<string> {
  const id = randomUUID();
  const packed = await pack(JSON.stringify(content));
  await database.transaction(async (tx) => {
    const created_at = await database.now(tx);
    await putAnswer(tx, {
      id,
      person,
      kind,
      content: packed,
      created_at,
      expires_at: created_at + keptMs,
    });
  });
  return id;
}

/** The kept page; throws `Refusal` when it is too old. */
export const keptPage = async (database: Database, id: string): Promise<KeptPage> =>
  page.parse(await take(database, id, 'page'));
/** The kept words; throws `Refusal` when they are too old. */
export const keptWords = async (database: Database, id: string): Promise<Words> =>
  words.parse(await take(database, id, 'words'));

async function take(database: Database, id: string, kind: 'words' | 'page'): Promise<unknown> {
  const found = await findAnswer(database.db, id, await database.now());
  if (found?.kind !== kind)
    throw new Refusal('This button is too old. Nothing was done.', { hint: 'Type the command again.' });
  return JSON.parse(await unpack(found.content));
}

/** Long lists are much alike: a tenth of them is kept. */
const pack = async (text: string): Promise<string> =>
  text.length < longText ? text : `${packedAs}${(await zipped(text)).toString('base64')}`;

const unpack = async (text: string): Promise<string> =>
  text.startsWith(packedAs)
    ? (await unzipped(Buffer.from(text.slice(packedAs.length), 'base64'), { maxOutputLength: mostText })).toString(
        'utf8',
      )
    : text;
