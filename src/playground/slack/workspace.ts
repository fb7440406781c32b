import { type WorkspaceEvents, createWorkspaceEvents } from './workspace-events.ts';
import { type Journal, createJournal } from './journal.ts';
import { Refused } from './refused.ts';
import { BOT_USER, SEED, type WorkspaceSeed } from './seed.ts';
import type { Call, Channel, Group, Message, Notice, Person, Problem, View } from './shapes.ts';
import { type Triggers, createTriggers } from './triggers.ts';

/** An uploaded file, visible in the channels it was shared in. */
export type StoredFile = {
  readonly id: string;
  readonly name: string;
  readonly title: string;
  readonly content: Buffer | undefined;
  readonly complete: boolean;
  readonly channels: readonly string[];
};

/** The workspace's state. All of it is bounded, and every event goes to `events`. */
export type Workspace = {
  /** Unix milliseconds. */
  readonly now: () => number;
  readonly events: WorkspaceEvents;
  readonly people: Map<string, Person>;
  readonly groups: Map<string, Group>;
  readonly channels: Map<string, Channel>;
  /** By channel, oldest first. */
  readonly messages: Map<string, Message[]>;
  /** By person, topmost last; at most three each. */
  readonly modals: Map<string, readonly View[]>;
  readonly homes: Map<string, View>;
  readonly files: Map<string, StoredFile>;
  readonly triggers: Triggers;
  readonly calls: Journal<Call>;
  readonly problems: Journal<Problem>;
  readonly notices: Journal<Notice>;
  /** A unique message time stamp: seconds and six digits. */
  nextTs(): string;
  /** A new id with this first letter. */
  nextId(prefix: string): string;
};

const JOURNAL = 2000;
const PROBLEMS = 500;

/** A workspace with this seed, by the given clock. */
export function createWorkspace(now: () => number, seed: WorkspaceSeed = SEED): Workspace {
  const changes = createWorkspaceEvents();
  let lastMicros = 0;
  let lastId = 0;
  return {
    now,
    events: changes,
    people: new Map(seed.people.map((person) => [person.id, person])),
    groups: new Map(seed.groups.map((group) => [group.id, group])),
    channels: new Map(seed.channels.map((channel) => [channel.id, channel])),
    messages: new Map(),
    modals: new Map(),
    homes: new Map(),
    files: new Map(),
    triggers: createTriggers(now),
    calls: createJournal(JOURNAL, ({ method, result, at }) => changes.emit('call', { method, result, at })),
    problems: createJournal(PROBLEMS, (problem) => changes.emit('problem', problem)),
    notices: createJournal(PROBLEMS, (notice) => changes.emit('notice', notice)),
    nextTs() {
      lastMicros = Math.max(lastMicros + 1, now() * 1000);
      return `${Math.floor(lastMicros / 1e6)}.${String(lastMicros % 1e6).padStart(6, '0')}`;
    },
    nextId(prefix) {
      lastId += 1;
      return `${prefix}0${lastId.toString(36).toUpperCase().padStart(8, '0')}`;
    },
  };
}

/** Records a problem for the app's author. */
export const complain = (workspace: Workspace, kind: string, text: string): void =>
  workspace.problems.add({ at: workspace.now(), kind, text });

/** Shows a person a line that only the client shows. */
export const notify = (workspace: Workspace, person: string, text: string): void =>
  workspace.notices.add({ at: workspace.now(), person, text });

/** The id of the direct message between the bot and a person, open or not. */
export const directMessageId = (personId: string): string => `D0${personId}`;

/** The direct message between the bot and a person, opened if needed. Refuses `user_not_found`. */
export function directMessage(workspace: Workspace, personId: string): Channel {
  if (!workspace.people.has(personId)) throw new Refused('user_not_found');
  const id = directMessageId(personId);
  const known = workspace.channels.get(id);
  if (known !== undefined) return known;
  const members = [personId, BOT_USER];
  const channel: Channel = { id, name: '', kind: 'im', members, archived: false, shared: false };
  workspace.channels.set(id, channel);
  workspace.events.emit('channel', { channel: id });
  return channel;
}

/** Whether a person may see a channel: members may, and full members may see public channels. */
export function canSee(workspace: Workspace, personId: string, channel: Channel): boolean {
  if (channel.members.includes(personId)) return true;
  const person = workspace.people.get(personId);
  const outsider = person === undefined || person.is_restricted || person.is_ultra_restricted || person.is_stranger;
  return channel.kind === 'public' && !outsider;
}
