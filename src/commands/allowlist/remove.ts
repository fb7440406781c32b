import { setAllowedIps } from '../../hosting/contract/environment.ts';
import { joined, say, type Text } from '../../words/text.ts';
import { action } from '../kit/action.ts';
import { mayBeLetIn } from '../kit/values/addresses.ts';
import { addresses, environment, flag, withHint } from '../kit/fields.ts';
import {
  are,
  emptyIsUnknown,
  entriesFor,
  sortedList,
  isAllTimed,
  letInBy,
  addressesOn,
  lookAtAllowlist,
  notListed,
  addressesInShort,
  timedOf,
  listFact,
  unsendable,
  withoutAddresses,
} from './listing.ts';

export const allowlistRemove = action({
  summary: 'Remove addresses from the SSH allowlist',
  button: 'Remove from allowlist',
  also: `
    remove ssh <address>, remove <address> from ssh, kick, kick <address>, kick out, kick out <address>, kick off,
    remove <address>, remove ip, remove access, kick access, remove from allowlist, off allowlist, off allow list,
    take off <address>, take out <address>, take <address> off allowlist, lock out <address>, close ssh for,
    unwhitelist, no longer <address>, no more <address>, <address> out, <address> away`,
  examples: ['acme-shop/live 203.0.113.10'],
  risk: 'sensitive',
  // An empty list may let everybody in.
  takesAccess: ({ empty }) => empty !== true,
  fields: {
    env: environment(),
    addresses: withHint('IP addresses or ranges, as they are on the list.', addresses('Addresses', true)),
    empty: withHint('Goes on even if no address is left.', flag('Leave the list empty')),
  },
  target: 'env',
  look: lookAtAllowlist,
  impossible: ({ input, snapshot: { list: before } }) => {
    if (addressesOn(before, input.addresses).length === 0) {
      const absent = say`${addressesInShort(input.addresses)} ${are(input.addresses)} not on the SSH allowlist of ${input.env.name}`;
      return {
        field: 'addresses',
        says: say`${joined([absent, letInBy(before, input.addresses)], ', but ')}. Nothing was changed.`,
        hint: unreadableIn(before),
      };
    }
    const left = withoutAddresses(before, input.addresses);
    if (left.length > 0 || input.empty) return unsendable(input.env, left);
    return {
      field: 'empty',
      says: say`This would leave the SSH allowlist of ${input.env.name} empty. Nothing was changed.`,
      hint: say`${emptyIsUnknown} If you mean it, add ${'--empty'}.`,
    };
  },
  batch: ({ input: { addresses }, where }) => ({
    title: say`Take ${addressesInShort(addresses)} off the SSH allowlist of ${where}`,
    done: say`Took ${addressesInShort(addresses)} off the SSH allowlist of ${where}`,
  }),
  preconditions: ({ snapshot: { list } }) => sortedList(list),
  call: ({ input, snapshot: { list: before } }) =>
    setAllowedIps({ env_id: input.env.id, ip_allowlist: [...withoutAddresses(before, input.addresses)] }),
  card: ({ input, snapshot: { list: before } }) => ({
    title: say`Take ${addressesInShort(addressesOn(before, input.addresses))} off the SSH allowlist of ${input.env.name}`,
    done: say`Took ${addressesInShort(addressesOn(before, input.addresses))} off the SSH allowlist of ${input.env.name}`,
    warning:
      withoutAddresses(before, input.addresses).length === 0
        ? say`**The list will be empty.** ${emptyIsUnknown}`
        : stillLetIn(before, input.addresses),
    facts: {
      'List before': listFact(before),
      Removes: listFact(addressesOn(before, input.addresses)),
      'Not there anyway':
        notListed(before, input.addresses).length > 0 ? listFact(notListed(before, input.addresses), 5) : undefined,
      'List after': listFact(withoutAddresses(before, input.addresses)),
    },
  }),
  proof: ({ input, current: { list } }) => {
    const left = addressesOn(list, input.addresses);
    return left.length === 0
      ? {
          verdict: 'yes',
          says: joined(
            [
              say`${addressesInShort(input.addresses)} ${are(input.addresses)} not on the SSH allowlist of ${input.env.name} any more`,
              letInBy(list, input.addresses),
            ],
            ', but ',
          ),
        }
      : {
          verdict: 'not yet',
          says: say`${addressesInShort(left)} ${are(left)} still on the SSH allowlist of ${input.env.name}`,
        };
  },
  // No undo for timed access: the undo would make it permanent.
  undo: ({ input, snapshot }) => {
    const removed = addressesOn(snapshot.list, input.addresses);
    const isForGood = timedOf(snapshot, input.addresses).length === 0;
    return isForGood && removed.every(mayBeLetIn) ? ['allowlist', 'add', input.env.id, ...removed] : undefined;
  },
  access: ({ input, snapshot }) => ({
    lets: [],
    mayEmpty: isAllTimed(snapshot),
    takes: input.addresses,
  }),
});

/** An entry that can't be read may let anybody in. */
function unreadableIn(list: readonly string[]): Text | undefined {
  const { unreadable } = entriesFor(list, '');
  return unreadable.length === 0
    ? undefined
    : say`I can't read its entry ${addressesInShort(unreadable)}, so I can't tell whom that lets in.`;
}

/** Says which networks that stay on the list still contain a removed address. */
function stillLetIn(before: readonly string[], addresses: readonly string[]): Text | undefined {
  const says = letInBy(withoutAddresses(before, addresses), addresses);
  return says && say`**${says}.**`;
}
