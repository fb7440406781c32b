import type { Entry } from '../../../src/playground/hosting/journal.ts';
import type { VisibleMessage, VisibleView } from '../../../src/playground/slack/shapes.ts';
import { ids, type Scenario } from '../scenario.ts';
import { expectSoon, type Said, type ChangeThread } from '../people.ts';
import type { Asked, Reading, Scene, Writing } from './story.ts';

/** How somebody asks: with a typed line, or with the form. */
export type Way = 'typed' | 'by form';

/** A received request, with the parts that the document specifies. */
export function requestOf({ method, path, query, body, section, headers, authorization }: Entry) {
  return { method, path, query, body, section, type: headers['content-type'], authorization };
}

/** The expected request: a JSON content type if it has a body, none otherwise. */
export function requestFor({ section }: { readonly section: string }, { method, path, query = {}, body }: Asked) {
  const type = body === undefined ? undefined : 'application/json';
  return { method, path, query, body, section, type, authorization: 'right' };
}

/** Ana types the command, or fills in its form. */
export async function asks(scenario: Scenario, story: Reading, on: string, way: Way): Promise<Said> {
  const ana = scenario.person('ana');
  if (way === 'typed') return ana.says(lineOf(story, on));
  const said = await openForm(scenario, story);
  await fillIn(scenario, story, on);
  await submit(scenario, story.fills(on));
  return said;
}

/** Ana requests a change by a typed line or by form, and confirms its review if there is one. */
export async function changes(
  scenario: Scenario,
  story: Writing,
  on: string,
  way: Way,
  channel = 'C0ACME',
): Promise<ChangeThread> {
  const ana = scenario.person('ana');
  const isSeen = story.seen === 'always' || (story.seen === 'live' && on.endsWith('/live'));
  if (way === 'typed') {
    if (!isSeen) return ana.asks(lineOf(story, on), channel);
    await ana.says(lineOf(story, on), channel);
    return confirm(scenario, channel);
  }
  await openForm(scenario, story, channel);
  await fillIn(scenario, story, on);
  if (!isSeen) return ana.confirms(story.fills(on), channel);
  await submit(scenario, story.fills(on));
  return confirm(scenario, channel);
}

/** Resolves at the end of a change; skips its *Stop* period. */
export async function endOf(
  scenario: Scenario,
  story: Writing,
  on: string,
  change: ChangeThread,
): Promise<VisibleMessage> {
  const isLive = on.endsWith('/live');
  if (isLive && ['push', 'delete', 'redirects clear'].includes(story.command)) {
    await scenario.holdBeforeSend(change.number);
    scenario.makeDue(change.number);
  }
  return change.tells(story.ends(on));
}

/** Ana presses *Undo* in the last reply of a change; resolves with the change that undoes it. */
export async function undo(
  scenario: Scenario,
  story: Writing,
  scene: Scene,
  last: VisibleMessage,
): Promise<ChangeThread> {
  const before = newest(scenario);
  await scenario.person('ana').clicks(last, 'Undo');
  if (story.seen === 'always' || scene.on.endsWith('/live')) await confirm(scenario, last.channel);
  const number = await expectSoon(
    scenario.slack,
    'a change that takes it back',
    () => (newest(scenario) > before ? newest(scenario) : undefined),
    () => top(scenario)?.text,
  );
  return scenario.change(number);
}

const newest = (scenario: Scenario): number =>
  Number(scenario.rows('select max(number) as number from changes')[0]?.['number']);

const lineOf = ({ command, words }: Reading | Writing, on: string): string => `/site ${command} ${words(on)}`.trimEnd();

async function openForm(scenario: Scenario, { command, fromList }: Reading | Writing, channel?: string): Promise<Said> {
  const ana = scenario.person('ana');
  const said = await ana.says(fromList ? '/site' : `/site ${command}`, channel);
  if (fromList) {
    await viewOf(scenario, 'picker');
    await submit(scenario, { Command: 'More…' });
    await submit(scenario, { Command: command });
  }
  await viewOf(scenario, 'form');
  return said;
}

/** Fills in an input on which others depend, and waits for the redrawn form. */
async function fillIn(scenario: Scenario, { picks }: Reading | Writing, on: string): Promise<void> {
  for (const { label, said, draws } of picks?.(on) ?? []) {
    await scenario.slack.pick(ids.ana, 'modal', { label }, said);
    await expectSoon(
      scenario.slack,
      `${draws.label} as ${draws.as}`,
      () => top(scenario)?.controls.find((one) => one.label === draws.label && one.type === draws.as),
      () => top(scenario)?.controls,
    );
  }
}

async function submit(scenario: Scenario, filled: Parameters<Scenario['slack']['submit']>[1]): Promise<void> {
  const { errors } = await scenario.person('ana').submits(filled);
  if (Object.keys(errors).length > 0) throw new Error(`the form was refused: ${JSON.stringify(errors)}`);
}

/** Confirms a review, with the typed name if it asks for one. */
async function confirm(scenario: Scenario, channel: string): Promise<ChangeThread> {
  const { controls } = await viewOf(scenario, 'review');
  const typed = controls.flatMap(({ label }) => /^Type (\S+) to confirm$/.exec(label) ?? []);
  return scenario.person('ana').confirms(typed.length > 0 ? { [typed[0] ?? '']: typed[1] ?? '' } : {}, channel);
}

const top = (scenario: Scenario): VisibleView | undefined => scenario.slack.views(ids.ana).modals.at(-1);

const viewOf = (scenario: Scenario, kind: string): Promise<VisibleView> =>
  expectSoon(
    scenario.slack,
    `a ${kind}`,
    () => (top(scenario)?.callback_id === kind ? top(scenario) : undefined),
    () => top(scenario)?.text,
  );
