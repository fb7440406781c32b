import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Entry } from '../hosting/journal.ts';
import { sendJson } from '../http.ts';
import type { Stage } from './server.ts';

/** What happens, told to every open page as Server-Sent Events: `slack`, `hosting` and `bot`. */
export type Events = {
  follow(request: IncomingMessage, response: ServerResponse): void;
  tellBot(): void;
  close(): void;
};

const READERS = 50;
/** A reader with this many bytes unread is cut off; its browser comes back and reads everything anew. */
const UNREAD = 1024 * 1024;
/** How far back in the journal an entry is still watched for its answer. */
const WATCHED = 200;
const FOREVER_MS = 2 ** 31 - 1;
/** Calls and deliveries are told by the thousand and drawn nowhere. */
const UNTOLD = new Set(['call', 'delivery']);

/** Follows the stand-ins from now on, until `close`. */
export function createEvents({ slack, hosting, bot }: Stage): Events {
  const readers = new Set<ServerResponse>();
  const tell = (event: string, told: unknown): void => {
    const text = `event: ${event}\ndata: ${JSON.stringify(told)}\n\n`;
    for (const reader of readers) {
      if (reader.writableLength > UNREAD) reader.destroy();
      else reader.write(text);
    }
  };
  const leave = slack.subscribe((change) => {
    if (!UNTOLD.has(change.kind)) tell('slack', change);
  });
  // It ends by rejection when the stand-in closes.
  followJournal(hosting, (entries) => tell('hosting', entries)).catch(() => undefined);
  return {
    follow(request, response) {
      if (readers.size >= READERS) return sendJson(response, 503, { error: `${READERS} pages are open already` });
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write('retry: 500\n\n');
      readers.add(response);
      request.once('close', () => readers.delete(response));
      response.once('close', () => readers.delete(response));
    },
    tellBot: () => tell('bot', bot()?.state() ?? null),
    close() {
      leave();
      for (const reader of readers) reader.destroy();
    },
  };
}

/** Tells the entries that are new or have got further, each state of each once. */
async function followJournal(
  { journal, until }: Stage['hosting'],
  onEntries: (entries: readonly Entry[]) => void,
): Promise<never> {
  let told = new Map<number, Entry['state']>();
  for (;;) {
    const different = await until(() => {
      const some = journal
        .entries()
        .slice(-WATCHED)
        .filter(({ seq, state }) => told.get(seq) !== state);
      return some.length > 0 ? some : undefined;
    }, FOREVER_MS);
    onEntries(different);
    told = new Map(
      journal
        .entries()
        .slice(-WATCHED)
        .map(({ seq, state }) => [seq, state]),
    );
  }
}
