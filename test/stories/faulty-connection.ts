import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

/** Recognises a transaction, or a statement that commits by itself: it must contain all of these. */
type Words = readonly string[];

/** A proxy on loopback between a bot and PostgreSQL that fails on request. */
export type FaultyConnection = {
  /** The same database through this proxy. */
  readonly url: string;
  /** Ends every connection and refuses new ones. */
  readonly cut: () => void;
  /** Connections that are open now or are opened before `mend` stay open, but never carry data again. */
  readonly silence: () => void;
  /** Carries the data of new connections again. */
  readonly mend: () => void;
  /**
   * Ends the connection at the next commit with these words: either the server never sees the commit (`commit`), or it
   * commits and the answer is lost (`answer`). Resolves when that has happened.
   */
  readonly lose: (what: Loss, words: Words) => Promise<void>;
  /** Ends every connection; new ones go to the server at `url`, as after a failover. */
  readonly turnTo: (url: string) => void;
  readonly close: () => void;
};

type Loss = 'commit' | 'answer';
type Order = { readonly what: Loss; readonly words: Words; readonly done: () => void };

/** Recognises a transaction that writes this audit event about this target. */
export const lineOf = (event: string, target: string): Words => [
  'insert into "audit"',
  // A bound parameter is its length in four bytes, then the text.
  `\0\0\0${String.fromCodePoint(event.length)}${event}`,
  `"target":"${target}"`,
];

const folderOf = (url: string): string => new URL(url).searchParams.get('host') ?? '';

const begin = /begin isolation level/;
const commit = 'Q\0\0\0\u000Bcommit\0';
const rollback = 'Q\0\0\0\rrollback\0';

/** Opens a proxy to the server at `url`, which listens on a socket in a folder. */
export async function openFaultyConnection(url: string): Promise<FaultyConnection> {
  const here = new URL(url);
  let folder = folderOf(url);
  const sockets = new Set<Socket>();
  let state: 'whole' | 'cut' | 'silent' = 'whole';
  let silenceCount = 0;
  const orders = new Set<Order>();
  const take = (text: string): Order | undefined => {
    const taken = [...orders].find(({ words }) => words.every((word) => text.includes(word)));
    if (taken) orders.delete(taken);
    return taken;
  };
  const track = (socket: Socket): Socket =>
    sockets.add(socket) && socket.on('error', () => undefined).on('close', () => sockets.delete(socket));

  const line = createServer((bot) => {
    if (state === 'cut') return void bot.destroy();
    track(bot);
    if (state === 'silent') return;
    const server = track(connect(`${folder}/.s.PGSQL.5432`));
    const openedAt = silenceCount;
    const isMute = (): boolean => openedAt !== silenceCount;
    let transaction = '';
    let inTransaction = false;
    let lost: Order | undefined;
    const end = (): void => {
      if (isMute()) return;
      bot.destroy();
      server.destroy();
      lost?.done();
    };
    bot.on('close', end).on('data', (chunk) => {
      if (isMute()) return;
      const text = chunk.toString('latin1');
      transaction = inTransaction ? transaction + text : text;
      inTransaction ||= begin.test(text);
      if (text.includes(commit) || text.includes(rollback)) inTransaction = false;
      if (!inTransaction && !text.includes(rollback)) lost = take(transaction);
      if (lost?.what === 'commit') end();
      else server.write(chunk);
    });
    server.on('close', end).on('data', (chunk) => {
      if (isMute()) return;
      if (lost) end();
      else bot.write(chunk);
    });
  });
  line.listen(0, '127.0.0.1');
  await once(line, 'listening');
  const address = line.address();
  if (address === null || typeof address === 'string') throw new Error('the line has no port');
  here.searchParams.delete('host');
  here.host = `127.0.0.1:${address.port}`;
  const cut = (): void => {
    state = 'cut';
    for (const socket of sockets) socket.destroy();
  };
  return {
    url: here.href,
    cut,
    silence: () => {
      state = 'silent';
      silenceCount += 1;
    },
    mend: () => {
      state = 'whole';
    },
    turnTo: (url) => {
      cut();
      folder = folderOf(url);
      state = 'whole';
    },
    lose: (what, words) => new Promise((done) => orders.add({ what, words, done })),
    close: () => {
      cut();
      line.close();
    },
  };
}
