import type { HostReader } from '../../src/hosting/contract/call.ts';
import { createChangeStore } from '../../src/change/change-store.ts';
import type { Person } from '../../src/access/access-check.ts';
import { nameToType, type Confirmation } from '../../src/change/confirmation.ts';
import type { Pinned } from '../../src/change/pin.ts';
import { createSendHistory } from '../../src/send/send-history.ts';
import { parseArgs } from '../../src/language/parse.ts';
import { resolve } from '../../src/language/resolve.ts';
import { evaluate } from '../../src/talk/conversation.ts';
import { lookAndPin } from '../../src/decide/look-and-pin.ts';
import { save } from '../../src/decide/submit.ts';
import { catalogue } from '../../src/commands/index.ts';
import type { Args } from '../../src/base/errors.ts';
import type { Policy } from '../../src/policy/rules.ts';
import { authorizationOf, type BrokenGlass } from '../../src/access/authorization.ts';
import { findChange, unreviewed, type Change } from '../../src/storage/changes.ts';
import { openDatabase, type Database } from '../../src/storage/database.ts';
import { castVote } from '../../src/storage/votes.ts';
import { company, noCertificate, noSites, contextWith } from '../fixtures.ts';
import { idOf, namesOf, policy, roles, type Role } from './people-and-rules.ts';
import type { SendContext } from '../../src/send/context.ts';
import type { PipelineContext } from '../../src/talk/context.ts';

/** Waiting changes in a real database, with a context that decides and sends them. */

/** Late enough for a write sent at 1 to be closed. */
export const now = 1_000_000;

const read: HostReader = async (call) =>
  call.reply.parse({
    environment: {
      active_container: { ssh_ip_allowlist: ['10.0.0.1', '10.0.0.2'], sftp_ip_allowlist: ['10.0.0.1', '10.0.0.2'] },
      backups: [{ id: 1, name: '', note: null, type: 'scheduled', created_at: 1 }],
    },
  });

/** Everybody as Slack describes them now; `instead` replaces some people. */
export const whoIs =
  (...instead: readonly Person[]) =>
  async (id: string): Promise<Person | undefined> =>
    [...instead, ...Object.values(roles)].find((one) => one.id === id);

/** The context that requests, decides and sends; `more` overrides parts of it. */
export function contextOver(
  database: Database,
  more: Partial<PipelineContext> = {},
  rulesThen: Policy = policy,
): PipelineContext {
  return contextWith({
    database,
    changeStore: createChangeStore({
      auditKey: undefined,
      installation: database.installation,
      onEvent: () => undefined,
    }),
    owner: 'the test',
    policy: () => rulesThen,
    company: () => company,
    names: namesOf(undefined, rulesThen),
    membersOf: async () => [roles.kim.id],
    personOf: whoIs(),
    whoIs: whoIs(),
    read,
    certificate: noCertificate,
    ...noSites,
    freshenNames: async () => 0,
    presenceOf: () => 'listed',
    rulesDiffer: () => false,
    history: createSendHistory(),
    onAnswer: () => undefined,
    onSaved: () => undefined,
    onTrouble: (what, error) => {
      throw new Error(what, { cause: error });
    },
    ...more,
  });
}

/** A new database with a stopped clock. */
export const openStill = (): Promise<Database> => openDatabase('sqlite::memory:', { now: () => now });

/** A request, reviewed and pinned as it would be saved. */
export async function pinnedFrom(context: SendContext, role: Role, words: Args): Promise<Pinned> {
  const requester = { person: roles[role], channel: { id: 'C1', shared: false } };
  const parsed = { ...parseArgs(words, catalogue), reason: 'release 42' };
  const evaluated = evaluate(context, resolve(parsed, context.names(requester.person)), requester);
  if (evaluated.kind === 'ask' || parsed.command.shape !== 'action') throw new Error('this cannot be asked for');
  return lookAndPin(context, evaluated.authorized, parsed.command);
}

/** The requester's confirmation of the current review, with the name typed if required. */
export const confirmationOf = (pinned: Pinned): Confirmation => ({
  shown: pinned.fingerprint,
  typedName: nameToType(pinned.action, pinned.target),
});

async function asked(context: SendContext, role: Role, ...words: Args): Promise<Change> {
  const pinned = await pinnedFrom(context, role, words);
  const requester = { person: roles[role], channel: { id: 'C1', shared: false } };
  const change = await save(context, pinned, requester, confirmationOf(pinned), undefined);
  if (change === undefined) throw new Error('it was not saved');
  return change;
}

/** Updates the change's row, and reads it back. */
async function standing(database: Database, { number }: Change, more: Partial<Change>): Promise<Change> {
  await database.db.updateTable('changes').set(more).where('number', '=', number).execute();
  const change = await findChange(database.db, number);
  if (change === undefined) throw new Error(`#${number} is gone`);
  return change;
}

/** What makes a change one that was asked for by break-glass. */
const byGlass = ({ authorization }: Change): Partial<Change> => ({
  authorization: JSON.stringify({
    ...authorizationOf({ authorization }),
    breakGlass: { approval: true, freezes: [] } satisfies BrokenGlass,
  }),
  post_review: unreviewed,
});

export type Name =
  | 'one-lead'
  | 'two-leads'
  | 'another'
  | 'cooling-down'
  | 'unknown'
  | 'unknown-at-once'
  | 'glass'
  | 'glass-unknown'
  | 'glass-done';

/** One change of each kind: its requester and request. */
export async function changesIn(database: Database): Promise<Readonly<Record<Name, Change>>> {
  const context = contextOver(database);
  const add = ['allowlist', 'add', idOf('live'), '198.51.100.4'];
  const push = ['push', idOf('staging'), idOf('live'), '--database'];
  const unknown = { state: 'unknown', sent_at: 1, version: 4 } as const;
  const breaks = async (more: Partial<Change>): Promise<Change> => {
    const change = await asked(context, 'ana', ...push);
    const made = { state: 'approved', version: 2, ...byGlass(change), ...more } as const;
    return standing(database, change, made);
  };
  const changes = {
    // The oldest: App Home shows the newest few.
    glass: await breaks({}),
    'glass-unknown': await breaks(unknown),
    'glass-done': await breaks({ state: 'done', sent_at: 1, settled_at: 2 }),
    'one-lead': await asked(context, 'ana', ...add),
    'two-leads': await asked(context, 'ana', ...push),
    another: await asked(context, 'chi', 'delete', idOf('staging')),
    'cooling-down': await standing(database, await asked(context, 'ana', ...push), { state: 'approved', version: 2 }),
    unknown: await standing(database, await asked(context, 'ana', ...add), unknown),
    'unknown-at-once': await standing(database, await asked(context, 'ana', 'cache', 'clear', idOf('live')), unknown),
  };
  return changes;
}

/** Restores the change, without votes and locks. */
export async function restoreChange(database: Database, change: Change, more: Partial<Change> = {}): Promise<Change> {
  await database.db.deleteFrom('votes').execute();
  await database.db.deleteFrom('locks').execute();
  await database.db.deleteFrom('shared_locks').execute();
  return standing(database, change, { ...change, ...more });
}

/** Records approvals by these people. */
export async function approvedBy(database: Database, { number }: Change, voters: readonly string[]): Promise<void> {
  for (const person of voters) {
    const vote = { change: number, person, at: now } as const;
    await database.transaction((tx) => castVote(tx, vote));
  }
}
