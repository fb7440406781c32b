import type { ChangeStory, Office } from '../commands/desk.ts';
import { catalogue } from '../commands/index.ts';
import type { Listing } from '../hosting/directory.ts';
import { mayRead } from '../policy/policy.ts';
import type { Policy } from '../policy/rules.ts';
import { listAudit } from '../storage/audit.ts';
import { findChange, type Change } from '../storage/changes.ts';
import type { Database } from '../storage/database.ts';
import { code, inline, person as mention, say, time, type Text } from '../text.ts';
import { mayRun, type Person } from './authorise.ts';
import { cardOf } from './freeze.ts';
import { markOf, standing } from './render.ts';
import type { Names } from './resolve.ts';
import { restore } from './restore.ts';
import { inWords } from './trouble.ts';
import { usage } from './usage.ts';

export type OfficeDesk = {
  readonly database: Database;
  readonly policy: () => Policy;
  readonly names: (person: Person) => Names;
  readonly listing: () => Listing;
};

const mostEvents = 100;

/** What desk commands may ask, for one person: nothing that this person may not read. */
export function officeFor(desk: OfficeDesk, person: Person, now: number): Office {
  const { policy, database } = desk;
  return {
    person,
    now,
    commands: () =>
      [...catalogue].map(([path, command]) => ({
        path,
        summary: command.summary,
        usage: usage(path, command),
        mayRun: mayRun(policy(), person, path, command),
      })),
    names: () => {
      const { at, trouble } = desk.listing();
      return { ...desk.names(person), at, trouble: trouble && inWords(trouble) };
    },
    change: async (number) => {
      const change = await findChange(database.db, number);
      return change && mayReadChange(desk, person, change) ? storyOf(database, change) : undefined;
    },
    standing: () => {
      const groups = [...policy().groups]
        .filter(([, members]) => members.has(person.id) || person.groups.some((group) => members.has(group)))
        .map(([name]) => name);
      const everyone = policy().rules.some((rule) => rule.effect === 'allow' && rule.to === 'everyone');
      return { groups, known: everyone || groups.length > 0 };
    },
  };
}

/** A change may be read by whoever may read what it changes; one whose target is gone, by whoever asked for it. */
function mayReadChange(desk: OfficeDesk, person: Person, change: Change): boolean {
  const restored = restore(change, desk.names(person));
  return restored !== undefined || (change.asker === person.id && mayReadAnything(desk.policy(), person));
}

const mayReadAnything = (policy: Policy, person: Person): boolean =>
  mayRead(policy, person, { kind: 'company', id: '', name: '' });

async function storyOf(database: Database, change: Change): Promise<ChangeStory> {
  const card = cardOf(change);
  const lines = await listAudit(database.db, { change: change.number, limit: mostEvents });
  return {
    title: say`${markOf(change)} **${card.title}** · #${change.number}`,
    facts: [
      ['State', standing(change)],
      ['Asked by', say`${mention(change.asker)}${change.reason === null ? '' : ` (“${change.reason}”)`}`],
      ['Asked at', [time(change.created_at, 'date')]],
      ...card.facts,
      ...(change.operation === null ? [] : [['Operation', [code(change.operation)]] as const]),
      ['Fingerprint', [code(change.fingerprint.slice(0, 8))]],
    ],
    events: lines
      .toSorted((one, other) => one.seq - other.seq)
      .map((line) => ({ at: line.at, actor: line.actor, says: inline(happened[line.event] ?? line.event) })),
  };
}

/** The kinds of audit lines, as a reader understands them. */
const happened: Readonly<Record<string, Text | string>> = {
  asked: 'asked for it',
  queued: 'the rules ask for no approval',
  send: 'began to send it',
  stumble: 'could not reach the host; nothing was sent',
  'hand back': 'came too late to send; nothing was sent',
  throttle: 'the host was busy and took nothing',
  accept: 'the host accepted it',
  reject: 'the host refused it',
  lose: 'lost sight of it: outcome unknown',
  finish: 'it is done',
  fail: 'the host reports that it failed',
  leave: 'accepted; nothing more can be seen from here',
  expire: 'expired; nothing was sent',
  void: 'void; nothing was sent',
  supersede: 'superseded; nothing was sent',
  evidence: 'read back what can be read',
  'late answer': 'an answer came late',
  'accept late': 'the host had accepted it, a late answer says',
  'reject late': 'the host had refused it, a late answer says',
};
