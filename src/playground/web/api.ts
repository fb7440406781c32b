import { fieldsOf, isFields, parseJson, textOf } from '../slack/json.ts';
import type { BotState, Change, Delivered, Entry, Moving } from './shapes.ts';

/** What the server answered; throws an Error with its sentence where it refused. Without a body it is a GET, or a DELETE. */
export async function ask<Answer>(path: string, body?: object, without: 'GET' | 'DELETE' = 'GET'): Promise<Answer> {
  const init = body && { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
  const response = await fetch(path, init ?? { method: without });
  const answer = parseJson(await response.text());
  if (!response.ok) throw new Error(sentenceIn(answer) ?? `The playground answered ${response.status}.`);
  // The server is the other half of this program, and shapes.ts says what it sends: only the kind of thing is looked at.
  const isAnswer = (value: unknown): value is Answer => typeof value === 'object';
  if (!isAnswer(answer)) throw new Error('The playground answered something that is not JSON.');
  return answer;
}

function sentenceIn(answer: unknown): string | undefined {
  const { error, message } = fieldsOf(answer);
  return textOf(error) || textOf(message) || undefined;
}

/** What the server tells by itself. `onOpen` comes at every new connection: whatever is shown may be old then. */
export type Told = {
  readonly onOpen: () => void;
  readonly onLost: () => void;
  readonly onSlack: (change: Change) => void;
  readonly onDelivered: (delivered: readonly Delivered[]) => void;
  readonly onHosting: (entries: readonly Entry[]) => void;
  readonly onChanges: (movings: readonly Moving[]) => void;
  /** A fault was put in force or taken back, here or elsewhere. */
  readonly onFaults: () => void;
  readonly onBot: (state: BotState) => void;
};

const isChange = (value: unknown): value is Change =>
  isFields(value) && typeof value['kind'] === 'string' && isFields(value['detail']);
const isEntries = (value: unknown): value is readonly Entry[] => Array.isArray(value);
const isDelivered = (value: unknown): value is readonly Delivered[] => Array.isArray(value);
const isMovings = (value: unknown): value is readonly Moving[] => Array.isArray(value);
const isBot = (value: unknown): value is BotState => isFields(value) && Array.isArray(value['log']);

/** Listens for as long as the page is open; the browser connects again by itself. */
export function listen(told: Told): void {
  const source = new EventSource('/events');
  const on = (event: string, tell: (value: unknown) => void): void =>
    source.addEventListener(event, (message) => tell(parseJson(String(message.data))));
  source.addEventListener('open', told.onOpen);
  source.addEventListener('error', told.onLost);
  on('slack', (value) => isChange(value) && told.onSlack(value));
  on('delivered', (value) => isDelivered(value) && told.onDelivered(value));
  on('faults', told.onFaults);
  on('changes', (value) => isMovings(value) && told.onChanges(value));
  on('hosting', (value) => isEntries(value) && told.onHosting(value));
  on('bot', (value) => isBot(value) && told.onBot(value));
}
