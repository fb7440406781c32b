import { fieldsOf, isFields, parseJson, textOf } from '../slack/json-fields.ts';
import type { BotState, WorkspaceEvent, Delivered, Entry, BotChange, ProgramRuns } from './shapes.ts';

/** The server's answer. Throws an Error with its sentence if it refused. Without a body it sends a GET or DELETE. */
export async function ask<Answer>(path: string, body?: object, without: 'GET' | 'DELETE' = 'GET'): Promise<Answer> {
  const init = body && { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
  const response = await fetch(path, init ?? { method: without });
  const answer = parseJson(await response.text());
  if (!response.ok) throw new Error(sentenceIn(answer) ?? `The playground answered ${response.status}.`);
  // The server belongs to this program and shapes.ts says what it sends, so checking for an object is enough.
  const isAnswer = (value: unknown): value is Answer => typeof value === 'object';
  if (!isAnswer(answer)) throw new Error("The playground's answer was not JSON.");
  return answer;
}

function sentenceIn(answer: unknown): string | undefined {
  const { error, message } = fieldsOf(answer);
  return textOf(error) || textOf(message) || undefined;
}

/** Handlers of the server's events. `onOpen` runs at every new connection, when everything shown may be out of date. */
export type Handlers = {
  readonly onOpen: () => void;
  readonly onLost: () => void;
  readonly onSlack: (change: WorkspaceEvent) => void;
  readonly onDelivered: (delivered: readonly Delivered[]) => void;
  readonly onHosting: (entries: readonly Entry[]) => void;
  readonly onChanges: (changes: readonly BotChange[]) => void;
  /** A fault was switched on or off, on this page or elsewhere. */
  readonly onFaults: () => void;
  readonly onBot: (state: BotState) => void;
  readonly onPrograms: (runs: ProgramRuns) => void;
};

const isChange = (value: unknown): value is WorkspaceEvent =>
  isFields(value) && typeof value['kind'] === 'string' && isFields(value['detail']);
const isEntries = (value: unknown): value is readonly Entry[] => Array.isArray(value);
const isDelivered = (value: unknown): value is readonly Delivered[] => Array.isArray(value);
const isBotChanges = (value: unknown): value is readonly BotChange[] => Array.isArray(value);
const isBot = (value: unknown): value is BotState => isFields(value) && Array.isArray(value['log']);
const isRuns = (value: unknown): value is ProgramRuns => isFields(value);

/** Listens while the page is open. The browser reconnects by itself; a new server has a new page. */
export function listen(handlers: Handlers): void {
  const source = new EventSource('/events');
  const on = (event: string, handle: (value: unknown) => void): void =>
    source.addEventListener(event, (message) => handle(parseJson(String(message.data))));
  source.addEventListener('open', handlers.onOpen);
  source.addEventListener('error', handlers.onLost);
  let server: unknown;
  on('server', (id) => {
    server ??= id;
    if (id !== server) location.reload();
  });
  on('slack', (value) => isChange(value) && handlers.onSlack(value));
  on('delivered', (value) => isDelivered(value) && handlers.onDelivered(value));
  on('faults', handlers.onFaults);
  on('changes', (value) => isBotChanges(value) && handlers.onChanges(value));
  on('hosting', (value) => isEntries(value) && handlers.onHosting(value));
  on('bot', (value) => isBot(value) && handlers.onBot(value));
  on('programs', (value) => isRuns(value) && handlers.onPrograms(value));
}
