import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

/** Tells a transaction, or a statement that commits by itself, by what was said in it: all of these. */
type Words = readonly string[];

/** A line on loopback between a bot and PostgreSQL, that fails on order. */
export type Wire = {
  /** The same place for tables, by way of this line. */
  readonly url: string;
  /** Every connection ends, and no other one comes about. */
  readonly cut: () => void;
  /** Nothing is carried and nothing ends: neither what stands now, for ever, nor what comes before it is mended. */
  readonly silence: () => void;
  /** Carries whatever comes from now on. */
  readonly mend: () => void;
  /**
   * Ends the connection at the next commit with these words: the server never sees that commit
   * (`commit`), or has done it and its answer is lost (`answer`). Resolves when that has happened.
   */
  readonly lose: (what: Loss, words: Words) => Promise<void>;
  readonly close: () => void;
};

type Loss = 'commit' | 'answer';
type Order = { readonly what: Loss; readonly words: Words; readonly done: () => void };

/** What a transaction says that writes the audit line of that event of a change of that target. */
export const lineOf = (event: string, target: string): Words => [
  'insert into "audit"',
  // As it is bound: its length in four bytes, and the word.
  `\0\0\0${String.fromCodePoint(event.length)}${event}`,
  `"target":"${target}"`,
];

const begin = /start transaction|\0begin\0/;
const commit = 'Q\0\0\0\u000Bcommit\0';
const rollback = 'Q\0\0\0\rrollback\0';

/** Lays a line to the server at `url`, which listens on a socket in a folder. */
export async function layWire(url: string): Promise<Wire> {
  const here = new URL(url);
  const folder = here.searchParams.get('host') ?? '';
  const sockets = new Set<Socket>();
  let state: 'whole' | 'cut' | 'silent' = 'whole';
  let silences = 0;
  const orders = new Set<Order>();
  const take = (said: string): Order | undefined => {
    const taken = [...orders].find(({ words }) => words.every((word) => said.includes(word)));
    if (taken) orders.delete(taken);
    return taken;
  };
  const hold = (socket: Socket): Socket =>
    sockets.add(socket) && socket.on('error', () => undefined).on('close', () => sockets.delete(socket));

  const line = createServer((bot) => {
    if (state === 'cut') return void bot.destroy();
    hold(bot);
    if (state === 'silent') return;
    const server = hold(connect(`${folder}/.s.PGSQL.5432`));
    const born = silences;
    const isMute = (): boolean => born !== silences;
    let said = '';
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
      said = inTransaction ? said + text : text;
      inTransaction ||= begin.test(text);
      if (text.includes(commit) || text.includes(rollback)) inTransaction = false;
      if (!inTransaction && !text.includes(rollback)) lost = take(said);
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
      silences += 1;
    },
    mend: () => {
      state = 'whole';
    },
    lose: (what, words) => new Promise((done) => orders.add({ what, words, done })),
    close: () => {
      cut();
      line.close();
    },
  };
}
