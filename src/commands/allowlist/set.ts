import { setAllowedIps } from '../../hosting/contract/environment.ts';
import type { Args } from '../../base/errors.ts';
import { joined, say, type Text } from '../../words/text.ts';
import { action } from '../kit/action.ts';
import { mayBeLetIn, maxAtOnce } from '../kit/values/addresses.ts';
import { addresses, environment, withHint } from '../kit/fields.ts';
import { counted } from '../kit/page.ts';
import {
  emptyIsUnknown,
  endsOf,
  sortedList,
  isAllTimed,
  isDoubtful,
  lookAtAllowlist,
  notListed,
  addressesInShort,
  timedOf,
  listFact,
  remarksOn,
  withoutAddresses,
  type Allowlist,
  type AllowlistSnapshot,
} from './listing.ts';

export const allowlistSet = action({
  summary: 'Replace the SSH allowlist with these addresses',
  button: 'Replace the allowlist',
  also: `
    only <address>, only ssh <address>, only allow <address>, only allowlist <address>, only access <address>, only
    ssh <address> else, only <address> nobody else, only ssh <address> nobody else, ssh only <address>, only have
    ssh <address> nobody else, ssh only <address> all other out, replace allowlist, overwrite allowlist`,
  examples: ['acme-shop/live 203.0.113.7 198.51.100.0/24'],
  risk: 'sensitive',
  fields: {
    env: environment(),
    addresses: withHint('The whole new list: every other address is taken off.', addresses('Addresses')),
  },
  target: 'env',
  look: lookAtAllowlist,
  isDoubtful: ({ addresses }) => isDoubtful(addresses),
  impossible: ({ input, snapshot }) =>
    hasExactly(snapshot.list, input.addresses) && timedOf(snapshot, input.addresses).length === 0
      ? {
          field: 'addresses',
          says: say`The SSH allowlist of ${input.env.name} already has exactly these. Nothing was changed.`,
        }
      : undefined,
  preconditions: ({ input, snapshot }) => ({
    list: sortedList(snapshot.list),
    timed: timedOf(snapshot, input.addresses),
  }),
  unwritten: ({ input, snapshot }) => hasExactly(snapshot.list, input.addresses),
  call: ({ input }) => setAllowedIps({ env_id: input.env.id, ip_allowlist: input.addresses }),
  card: ({ input, snapshot }) => {
    const { list } = snapshot;
    const counts = counted(input.addresses.length, 'address', 'addresses');
    const ending = timedOf(snapshot, input.addresses);
    return {
      title: say`Replace the SSH allowlist of ${input.env.name} by ${counts}`,
      done: say`Replaced the SSH allowlist of ${input.env.name} by ${counts}`,
      warning: joined(
        [
          warningOf(list, input.addresses),
          remarksOn([...notListed(list, input.addresses), ...ending.map(({ address }) => address)]),
        ],
        '\n',
      ),
      facts: {
        Adds: partOf(notListed(list, input.addresses)),
        Removes: partOf(withoutAddresses(list, input.addresses)),
        ...(ending.length > 0 && { 'Was to end': endsOf(ending), 'Will end': 'never: it is no longer timed access' }),
        'List after': listFact(input.addresses),
      },
    };
  },
  proof: ({ input, current: { list } }) =>
    hasExactly(list, input.addresses)
      ? {
          verdict: 'yes',
          says: say`The SSH allowlist of ${input.env.name} is ${addressesInShort(input.addresses, 20)}`,
        }
      : {
          verdict: 'not yet',
          says: say`The SSH allowlist of ${input.env.name} is still different: ${list.length === 0 ? 'empty' : addressesInShort(list, 20)}`,
        },
  undo: ({ input, snapshot }) => undoArgs(snapshot, input.env.id, input.addresses),
  leaves: ({ list }) => sortedList(list),
  access: ({ input, snapshot }) => ({
    lets: input.addresses,
    mayEmpty: isAllTimed(snapshot),
    takes: 'all others',
  }),
});

/** Whether the list has exactly these addresses, in any spelling. */
const hasExactly = (list: Allowlist, wanted: readonly string[]): boolean =>
  notListed(list, wanted).length === 0 && withoutAddresses(list, wanted).length === 0;

const partOf = (part: readonly string[]): Text => (part.length === 0 ? say`nothing` : listFact(part));

function warningOf(before: Allowlist, wanted: readonly string[]): Text | undefined {
  if (before.length === 0) {
    return say`**The list is empty now; from then on it names only these.** ${emptyIsUnknown}`;
  }
  const gone = withoutAddresses(before, wanted);
  return gone.length === 0 ? undefined : joined([say`**No longer let in:**`, addressesInShort(gone)]);
}

/**
 * The command that restores the old list. Undefined if the list has timed access, which would become permanent, or
 * entries that the command does not accept.
 */
function undoArgs({ list, timed }: AllowlistSnapshot, id: string, added: readonly string[]): Args | undefined {
  if (list.length === 0) return ['allowlist', 'remove', id, ...added, '--empty'];
  const old = [...new Set(list)];
  const isForGood = timed.length === 0;
  return isForGood && old.length <= maxAtOnce && old.every(mayBeLetIn) ? ['allowlist', 'set', id, ...old] : undefined;
}
