import type { Entry } from '../../../src/playground/hosting/journal.ts';
import type { SeenMessage, SeenView } from '../../../src/playground/slack/reads.ts';
import { ids, type House } from '../house.ts';
import { expectSoon, type Said, type Tale } from '../people.ts';
import type { Asked, Reading, Scene, Writing } from './story.ts';

/** How somebody asks: all of it in words, or all of it in the form. */
export type Way = 'typed' | 'by form';

/** A request as it came in, with all that the document says of one. */
export function requestOf({ method, path, query, body, section, headers, authorization }: Entry) {
  return { method, path, query, body, section, type: headers['content-type'], authorization };
}

/** The same of what should come in: JSON is said to be JSON, and nothing is said of no body. */
export function requestFor({ section }: { readonly section: string }, { method, path, query = {}, body }: Asked) {
  const type = body === undefined ? undefined : 'application/json';
  return { method, path, query, body, section, type, authorization: 'right' };
}

/** Ana asks by words, or by the form alone. */
export async function asks(house: House, story: Reading, on: string, way: Way): Promise<Said> {
  const ana = house.person('ana');
  if (way === 'typed') return ana.says(lineOf(story, on));
  const said = await openForm(house, story);
  await fillIn(house, story, on);
  await submit(house, story.fills(on));
  return said;
}

/** Ana has it changed, by words or by the form alone; what is shown first she confirms. */
export async function changes(house: House, story: Writing, on: string, way: Way, channel = 'C0ACME'): Promise<Tale> {
  const ana = house.person('ana');
  const isSeen = story.seen === 'always' || (story.seen === 'live' && on.endsWith('/live'));
  if (way === 'typed') {
    if (!isSeen) return ana.asks(lineOf(story, on), channel);
    await ana.says(lineOf(story, on), channel);
    return confirm(house, channel);
  }
  await openForm(house, story, channel);
  await fillIn(house, story, on);
  if (!isSeen) return ana.confirms(story.fills(on), channel);
  await submit(house, story.fills(on));
  return confirm(house, channel);
}

/** The end of a change; one that could still be stopped is not waited for. */
export async function endOf(house: House, story: Writing, on: string, change: Tale): Promise<SeenMessage> {
  const isLive = on.endsWith('/live');
  if (isLive && ['push', 'delete', 'redirects clear'].includes(story.command)) {
    await house.holds(change.number);
    house.lets(change.number);
  }
  return change.tells(story.ends(on));
}

/** Ana presses *Undo* under the last word of a change; resolves with the change that takes it back. */
export async function undo(house: House, story: Writing, scene: Scene, last: SeenMessage): Promise<Tale> {
  const before = newest(house);
  await house.person('ana').clicks(last, 'Undo');
  if (story.seen === 'always' || scene.on.endsWith('/live')) await confirm(house, last.channel);
  const number = await expectSoon(
    house.slack,
    'a change that takes it back',
    () => (newest(house) > before ? newest(house) : undefined),
    () => top(house)?.text,
  );
  return house.change(number);
}

const newest = (house: House): number => Number(house.rows('select max(number) as number from changes')[0]?.['number']);

const lineOf = ({ command, words }: Reading | Writing, on: string): string => `/site ${command} ${words(on)}`.trimEnd();

async function openForm(house: House, { command, fromList }: Reading | Writing, channel?: string): Promise<Said> {
  const ana = house.person('ana');
  const said = await ana.says(fromList ? '/site' : `/site ${command}`, channel);
  if (fromList) {
    await viewOf(house, 'picker');
    await submit(house, { Command: command });
  }
  await viewOf(house, 'form');
  return said;
}

/** Fills in what others hang on, and waits for what it draws. */
async function fillIn(house: House, { picks }: Reading | Writing, on: string): Promise<void> {
  for (const { label, said, draws } of picks?.(on) ?? []) {
    await house.slack.pick(ids.ana, 'modal', { label }, said);
    await expectSoon(
      house.slack,
      `${draws.label} as ${draws.as}`,
      () => top(house)?.controls.find((one) => one.label === draws.label && one.type === draws.as),
      () => top(house)?.controls,
    );
  }
}

async function submit(house: House, filled: Parameters<House['slack']['submit']>[1]): Promise<void> {
  const { errors } = await house.person('ana').submits(filled);
  if (Object.keys(errors).length > 0) throw new Error(`the form was refused: ${JSON.stringify(errors)}`);
}

/** Confirms what is shown, with the name where it is asked for. */
async function confirm(house: House, channel: string): Promise<Tale> {
  const { controls } = await viewOf(house, 'review');
  const typed = controls.flatMap(({ label }) => /^Type (\S+) to confirm$/.exec(label) ?? []);
  return house.person('ana').confirms(typed.length > 0 ? { [typed[0] ?? '']: typed[1] ?? '' } : {}, channel);
}

const top = (house: House): SeenView | undefined => house.slack.views(ids.ana).modals.at(-1);

const viewOf = (house: House, kind: string): Promise<SeenView> =>
  expectSoon(
    house.slack,
    `a ${kind}`,
    () => (top(house)?.callback_id === kind ? top(house) : undefined),
    () => top(house)?.text,
  );
