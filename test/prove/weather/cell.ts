import { ids, type House } from '../../stories/house.ts';
import { eventually, onScene, type Scene } from '../scene.ts';
import type { Kind } from './kinds.ts';
import { byPeople, type Weather } from './weathers.ts';

/** What came of one kind of change in one weather. */
export type Cell = {
  readonly weather: Weather;
  readonly kind: Kind;
  readonly database: Scene['database'];
  /** Requests that the host received for it. */
  readonly sent: number;
  /** The state in which it ended; `none`: nothing was saved. */
  readonly end: string;
  /** Who heard of it while the weather lasted. */
  readonly told: readonly string[];
  /** How long after the last thing was done somebody heard. */
  readonly afterMs: number;
  /** What was said and was not so. */
  readonly falseWords: readonly string[];
  /** What is not as it must be. */
  readonly wrong: readonly string[];
};

/** Lives through a weather with one kind of change, on SQLite or on the PostgreSQL at `url`. */
export const weather = (name: Weather, kind: Kind, url?: string): Promise<Cell> =>
  onScene(url, (scene) => live(scene, name, kind), name.policy ?? byPeople);

/** How often it is looked at while the weather lasts, all that can be due made due each time. */
const looks = 12;

async function live(scene: Scene, weather: Weather, kind: Kind): Promise<Cell> {
  const { house, database } = scene;
  await scene.start();
  await kind.prepare(scene);
  await scene.atRest();
  const before = await standing(scene);
  const mend = await weather.begins(scene, kind);
  const began = performance.now();
  const acting = kind.act(scene);
  const falseWords = new Set<string>();
  const look = (isOver: boolean): void => {
    for (const { text } of newsOf(house, before))
      for (const lie of liesIn(text, house, before, weather, isOver)) falseWords.add(lie);
  };
  await eventually('told', () => (newsOf(house, before).length > 0 ? '' : 'nobody heard anything'));
  const afterMs = performance.now() - began;
  for (let done = 0; done < looks; done += 1) {
    await hurry(scene);
    await eventually('looked at', nextLook());
    look(false);
  }
  const told = [...new Set(newsOf(house, before).map(({ where }) => where))];
  await acting;
  await mend();
  await eventually('ended', async () => {
    await hurry(scene);
    const change = await changeOf(scene, kind, before);
    if (change?.hasEnded) return '';
    // Nobody does it twice: only what was refused, or still waits for it, is done again.
    if (change === undefined || change.state === 'waiting') await kind.act(scene).catch(() => undefined);
    return `it is ${change?.state ?? 'not asked for'}`;
  });
  await scene.atRest();
  look(true);
  const end = (await changeOf(scene, kind, before))?.state ?? 'none';
  const sent = house.writes().length - before.writes;
  const came = `${sent} written, ${end}`;
  const must = weather.must?.(kind) ?? ['1 written, done'];
  const wrong = [...(must.includes(came) ? [] : [`${came}, and it must be ${must.join(' or ')}`]), ...falseWords];
  return { weather, kind, database, sent, end, told, afterMs, falseWords: [...falseWords], wrong };
}

/** How far everything was when the weather began. */
type Standing = { readonly writes: number; readonly newest: number; readonly said: ReadonlySet<string> };

async function standing({ house, rows }: Scene): Promise<Standing> {
  const [newest] = await rows('select coalesce(max(number), 0) as number from changes');
  const said = new Set(everything(house).map(({ text }) => text));
  return { writes: house.writes().length, newest: Number(newest?.['number']), said };
}

/** The change that it is about: the one that waits, or the one that came of the last thing. */
async function changeOf({ rows }: Scene, { name }: Kind, { newest }: Standing) {
  const which = name === 'destructive' ? `= ${newest}` : `> ${newest}`;
  const [found] = await rows(
    `select state, settled_at from changes where number ${which} order by number desc limit 1`,
  );
  if (found === undefined) return undefined;
  const state = String(found['state']);
  return { state, hasEnded: found['settled_at'] !== null || state === 'unknown' };
}

/** What waits for its time, without anybody working on it, is due now. */
async function hurry({ write }: Scene): Promise<void> {
  const cooling = `number || ':stop' in (select key from messages where ts is null)`;
  await write(`update changes set due_at = 1
    where state in ('approved', 'accepted') and owner is null and due_at > 1 and not ${cooling}`);
  await write(`update timers set due_at = 1 where owner is null and due_at > 1`);
}

/** The next tenth of a second. */
const nextLook = (): (() => string) => {
  let isFirst = true;
  return () => {
    const again = isFirst ? 'not yet' : '';
    isFirst = false;
    return again;
  };
};

type Said = { readonly where: 'thread' | 'private' | 'form' | 'ops'; readonly text: string };

/** All that anybody can read by now. */
function everything({ slack }: House): readonly Said[] {
  const people = [ids.ana, ids.chi, ids.dee];
  const inChannel = (channel: string, as: string, where: Said['where']): Said[] => {
    const roots = slack.messages({ channel, as });
    const all = roots.flatMap(({ ts }) => slack.messages({ channel, thread: ts, as }));
    return [...roots, ...all].map(({ text, ephemeral }) => ({ where: ephemeral ? 'private' : where, text }));
  };
  return [
    ...people.flatMap((id) => inChannel('C0ACME', id, 'thread')),
    ...inChannel('C0OPS', ids.chi, 'ops'),
    ...people.flatMap((id) => inChannel(`D0${id}`, id, 'private')),
    ...people.flatMap((id) => slack.views(id).modals.map(({ text }): Said => ({ where: 'form', text }))),
  ];
}

const newsOf = (house: House, { said }: Standing): readonly Said[] =>
  everything(house).filter(({ text }) => !said.has(text));

/** In no weather is anything gone, failed, void or refused by the host; and done is only what was written and seen. */
function liesIn(
  text: string,
  house: House,
  before: Standing,
  { isBlind }: Weather,
  isOver: boolean,
): readonly string[] {
  const lies = [...text.matchAll(/\b(?:is gone|failed|void|nothing left to remove|The host refused it)\b/gi)].map(
    ([word]) => word,
  );
  const isWritten = house.writes().length > before.writes;
  const isDone = /✅/.test(text) && (!isWritten || (isBlind === true && !isOver));
  return [...lies, ...(isDone ? ['✅'] : [])].map((lie) => `“${lie}” in “${text.slice(0, 200)}”`);
}
