import { code, inline, say, type Text } from '../../text.ts';

/** What it means that a change stands so, and the commands to read about besides `change` and `changes`. */
type Meaning = { readonly says: Text; readonly see?: readonly string[] };

const meanings = {
  waiting: {
    says: inline('It waits for approval. Nothing is sent before that, and nothing after its time is over.'),
    see: ['can'],
  },
  approved: {
    says: inline(
      'It may be sent and is not yet. It waits for its turn, for the ten seconds in which it can be stopped, or for a pause, a lock or an outage to end; its card says which.',
    ),
  },
  sending: { says: inline('It is on its way to the host. From here on it cannot be taken back.') },
  accepted: { says: inline('The host took it. Where its end can be seen, its thread tells it.') },
  done: { says: inline('It is done. Its thread says by what that is known.') },
  failed: { says: inline('The host took it and says that it failed.') },
  rejected: { says: inline('The host refused it; nothing happened. What it said stands in the thread.') },
  unknown: {
    says: say`It was sent, and no answer tells what came of it; it is not sent again. Look at the host, then press **It happened** or **It did not happen** on its card. Until somebody does, what it locks stays locked; where a rule allows it, ${code('unlock')} with ${code('--force')} frees an environment all the same.`,
    see: ['unlock'],
  },
  happened: { says: inline('Nobody could tell what came of it, until a person looked and said that it happened.') },
  'did not happen': {
    says: inline('Nobody could tell what came of it, until a person looked and said that it did not happen.'),
  },
  declined: { says: inline('Somebody who could approve it said no. Nothing was sent.') },
  cancelled: { says: inline('Whoever asked took it back, or somebody stopped it in time. Nothing was sent.') },
  expired: { says: inline('Its time was over before it could be sent. Nothing was sent.') },
  void: {
    says: inline(
      'A right, a rule or a role was another when its turn came, or what it was about was gone or renamed. Nothing was sent.',
    ),
    see: ['can'],
  },
  superseded: {
    says: say`What it rests on has changed since. Nothing was sent; **Ask again** shows it as it would be now.`,
  },
} satisfies Readonly<Record<string, Meaning>>;

type StateName = keyof typeof meanings;

/** Every state of a change, as cards and lists call it. */
export const states: Readonly<Record<StateName, Meaning>> = meanings;

const isState = (word: string): word is StateName => Object.hasOwn(states, word);

/** The state that these words name, alone or among others: `outcome unknown`. */
export const stateIn = (words: string): StateName | undefined =>
  isState(words) ? words : words.split(' ').find(isState);
