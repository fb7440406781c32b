import { randomUUID } from 'node:crypto';
import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import { z } from 'zod';
import type { Page } from '../commands/page.ts';
import { Refusal, type Words } from '../errors.ts';
import { findAnswer, putAnswers, type Answer } from '../storage/answers.ts';
import type { Database } from '../storage/database.ts';
import { shared } from '../storage/shared.ts';

const zipped = promisify(gzip);
const unzipped = promisify(gunzip);

const keptMs = 3_600_000;
const longText = 50_000;
const longestContent = 500_000;
const mostText = 64 * 2 ** 20;
/** No JSON begins so. */
const packedAs = 'gzip:';
const words = z.array(z.string());
// Written by `keepPage` alone; the shape of a page is its own source's.
const page = z.object({ words, page: z.custom<Page>((value) => typeof value === 'object' && value !== null) });
export type KeptPage = z.infer<typeof page>;

/** Words and pages behind buttons, where they do not fit or stand for what somebody has seen; each for an hour. */
export type Shelf = {
  /** Keeps a page, with the words that asked for it; resolves with its id, undefined where it is too much. */
  readonly keepPage: (person: string, kept: KeptPage) => Promise<string | undefined>;
  /** Keeps words; resolves with their id. */
  readonly keepWords: (person: string, said: Words) => Promise<string>;
  /** The kept page; throws `Refusal` when it is too old. */
  readonly keptPage: (id: string) => Promise<KeptPage>;
  /** The kept words; throws `Refusal` when they are too old. */
  readonly keptWords: (id: string) => Promise<Words>;
};

/** The shelf in this database. Whatever comes while it is written to goes into one transaction after that. */
export function createShelf(database: Database): Shelf {
  let waiting: Answer[] = [];
  const write = shared(async () => {
    const answers = waiting;
    waiting = [];
    await database.transaction((tx) => putAnswers(tx, answers));
  });
  const put = async (person: string, kind: Answer['kind'], content: string): Promise<string> => {
    if (content.length > longestContent) throw new RangeError('this is too long to be kept');
    const [id, created_at] = [randomUUID(), await database.now()];
    waiting.push({ id, person, kind, content, created_at, expires_at: created_at + keptMs });
    await write();
    return id;
  };
  const take = async (id: string, kind: Answer['kind']): Promise<unknown> => {
    const found = await findAnswer(database.db, id, await database.now());
    if (found?.kind !== kind)
      throw new Refusal('This button is too old. Nothing was done.', { hint: 'Type the command again.' });
    return JSON.parse(await unpack(found.content));
  };
  return {
    keepPage: async (person, kept) => {
      // The file was given already.
      const content = await pack(JSON.stringify({ ...kept, page: { ...kept.page, file: undefined } }));
      return content.length > longestContent ? undefined : put(person, 'page', content);
    },
    keepWords: async (person, said) => put(person, 'words', await pack(JSON.stringify(said))),
    keptPage: async (id) => page.parse(await take(id, 'page')),
    keptWords: async (id) => words.parse(await take(id, 'words')),
  };
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
