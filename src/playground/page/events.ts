import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Bot } from '../bot.ts';
import type { Catalogue } from '../catalogue.ts';
import type { HostingStandIn } from '../hosting/server.ts';
import type { ChangeWatcher } from '../bot-changes.ts';
import type { SiteStandIn } from '../site/server.ts';
import type { SlackStandIn } from '../slack/stand-in.ts';
import type { Entry } from '../hosting/journal.ts';
import type { Programs } from '../programs.ts';
import { sendJson } from '../http.ts';
import type { Fields } from '../slack/json-fields.ts';

/** What the page shows and controls. `bot` is undefined until it is started. */
export type PageSources = {
  readonly slack: Pick<SlackStandIn, 'control' | 'subscribe'>;
  readonly hosting: Pick<HostingStandIn, 'control' | 'journal' | 'until'>;
  readonly site: Pick<SiteStandIn, 'control'>;
  readonly bot: () => Bot | undefined;
  readonly catalogue: Pick<Catalogue, 'commands'>;
  readonly changes: Pick<ChangeWatcher, 'current'>;
  readonly programs: Pick<Programs, 'control' | 'current'>;
  /** The folder with the page in `web/`. */
  readonly files: URL;
};

/**
 * Events for every open page (Server-Sent Events): `server`, which tells one run of the playground from the next, then
 * `slack`, `delivered`, `hosting`, `changes`, `programs`, `bot` and `faults`.
 */
export type Events = {
  follow(request: IncomingMessage, response: ServerResponse): void;
  botChanged(): void;
  /** One of the bot's changes moved. */
  changesMoved(): void;
  /** A program printed something, or ended. */
  programsChanged(): void;
  /** A fault was switched on or off, or a site broken or mended. */
  faultsChanged(): void;
  close(): void;
};

const READERS = 50;
/** A reader with this many unread bytes is cut off; its browser reconnects and reads everything again. */
const UNREAD = 1024 * 1024;
/** How far back in the journal an entry is watched for its answer. */
const WATCHED = 200;
const FOREVER_MS = 2 ** 31 - 1;
/** How many deliveries a new page is sent. */
const DELIVERIES = 100;

/** Slack's deliveries to the bot, without the content of acks, which can be long. */
type Delivered = { readonly number: number } & Fields;

/** Follows the stand-ins until `close`. */
export function createEvents({ slack, hosting, bot, changes, programs }: PageSources): Events {
  const readers = new Set<ServerResponse>();
  const send = (event: string, data: unknown): void => {
    const text = message(event, data);
    for (const reader of readers) {
      if (reader.writableLength > UNREAD) reader.destroy();
      else reader.write(text);
    }
  };
  const server = message('server', randomUUID());
  let deliveries: readonly Delivered[] = [];
  const stop = slack.subscribe(({ number, kind, detail }) => {
    // There are thousands of calls, and the page shows none.
    if (kind === 'call') return;
    if (kind !== 'delivery') return send('slack', { number, kind, detail });
    const { ack: _, ...rest } = detail;
    const delivered = { ...rest, number };
    deliveries = [...deliveries, delivered].slice(-DELIVERIES);
    send('delivered', [delivered]);
  });
  // Rejects when the stand-in closes, which ends the loop.
  followJournal(hosting, (entries) => send('hosting', entries)).catch(() => undefined);
  return {
    follow(request, response) {
      if (readers.size >= READERS) return sendJson(response, 503, { error: `${READERS} pages are open already` });
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(`retry: 500\n\n${server}${message('delivered', deliveries)}${present({ changes, programs })}`);
      readers.add(response);
      request.once('close', () => readers.delete(response));
      response.once('close', () => readers.delete(response));
    },
    botChanged: () => send('bot', bot()?.state() ?? null),
    changesMoved: () => send('changes', changes.current()),
    programsChanged: () => send('programs', programs.current()),
    faultsChanged: () => send('faults', null),
    close() {
      stop();
      for (const reader of readers) reader.destroy();
    },
  };
}

const message = (event: string, data: unknown): string => `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;

const present = ({ changes, programs }: Pick<PageSources, 'changes' | 'programs'>): string =>
  message('changes', changes.current()) + message('programs', programs.current());

/** Sends entries that are new or have moved on, each state once. */
async function followJournal(
  { journal, until }: PageSources['hosting'],
  onEntries: (entries: readonly Entry[]) => void,
): Promise<never> {
  let data = new Map<number, Entry['state']>();
  for (;;) {
    const different = await until(() => {
      const some = journal
        .entries()
        .slice(-WATCHED)
        .filter(({ seq, state }) => data.get(seq) !== state);
      return some.length > 0 ? some : undefined;
    }, FOREVER_MS);
    onEntries(different);
    data = new Map(
      journal
        .entries()
        .slice(-WATCHED)
        .map(({ seq, state }) => [seq, state]),
    );
  }
}
