import { z } from 'zod';
import { BOT_USER } from '../../../src/playground/slack/seed.ts';
import { ids, patienceMs, type Scenario } from '../../stories/scenario.ts';
import { isUndelivered } from '../act-until-done.ts';
import { eventually, withScene, type Scene } from '../scene.ts';
import type { Kind } from './change-kinds.ts';
import { byPeople, type Trouble } from './troubles.ts';

/** The outcome of one kind of change during one trouble. */
export type CaseResult = {
  readonly trouble: Trouble;
  readonly kind: Kind;
  readonly database: Scene['database'];
  /** Writes that the host received for it. */
  readonly sent: number;
  /** The state in which it ended; `none` means nothing was saved. */
  readonly end: string;
  /** Where it was reported while the trouble lasted. */
  readonly told: readonly string[];
  /** Milliseconds from the last step, or from the bot's return, to the first report. */
  readonly afterMs: number;
  /** False statements in messages. */
  readonly falseWords: readonly string[];
  /** Everything that is not as it must be. */
  readonly wrong: readonly string[];
};

/** Runs one kind of change during one trouble, on SQLite or on the PostgreSQL at `url`. */
export const runCase = (trouble: Trouble, kind: Kind, url?: string): Promise<CaseResult> =>
  withScene(url, (scene) => run(scene, trouble, kind), trouble.policy ?? byPeople);

/** How often messages are checked during the trouble. Before each check, waiting work is made due. */
const checks = 10;
/** The acting person or ops must hear something within this time (ms). A busy machine takes a quarter of it. */
const toldWithinMs = 10_000;
/** What Slack waits for an ack (ms). */
const ackWithinMs = 3_000;

async function run(scene: Scene, trouble: Trouble, kind: Kind): Promise<CaseResult> {
  const { scenario, database, hurry, rows } = scene;
  await scene.start();
  await kind.prepare(scene);
  await scene.atRest();
  const before = await baselineOf(scene);
  const falseWords = new Set<string>();
  const look = (isOver: boolean): void => {
    for (const { text } of newsOf(scenario, before))
      for (const lie of falseStatementsIn(text, scenario, before, trouble, isOver)) falseWords.add(lie);
  };
  const { mend, act = () => kind.act(scene), comes } = await trouble.begins(scene, kind);
  const heardOf = async ({ isToldBySlack }: Partial<Asked> = {}): Promise<number> => {
    const since = performance.now();
    await eventually('told', async () => {
      const isHeard = newsOf(scenario, before).length > 0 || (isToldBySlack && (await rows(kept)).length === 0);
      return isHeard ? '' : 'nobody heard anything';
    });
    return performance.now() - since;
  };
  // A process that ends while handling it answers nobody and has lost what it did not save.
  const asked = trouble.isDown ? { ...(await ask(scene, act)), isUnheard: true } : await askUntilHeard(scene, act);
  const coming = comes?.() ?? Promise.resolve();
  const heard = async (): Promise<number> => {
    if (trouble.isHeardAfter) await coming;
    return heardOf();
  };
  const reported = trouble.isDown ? undefined : heard();
  await Promise.all([coming, reported]);
  await eventually(
    'looked at',
    countDown(checks, async () => (look(false), hurry())),
  );
  if (trouble.isDown) await mend();
  const afterMs = await (reported ?? heardOf(asked));
  const told = [...new Set(newsOf(scenario, before).map(({ where }) => where))];
  if (!trouble.isDown) await mend();
  await endWell(scene, kind, before, asked);
  look(true);
  const end = (await changeOf(scene, kind, before))?.state ?? 'none';
  const sent = scenario.writes().length - before.writes;
  const came = `${sent} written, ${end}`;
  const must = ['1 written, done', ...(trouble.mayBe ?? [])];
  const wrong = [
    ...(must.includes(came) ? [] : [`${came}, and it must be ${must.join(' or ')}`]),
    ...(afterMs > toldWithinMs ? [`nobody heard of it for ${Math.round(afterMs)} ms`] : []),
    ...(trouble.isAckedInTime && (asked.ackMs ?? 0) > ackWithinMs
      ? [`the last step was acked after ${Math.round(asked.ackMs ?? 0)} ms`]
      : []),
    ...falseWords,
  ];
  return { trouble, kind, database, sent, end, told, afterMs, falseWords: [...falseWords], wrong };
}

/**
 * A step that was done: what could be read privately before, whether no bot received it, and whether Slack itself said
 * so to the person. That is all they can hear if the disk failed before the delivery was kept.
 */
type Asked = {
  readonly read: string;
  readonly isUnheard: boolean;
  readonly isToldBySlack?: boolean;
  /** Until Slack had its ack, in ms. */
  readonly ackMs?: number;
};

const kept = 'select 1 from inbox';
const outcomeShape = z.object({
  delivered: z.boolean(),
  acked: z.boolean(),
  ms: z.number(),
  shown: z.string().optional(),
});

