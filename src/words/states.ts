import { sample, say, type Inline } from './text.ts';

/** What a change can be: how much harm it can do, and what is said of each of its states, one row per state. */

/** How much harm a change can do, from easy to repair to impossible to undo. */
export type Risk = 'routine' | 'sensitive' | 'destructive';

/** How far a change of a batch is by its own state. */
export const standingsOfStates = [
  'under way',
  'accepted',
  'done',
  'unknown',
  'failed',
  'not sent',
  'changed meanwhile',
] as const;
type StandingOfState = (typeof standingsOfStates)[number];

type StateRow = {
  /** The same everywhere. A later warning takes its place, such as that access is still open. */
  readonly mark: string;
  /** The state in one line, where nothing more is known. */
  readonly says: string;
  /** Why a click comes too late or too early; undefined: it is closed, with a word for how. */
  readonly already?: string;
  /** Whether it is closed, and nothing was sent. */
  readonly isUnsent?: true;
  readonly inBatch: StandingOfState;
  /** What `help` says of it, and the commands to read about besides `change` and `changes`. */
  readonly means: Inline;
  readonly see?: readonly string[];
};

const rows = {
  waiting: {
    mark: '⏳',
    says: 'Waiting for approval.',
    already: "It's still waiting for approval.",
    inBatch: 'under way',
    means: 'It is waiting for approval. Nothing is sent before that, or after its time is over.',
    see: ['can'],
  },
  approved: {
    mark: '👍',
    says: 'Not sent yet.',
    already: "It's approved, and not sent yet.",
    inBatch: 'under way',
    means:
      'It may be sent, but has not been sent yet. It is waiting for its turn, for its time, for the ten seconds in which it can be stopped, or for a pause, a freeze, a lock or an outage to end. Its card says which.',
  },
  sending: {
    mark: '▶️',
    says: 'Sending.',
    already: "It's already being sent.",
    inBatch: 'under way',
    means: 'It is on its way to the host and can no longer be stopped.',
  },
  accepted: {
    mark: '▶️',
    says: 'Accepted by the host; running.',
    already: 'The host has already accepted it.',
    inBatch: 'under way',
    means: "The host accepted it. If I can see how it ends, I'll say so in its thread.",
  },
  done: { mark: '✅', says: 'Done.', inBatch: 'done', means: 'It is done. Its thread says how I know.' },
  failed: {
    mark: '❌',
    says: 'The host says it failed.',
    inBatch: 'failed',
    means: 'The host accepted it, then said that it failed.',
  },
  rejected: {
    mark: '❌',
    says: 'The host rejected it; nothing happened.',
    inBatch: 'failed',
    means: 'The host refused it, so nothing happened. Its answer is in the thread.',
  },
  unknown: {
    mark: '⚠️',
    says: 'Outcome unknown.',
    already: "It was already sent, and I don't know what came of it.",
    inBatch: 'unknown',
    means: say`It was sent, but no answer says whether it happened. I won't send it again. Please check the host's panel, then press **It happened** or **It did not happen** on its card. Until then, its target stays locked, and what it only reads for an hour; if a rule allows it, ${sample('unlock site/environment --force')} frees it anyway.`,
    see: ['unlock'],
  },
  happened: {
    mark: '✅',
    says: 'A person says it happened.',
    inBatch: 'done',
    means: 'Its outcome was unknown until somebody checked and said that it happened.',
  },
  did_not_happen: {
    mark: '❌',
    says: 'A person says it did not happen.',
    inBatch: 'failed',
    means: 'Its outcome was unknown until somebody checked and said that it did not happen.',
  },
  declined: {
    mark: '⛔',
    says: 'Declined; nothing was sent.',
    isUnsent: true,
    inBatch: 'not sent',
    means: 'An approver said no. Nothing was sent.',
  },
  cancelled: {
    mark: '⛔',
    says: 'Cancelled; nothing was sent.',
    isUnsent: true,
    inBatch: 'not sent',
    means: 'The requester withdrew it, or somebody stopped it in time. Nothing was sent.',
  },
  expired: {
    mark: '⛔',
    says: 'Expired; nothing was sent.',
    isUnsent: true,
    inBatch: 'not sent',
    means: 'Its time ran out before it could be sent. Nothing was sent.',
  },
  invalidated: {
    mark: '⛔',
    says: 'Invalidated; nothing was sent.',
    isUnsent: true,
    inBatch: 'not sent',
    means: 'By its turn, a right, a rule or a role had changed, or its target was gone or renamed. Nothing was sent.',
    see: ['can'],
  },
  running: {
    mark: '▶️',
    says: 'Running.',
    already: "It's under way.",
    inBatch: 'under way',
    means: 'A batch: it sends its changes a few at a time, and stops at the first that does not end well.',
  },
  stopped: {
    mark: '✋',
    says: 'Stopped; nothing more is sent for now.',
    already: "It's stopped.",
    inBatch: 'under way',
    means: say`A batch that sends nothing more for now. What is under way is followed to its end. Whoever may approve it can press **Go on** on its card, or its requester if no approval was needed.`,
  },
  ended: {
    mark: '⛔',
    says: 'Ended; not all were done.',
    inBatch: 'not sent',
    means: 'A batch that is over without all of its changes being done. Its card says which are not.',
  },
  superseded: {
    mark: '⛔',
    says: 'Superseded; nothing was sent.',
    isUnsent: true,
    inBatch: 'changed meanwhile',
    means: say`Something it depends on has changed. Nothing was sent. Press **Ask again** to see what it would do now.`,
  },
} satisfies Readonly<Record<string, StateRow>>;

/** The states of a change; `change/change.ts` defines the moves between them. */
export type State = keyof typeof rows;

/** Every state of a change. */
export const states: Readonly<Record<State, StateRow>> = rows;

const isState = (word: string): word is State => Object.hasOwn(states, word);

/** Those that a change can be in while it is not settled. */
export const openStates: readonly State[] = Object.keys(states)
  .filter(isState)
  .filter((state) => states[state].already !== undefined);

/** The name of a state for people: `did not happen`. */
export const stateLabel = (state: string): string => state.replaceAll('_', ' ');

/** The state that these words name, alone or among others: `outcome unknown`. */
export const stateIn = (words: string): State | undefined => {
  const whole = words.replaceAll(' ', '_');
  return isState(whole) ? whole : words.split(' ').find(isState);
};

/** The names of all states. */
// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- `Object.keys` forgets them.
export const stateNames = Object.keys(rows) as readonly string[] as readonly [State, ...State[]];
