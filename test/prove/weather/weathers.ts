import { ids } from '../../stories/house.ts';
import type { Scene } from '../scene.ts';
import type { Kind } from './kinds.ts';

/** Ends the weather. */
export type Mend = () => Promise<void> | void;

/** Trouble of an ordinary kind: nobody dies, nothing is forged. */
export type Weather = {
  readonly name: string;
  /** Begins before the last thing is done; resolves with what ends it. */
  readonly begins: (scene: Scene, kind: Kind) => Promise<Mend>;
  /** The rules that hold; left out: people by their ids. */
  readonly policy?: string;
  /** Whether the host cannot be read while it lasts: nothing can be called done then. */
  readonly isBlind?: true;
  /** On which database it can be; left out: both. */
  readonly only?: Scene['database'];
  /** What must come of it; left out: written once and done. */
  readonly must?: (kind: Kind) => readonly string[];
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

/** Ana may ask for everything; a push waits for Chi or for Dee. */
export const byPeople = rules(ids.ana, `${ids.chi}, ${ids.dee}`);
/** The same people, by the user groups that they are in. */
const byGroups = rules('S0DEVS', 'S0LEADS');

const always = { times: 'always' } as const;
const page = '<html><body><h1>502 Bad Gateway</h1></body></html>';

/** The bot is stopped, the host gets into trouble, and the bot comes back into it. */
const restartInto =
  (trouble: (scene: Scene) => unknown): Weather['begins'] =>
  async (scene) => {
    await scene.house.stop();
    trouble(scene);
    await scene.start(0, 'connected');
    return () => {
      scene.house.hosting.faults.remove();
      scene.house.slack.faults.remove();
    };
  };

/** From the first write on, whatever is read of the host is a page of its gateway. */
const gatewayAfterTheWrite: Weather['begins'] = async ({ house }) => {
  const { hosting } = house;
  const before = house.writes().length;
  const writes = hosting.until(() => house.writes()[before]);
  void writes.then(() =>
    hosting.faults.add({
      kind: 'status',
      method: 'GET',
      status: 500,
      text: page,
      headers: { 'content-type': 'text/html' },
      ...always,
    }),
  );
  return () => void hosting.faults.remove();
};

const groupsAnswer =
  (error: string) =>
  ({ house: { slack } }: Scene): unknown =>
    slack.faults.add({ method: 'usergroups.users.list', kind: 'error', error });

const slackRefuses =
  (method: string, error: string, channel?: string): Weather['begins'] =>
  async ({ house: { slack } }) => {
    slack.faults.add({ method, kind: 'error', error, ...(channel && { channel }) });
    return () => void slack.faults.remove();
  };

/** The wall clock of the running bot jumps by so many hours, and back when it is over. */
const clockJumps =
  (hours: number): Weather['begins'] =>
  async ({ setClock }) => {
    setClock(hours);
    return () => setClock(0);
  };

export const weathers: readonly Weather[] = [
  {
    name: 'the host is away while the bot restarts',
    begins: restartInto(({ house }) => house.hosting.faults.add({ kind: 'status', status: 503, ...always })),
  },
  {
    name: 'the host lists nothing while the bot restarts',
    begins: restartInto(({ house: { hosting } }) => {
      const empty = (path: string, company: object): unknown =>
        hosting.faults.add({ kind: 'status', method: 'GET', path, status: 200, body: { company }, ...always });
      empty('/sites', { sites: [] });
      empty('/domains', { domains: [] });
      empty('/company/*/wp-themes', { themes: { total: 0, items: [] } });
    }),
  },
  { name: 'a gateway answers HTML once it was written', isBlind: true, begins: gatewayAfterTheWrite },
  {
    name: 'user groups cannot be read (missing_scope)',
    policy: byGroups,
    begins: restartInto(groupsAnswer('missing_scope')),
  },
  {
    name: 'user groups are gone (no_such_subteam)',
    policy: byGroups,
    begins: restartInto(groupsAnswer('no_such_subteam')),
  },
  {
    name: 'the channel takes no posts (restricted_action_read_only_channel)',
    begins: slackRefuses('chat.postMessage', 'restricted_action_read_only_channel', 'C0ACME'),
  },
  { name: 'the clock is set back two hours', only: 'SQLite', begins: clockJumps(-2) },
  { name: 'the clock is set forward two hours', only: 'SQLite', begins: clockJumps(2) },
];