async function ask({ scenario }: Scene, act: () => Promise<unknown>): Promise<Asked> {
  const read = privateText(scenario);
  try {
    const outcome = outcomeShape.safeParse(await act());
    if (!outcome.success) return { read, isUnheard: false };
    const { ms: ackMs, shown } = outcome.data;
    return { read, isUnheard: isUndelivered(outcome.data), isToldBySlack: shown !== undefined, ackMs };
  } catch {
    // There was no button to press yet.
    return { read, isUnheard: true };
  }
}

async function askUntilHeard(scene: Scene, act: () => Promise<unknown>): Promise<Asked> {
  await scene.scenario.slack.connected(patienceMs);
  let asked = await ask(scene, act);
  await eventually('heard', async () => {
    if (!asked.isUnheard) return '';
    asked = await ask(scene, act);
    return 'no bot was connected, or there was nothing to be pressed';
  });
  return asked;
}

/**
 * Resolves when the change has ended. The last step is repeated only if no bot received it, or if a person was told why
 * nothing came of it. Slow answers are waited for.
 */
async function endWell(scene: Scene, kind: Kind, before: Baseline, asked: Asked): Promise<void> {
  let last = asked;
  await eventually('ended', async () => {
    await scene.hurry();
    const open = await scene.rows('select key from inbox where closed_at is null');
    const change = await changeOf(scene, kind, before);
    if (change?.hasEnded) return '';
    if (change !== undefined && change.state !== 'waiting') return `it is ${change.state}`;
    const isAnswered = open.length === 0 && (last.isUnheard || privateText(scene.scenario) !== last.read);
    if (!isAnswered) return `no answer yet; ${open.length} deliveries are open`;
    last = await ask(scene, () => kind.act(scene));
    return 'it was asked for again';
  });
  await scene.atRest();
}

/** The state when the trouble began. */
type Baseline = { readonly writes: number; readonly newest: number; readonly said: ReadonlySet<string> };

async function baselineOf({ scenario, rows }: Scene): Promise<Baseline> {
  const [newest] = await rows('select coalesce(max(number), 0) as number from changes');
  const said = new Set(everything(scenario).map(({ text }) => text));
  return { writes: scenario.writes().length, newest: Number(newest?.['number']), said };
}

/** The change in question: the waiting one, or the one made by the last step. */
async function changeOf({ rows }: Scene, { name }: Kind, { newest }: Baseline) {
  const which = name === 'destructive' ? `= ${newest}` : `> ${newest}`;
  const [found] = await rows(
    `select state, settled_at from changes where number ${which} order by number desc limit 1`,
  );
  if (found === undefined) return undefined;
  const state = String(found['state']);
  return { state, hasEnded: found['settled_at'] !== null || state === 'unknown' };
}

/** For `eventually`: acts this many times. */
const countDown = (times: number, act: () => Promise<unknown>): (() => Promise<string>) => {
  let left = times;
  return async () => {
    if (left === 0) return '';
    await act();
    left -= 1;
    return `${left} times more`;
  };
};

type Text = { readonly where: 'thread' | 'private' | 'form' | 'ops'; readonly text: string };

/** Everything that people can read now. */
function everything({ slack }: Scenario): readonly Text[] {
  const people = [ids.ana, ids.chi, ids.dee];
  const inChannel = (channel: string, as: string, where: Text['where']): Text[] => {
    const roots = slack.messages({ channel, as });
    const threads = roots.flatMap(({ ts }) => slack.messages({ channel, thread: ts, as }));
    return [...roots, ...threads]
      .filter(({ author }) => author === BOT_USER)
      .map(({ text, ephemeral }) => ({ where: ephemeral ? 'private' : where, text }));
  };
  return [
    ...people.flatMap((id) => inChannel('C0ACME', id, 'thread')),
    ...inChannel('C0OPS', ids.chi, 'ops'),
    ...people.flatMap((id) => inChannel(`D0${id}`, id, 'private')),
    ...people.flatMap((id) => slack.views(id).modals.map(({ text }): Text => ({ where: 'form', text }))),
  ];
}

/** Private messages and forms, where people are told why nothing came of a step. */
const privateText = (scenario: Scenario): string =>
  JSON.stringify(everything(scenario).filter(({ where }) => where === 'private' || where === 'form'));

const newsOf = (scenario: Scenario, { said }: Baseline): readonly Text[] =>
  everything(scenario).filter(({ text }) => !said.has(text));

/** No trouble makes anything gone, failed, invalidated or refused by the host, and *done* needs a write and a look. */
function falseStatementsIn(
  text: string,
  scenario: Scenario,
  before: Baseline,
  { isBlind, untrue }: Trouble,
  isOver: boolean,
): readonly string[] {
  // What somebody else says is quoted.
  const ours = text.replaceAll(/“[^”]*”/g, '');
  const lies = [...ours.matchAll(/\b(?:is gone|failed|invalidated|nothing left to|The host rejected it)\b/gi)].map(
    ([word]) => word,
  );
  const isWritten = scenario.writes().length > before.writes;
  const isDone = /✅/.test(text) && (!isWritten || (isBlind === true && !isOver));
  const more = untrue?.exec(text)?.slice(0, 1) ?? [];
  return [...lies, ...more, ...(isDone ? ['✅'] : [])].map((lie) => `“${lie}” in “${text.slice(0, 200)}”`);
}
