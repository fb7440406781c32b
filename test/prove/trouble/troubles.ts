import { patienceMs } from '../../patience.ts';
import { copyFileSync, renameSync } from 'node:fs';
import { BOT_USER } from '../../../src/playground/slack/seed.ts';
import { canaries, ids } from '../../stories/scenario.ts';
import { eventually, type Scene } from '../scene.ts';
import { remember } from '../set-back.ts';
import type { Kind } from './change-kinds.ts';
import { processIsFrozen, sitesAnswerWithoutEnd, strangersBurst } from './hostile-peers.ts';
import { sent } from './until-sent.ts';

/** A trouble under way. */
type OngoingTrouble = {
  /** Ends it. */
  readonly mend: () => Promise<unknown> | void;
  /** Does the last step in another way. */
  readonly act?: () => Promise<unknown>;
  /** What follows the last step; resolves when the trouble is at its worst. */
  readonly comes?: () => Promise<unknown>;
};

/** Ordinary trouble: we kill no process and forge nothing. */
export type Trouble = {
  readonly name: string;
  /** Starts before the last step. */
  readonly begins: (scene: Scene, kind: Kind) => Promise<OngoingTrouble> | OngoingTrouble;
  /** The policy; by default it names people by their ids. */
  readonly policy?: string;
  /** Whether the host cannot be read while it lasts, so that nothing can be called done. */
  readonly isBlind?: true;
  /** Whether the bot is down while it lasts. */
  readonly isDown?: true;
  /** Whether nobody can be told before it is over. */
  readonly isHeardAfter?: true;
  /** What nobody may read during it, besides what is always false. */
  readonly untrue?: RegExp;
  /** Whether Slack's three seconds are held for the last step. */
  readonly isAckedInTime?: true;
  /** The only database it can happen on; absent means both. */
  readonly only?: Scene['database'];
  /** The kinds of change it cannot happen to. */
  readonly without?: readonly Kind['name'][];
  /** Allowed outcomes besides *written once, done*. */
  readonly mayBe?: readonly string[];
};

const rules = (developers: string, leads: string): string => `
version: 1
live: ['*/live']
groups:
  developers: [${developers}]
  leads: [${leads}]
rules:
  - { allow: [read], to: everyone }
  - { allow: [routine, sensitive], to: [developers] }
  - { allow: [push], to: [developers], approval: { by: [leads], count: 1, expires: 1h } }
channels: { ops: C0OPS }
`;

/** Ana may ask for everything. A push needs approval by Chi or Dee. */
export const byPeople = rules(ids.ana, `${ids.chi}, ${ids.dee}`);
/** The same people, named by their user groups. */
const byGroups = rules('S0DEVS', 'S0LEADS');

const always = { times: 'always' } as const;

/** The bot is stopped, something breaks, and the bot starts again. */
const restartInto =
  (cause: (scene: Scene) => unknown): Trouble['begins'] =>
  async (scene) => {
    await scene.scenario.stop();
    cause(scene);
    await scene.start(0, 'connected');
    return { mend: () => void scene.scenario.hosting.faults.remove() };
  };

const hostListsNothing = ({ scenario: { hosting } }: Scene): void => {
  const empty = (path: string, company: object): unknown =>
    hosting.faults.add({ kind: 'status', method: 'GET', path, status: 200, body: { company }, ...always });
  empty('/sites', { sites: [] });
  empty('/domains', { domains: [] });
  empty('/company/*/wp-themes', { themes: { total: 0, items: [] } });
};

/** The bot starts while Slack does not say who is in which user group. The bot is told when that ends. */
const groupsAnswer =
  (error: string): Trouble['begins'] =>
  async (scene, kind) => {
    const { slack } = scene.scenario;
    const refuse = (): unknown => slack.faults.add({ method: 'usergroups.users.list', kind: 'error', error });
    await restartInto(refuse)(scene, kind);
    return {
      mend: async () => {
        slack.faults.remove();
        for (const { id, users } of slack.groups()) await slack.changeGroup(id, users);
      },
    };
  };

/**
 * From the write on, every read of the host returns its gateway's page. The write is answered only after that begins,
 * because a change that could be read back before would rightly be called done.
 */
const gatewayAfterTheWrite: Trouble['begins'] = (scene) => {
  const { hosting } = scene.scenario;
  const before = scene.scenario.writes().length;
  for (const method of ['POST', 'PUT'] as const) hosting.faults.add({ kind: 'delay', method, ms: patienceMs });
  return {
    comes: async () => {
      await sent(scene, before);
      hosting.faults.add({ kind: 'gateway', method: 'GET', status: 500, ...always });
      hosting.faults.release();
    },
    mend: () => void hosting.faults.remove(),
  };
};

