import type { Scenario } from '../../stories/scenario.ts';
import type { Asked } from './asking.ts';
import type { Spot } from './world.ts';

/** One change as its row says, with the place of its card. */
export type FireChange = {
  readonly number: number;
  readonly state: string;
  readonly target_name: string;
  readonly settled_at: number | null;
  readonly reminders: number | null;
  readonly channel: string | null;
  readonly ts: string | null;
};

/** The SQL that reads all of them. */
export const allChanges = `
  select number, state, target_name, settled_at, reminders, messages.channel, ts
    from changes left join messages on key = number || ':card'`;

/** What came of everything that was asked. */
export type FireOutcome = {
  readonly acked: number;
  readonly states: Readonly<Record<string, number>>;
  /** Acked actions of which nothing was done: in the ack, or afterwards, their people were told so. */
  readonly refused: number;
  readonly told: number;
  readonly unacked: number;
  /** Of those, how many became a change all the same: their ack came too late. */
  readonly unackedChanges: number;
  readonly reports: number;
  readonly answered: number;
  readonly writes: number;
  /** What is wrong, in words. */
  readonly sentTwice: readonly string[];
  readonly lost: readonly string[];
  readonly untold: readonly string[];
};

/** Compares what was acked with the rows, with what the host received, and with what people can read in Slack. */
export function outcomeOf(scenario: Scenario, asked: Asked, changes: readonly FireChange[]): FireOutcome {
  const byTarget = Map.groupBy(changes, ({ target_name }) => target_name);
  const writes = scenario.writes();
  const changeAt = ({ environment }: Spot): FireChange | undefined => byTarget.get(environment)?.[0];
  const privately = createPrivateReader(scenario);
  const without = asked.acked.filter(({ spot }) => changeAt(spot) === undefined);
  const untoldSpots = without.filter(({ spot, isRefused }) => !isRefused && !isToldOf(privately(spot), spot));
  const open = changes.filter((change) => change.settled_at === null && !isTellingUnknown(change));
  return {
    acked: asked.acked.length,
    states: Object.fromEntries(
      [...Map.groupBy(changes, ({ state }) => state)].map(([state, all]) => [state, all.length]),
    ),
    refused: without.filter(({ isRefused }) => isRefused).length,
    told: without.filter(({ isRefused }) => !isRefused).length - untoldSpots.length,
    unacked: asked.unacked.length,
    unackedChanges: asked.unacked.filter(changeAt).length,
    reports: asked.reports.length,
    answered: asked.reports.filter(({ spot }) => privately(spot).some((text) => isReportOf(text, spot))).length,
    writes: writes.length,
    sentTwice: [
      ...[...Map.groupBy(writes, environmentOf)]
        .filter(([, all]) => all.length > 1)
        .map(([id]) => `two writes to ${id}`),
      ...[...byTarget].filter(([, all]) => all.length > 1).map(([name]) => `two changes of ${name}`),
    ],
    lost: [
      ...untoldSpots.map(
        ({ spot }) =>
          `${spot.person} was not told of ${spot.environment}: ${JSON.stringify(privately(spot).filter((text) => isNear(text, spot)))}`,
      ),
      ...open.map(({ number, state }) => `#${number} is still ${state}`),
    ],
    untold: changes.flatMap((change) => untoldEnd(scenario, change) ?? []),
  };
}

const isTellingUnknown = ({ state, reminders }: FireChange): boolean => state === 'unknown' && reminders !== null;

/** The environment's id in the path or the body of a write. */
const environmentOf = ({ path, body }: ReturnType<Scenario['writes']>[number]): string =>
  /e0e0e0e9-[\da-f-]{27}/.exec(`${path} ${JSON.stringify(body)}`)?.[0] ?? path;

/** What each person alone can read. */
function createPrivateReader({ slack }: Scenario): (spot: Spot) => readonly string[] {
  const known = new Map<string, readonly string[]>();
  return ({ person, channel }) => {
    const found =
      known.get(person) ??
      [
        ...slack.messages({ channel, as: person }).filter(({ ephemeral }) => ephemeral),
        ...slack.messages({ channel: `D0${person}`, as: person }),
      ].map(({ text }) => text);
    known.set(person, found);
    return found;
  };
}

/** Whether one of these says that nothing was done for it. */
const isToldOf = (texts: readonly string[], { environment }: Spot): boolean =>
  texts.some((text) => text.includes(`cache clear ${environment} `) && /nothing was done|Nothing was sent/i.test(text));

/** Whether it names this environment, or none. */
const isNear = (text: string, { environment }: Spot): boolean => text.includes(environment) || !/site-\d+\//.test(text);

const isReportOf = (text: string, { environment }: Spot): boolean =>
  text.includes(environment) && /backup/i.test(text) && !text.includes('cache clear');

/** What is missing in the thread of a change that has ended, or undefined. */
function untoldEnd({ slack }: Scenario, { number, state, channel, ts }: FireChange): string | undefined {
  if (channel === null || ts === null) return `#${number} has no card`;
  const as = /^D0(.*)$/.exec(channel)?.[1] ?? 'U1F0';
  const [card, ...replies] = slack.messages({ channel, thread: ts, as }).map(({ text }) => text);
  const said = replies.join('\n');
  const isTold =
    state === 'done' ? /^✅/m.test(said) : state === 'unknown' ? said.includes('Outcome unknown') : said !== '';
  return isTold ? undefined : `#${number} is ${state}, and its thread says ${JSON.stringify([card, ...replies])}`;
}
