import { sample, say, type Inline } from '../../words/text.ts';

/** What a state means, and which commands to read about besides `change` and `changes`. */
type Meaning = { readonly says: Inline; readonly see?: readonly string[] };

const meanings = {
  waiting: {
    says: 'It is waiting for approval. Nothing is sent before that, or after its time is over.',
    see: ['can'],
  },
  approved: {
    says: 'It may be sent, but has not been sent yet. It is waiting for its turn, for the ten seconds in which it can be stopped, or for a pause, a lock or an outage to end. Its card says which.',
  },
  sending: { says: 'It is on its way to the host and can no longer be stopped.' },
  accepted: { says: "The host accepted it. If I can see how it ends, I'll say so in its thread." },
  done: { says: 'It is done. Its thread says how I know.' },
  failed: { says: 'The host accepted it, then said that it failed.' },
  rejected: { says: 'The host refused it, so nothing happened. Its answer is in the thread.' },
  unknown: {
    says: say`It was sent, but no answer says whether it happened. I won't send it again. Please check the host's panel, then press **It happened** or **It did not happen** on its card. Until then, its target stays locked, and what it only reads for an hour; if a rule allows it, ${sample('unlock site/environment --force')} frees it anyway.`,
    see: ['unlock'],
  },
  happened: { says: 'Its outcome was unknown until somebody checked and said that it happened.' },
  did_not_happen: {
    says: 'Its outcome was unknown until somebody checked and said that it did not happen.',
  },
  declined: { says: 'An approver said no. Nothing was sent.' },
  cancelled: { says: 'The requester withdrew it, or somebody stopped it in time. Nothing was sent.' },
  expired: { says: 'Its time ran out before it could be sent. Nothing was sent.' },
  invalidated: {
    says: 'By its turn, a right, a rule or a role had changed, or its target was gone or renamed. Nothing was sent.',
    see: ['can'],
  },
  running: {
    says: 'A batch: it sends its changes a few at a time, and stops at the first that does not end well.',
  },
  stopped: {
    says: say`A batch that sends nothing more for now. What is under way is followed to its end. Whoever may approve it can press **Go on** on its card, or its requester if no approval was needed.`,
  },
  ended: { says: 'A batch that is over without all of its changes being done. Its card says which are not.' },
  superseded: {
    says: say`Something it depends on has changed. Nothing was sent. Press **Ask again** to see what it would do now.`,
  },
} satisfies Readonly<Record<string, Meaning>>;

type StateName = keyof typeof meanings;

/** Every state of a change. */
export const states: Readonly<Record<StateName, Meaning>> = meanings;

/** The name of a state for people: `did not happen`. */
export const stateLabel = (state: string): string => state.replaceAll('_', ' ');

const isState = (word: string): word is StateName => Object.hasOwn(states, word);

/** The state that these words name, alone or among others: `outcome unknown`. */
export const stateIn = (words: string): StateName | undefined => {
  const whole = words.replaceAll(' ', '_');
  return isState(whole) ? whole : words.split(' ').find(isState);
};