const channelRefuses =
  (error: string): Trouble['begins'] =>
  ({ scenario: { slack } }) => {
    slack.faults.add({ method: 'chat.postMessage', kind: 'error', error, channel: 'C0ACME' });
    return { mend: () => void slack.faults.remove() };
  };

/** Slack refuses every message, wherever it goes, until all that waits has been tried for an hour. */
const slackRefusesEverything: Trouble['begins'] = (scene) => {
  const { slack } = scene.scenario;
  for (const method of ['chat.postMessage', 'chat.update', 'chat.postEphemeral'])
    slack.faults.add({ method, kind: 'error', error: 'ekm_access_denied' });
  const mend = (): void => void slack.faults.remove();
  return {
    comes: async () => {
      for (let minute = 0; minute < 60; minute += 1) await scene.hurry();
      mend();
    },
    mend,
  };
};

/** The host answers the write with a body that says the opposite of its status. */
const bodyContradicts =
  (status: number, body: object): Trouble['begins'] =>
  (scene) => {
    const { hosting } = scene.scenario;
    const before = scene.scenario.writes().length;
    for (const method of ['POST', 'PUT'] as const)
      hosting.faults.add({ kind: 'status', method, status, body, ...always });
    return { comes: () => sent(scene, before), mend: () => void hosting.faults.remove() };
  };

/** Somebody deletes each card as soon as it is there. Slack puts a reply to it loose into the channel, or refuses it. */
const cardsAreDeleted =
  (strictThreads: boolean): Trouble['begins'] =>
  ({ scenario: { slack } }) => {
    slack.changeChannel('C0ACME', { strictThreads });
    let isOver = false;
    const deleteCards = async (): Promise<void> => {
      for (const { author, ts, text } of slack.messages({ channel: 'C0ACME', as: ids.ana }))
        if (!isOver && author === BOT_USER && /^Asked by /m.test(text)) await deleteMessage(slack.apiUrl, 'C0ACME', ts);
    };
    const times = 3;
    return {
      comes: async () => {
        for (let time = 0; time < times; time += 1) await slack.until(() => undefined, 300).catch(deleteCards);
      },
      mend: () => void (isOver = true),
    };
  };

async function deleteMessage(apiUrl: string, channel: string, ts: string): Promise<void> {
  const headers = { authorization: `Bearer ${canaries.bot}` };
  await fetch(`${apiUrl}chat.delete`, { method: 'POST', headers, body: new URLSearchParams({ channel, ts }) });
}

/** The running bot's wall clock jumps by this many hours, and back at the end. */
const clockJumps =
  (hours: number): Trouble['begins'] =>
  async ({ setClock }) => {
    await setClock(hours);
    return { mend: () => setClock(0) };
  };

/** The process ends by itself, as it must, and is started again. */
const endsAndStarts = (scene: Scene): OngoingTrouble => ({
  comes: () =>
    eventually('ended', async () => {
      if (scene.hasEnded()) return '';
      await scene.hurry();
      return 'it still runs';
    }),
  mend: () => scene.start(),
});

const flushFails: Trouble['begins'] = (scene) => {
  scene.failFlush();
  return endsAndStarts(scene);
};

const fileIsReplaced: Trouble['begins'] = (scene) => {
  const file = scene.scenario.databaseUrl.slice('sqlite:'.length);
  copyFileSync(file, `${file}.copy`);
  renameSync(`${file}.copy`, file);
  return endsAndStarts(scene);
};

const logIsFull: Trouble['begins'] = ({ fillLog, scenario, hasEnded }) => {
  fillLog(true);
  return {
    mend: () => {
      fillLog(false);
      return eventually('written again', () => {
        if (hasEnded()) throw new Error('the bot has ended');
        return scenario.log().includes('lines of this log could not be written') ? '' : 'the log says nothing';
      });
    },
  };
};

/** The database is restored to before the change was sent, while the host has it. */
const commitIsLost: Trouble['begins'] = async (scene) => {
  const { scenario, write, rows } = scene;
  const before = scenario.writes().length;
  const isPaused = `insert into kv (key, value, at) values ('pause', '{"by":"U03CHI","name":"Chi","at":1}', 1)`;
  await write(isPaused);
  scenario.hosting.faults.add({ kind: 'delay', method: 'POST', ms: 1_500 });
  scenario.hosting.faults.add({ kind: 'delay', method: 'PUT', ms: 1_500 });
  const unpause = (): Promise<unknown> => write(`delete from kv where key = 'pause'`);
  return {
    comes: async () => {
      await eventually('approved', async () => {
        const approved = await rows(`select 1 as found from changes where state = 'approved'`);
        const pending = await rows(`select 1 as found from messages where due_at is not null`);
        return approved.length > 0 && pending.length === 0 ? '' : 'not yet';
      });
      const setBack = await remember(write);
      await unpause();
      await sent(scene, before);
      await setBack();
    },
    // A person has checked the host's panel and resumes.
    mend: async () => {
      scenario.hosting.faults.remove();
      await unpause();
    },
  };
};

/** Ana edits a message until it contains the command. Routine kinds need only words and are asked by a mention. */
const messageIsEdited: Trouble['begins'] = async ({ scenario: { slack } }, kind) => {
  const mention = `<@U0SITEHAND> ${kind.words}`;
  const isRoutine = kind.name === 'routine';
  const said = isRoutine ? undefined : await slack.say(ids.ana, 'C0ACME', 'what shall we do?');
  let ts = said?.ts ?? '';
  return {
    ...(isRoutine && {
      act: async () => {
        const said = await slack.mention(ids.ana, 'C0ACME', kind.words);
        ({ ts } = said);
        return said;
      },
    }),
    comes: async () => {
      for (const words of [mention, `${mention} --reason again`]) await slack.edit(ids.ana, 'C0ACME', ts, words);
    },
    mend: () => undefined,
  };
};

export const troubles: readonly Trouble[] = [
  {
    name: 'the host is away while the bot restarts',
    begins: restartInto(({ scenario }) => scenario.hosting.faults.add({ kind: 'status', status: 503, ...always })),
  },
  { name: 'the host lists nothing while the bot restarts', begins: restartInto(hostListsNothing) },
  { name: 'a gateway answers HTML once it was written', isBlind: true, begins: gatewayAfterTheWrite },
  {
    name: 'user groups cannot be read (missing_scope)',
    policy: byGroups,
    begins: groupsAnswer('missing_scope'),
  },
  {
    name: 'user groups are gone (no_such_subteam)',
    policy: byGroups,
    begins: groupsAnswer('no_such_subteam'),
  },
  { name: 'the channel has rules of posting', begins: channelRefuses('restricted_action_read_only_channel') },
  { name: 'Slack refuses every message for an hour', isHeardAfter: true, begins: slackRefusesEverything },
  { name: 'cards are deleted, and Slack puts replies loose', begins: cardsAreDeleted(false) },
  { name: 'cards are deleted, and Slack refuses replies', begins: cardsAreDeleted(true) },
  {
    name: 'the host answers 202, and its body 500',
    untrue: /Accepted by the host/,
    begins: bodyContradicts(202, { message: 'Operation failed', status: 500, operation_id: null }),
    mayBe: ['1 written, unknown'],
  },
  {
    name: 'the host answers 400, and its body 502',
    begins: bodyContradicts(400, { message: 'Bad gateway', status: 502 }),
    mayBe: ['1 written, unknown'],
  },
  { name: 'a message is edited', begins: messageIsEdited },
  { name: 'the clock is set back two hours', only: 'SQLite', begins: clockJumps(-2) },
  { name: 'the clock is set forward two hours', only: 'SQLite', begins: clockJumps(2) },
  { name: 'the log has no room', begins: logIsFull },
  {
    name: 'a flush fails',
    only: 'SQLite',
    isDown: true,
    begins: flushFails,
    mayBe: ['1 written, unknown', '0 written, unknown'],
  },
  {
    name: 'the database file is replaced',
    only: 'SQLite',
    isDown: true,
    begins: fileIsReplaced,
    mayBe: ['1 written, unknown', '0 written, unknown'],
  },
  {
    name: 'a commit is lost',
    only: 'PostgreSQL',
    without: ['timed'],
    begins: commitIsLost,
    mayBe: ['1 written, unknown'],
  },
  { name: 'strangers send bursts', isAckedInTime: true, begins: strangersBurst },
  {
    name: 'sites answer without end',
    isAckedInTime: true,
    policy: `${byPeople}checks: {}\n`,
    begins: sitesAnswerWithoutEnd,
  },
  {
    name: 'the process is frozen past its deadline',
    only: 'SQLite',
    isHeardAfter: true,
    untrue: /no answer within|\bunknown\b/i,
    begins: processIsFrozen,
  },
];
