import { getAllowedIps, setAllowedIps } from '../../hosting/contract/ssh.ts';
import type { Words } from '../../errors.ts';
import { joined, say, type Text } from '../../text.ts';
import { action } from '../action.ts';
import { mayBeLetIn, mostAtOnce } from '../addresses.ts';
import { addresses, environment } from '../fields.ts';
import { counted } from '../page.ts';
import { emptyIsUnknown, inAnyOrder, notListed, spoken, whole, without, type Allowlist } from './listing.ts';

export const allowlistSet = action({
  summary: 'Replace the SSH and SFTP allowlist by these addresses',
  button: 'Replace the allowlist',
  risk: 'sensitive',
  fields: { env: environment(), addresses: addresses('Addresses') },
  target: 'env',
  look: ({ input, read }) => read(getAllowedIps({ env_id: input.env.id })),
  possible: ({ input, before }) =>
    isSo(before, input.addresses)
      ? {
          field: 'addresses',
          says: say`The SSH allowlist of ${input.env.name} names just these already. Nothing was changed.`,
        }
      : undefined,
  rests: ({ before }) => inAnyOrder(before),
  call: ({ input }) => setAllowedIps({ env_id: input.env.id, ip_allowlist: input.addresses }),
  card: ({ input, before }) => {
    const counts = counted(input.addresses.length, 'address', 'addresses');
    return {
      title: say`Replace the SSH allowlist of ${input.env.name} by ${counts}`,
      done: say`Replaced the SSH allowlist of ${input.env.name} by ${counts}`,
      warning: warningOf(before, input.addresses),
      facts: {
        Adds: partOf(notListed(before, input.addresses)),
        Removes: partOf(without(before, input.addresses)),
        'List after': whole(input.addresses),
      },
    };
  },
  proof: ({ input, now }) =>
    isSo(now, input.addresses)
      ? { verdict: 'yes', says: say`The SSH allowlist of ${input.env.name} is ${spoken(input.addresses, 20)}` }
      : {
          verdict: 'not yet',
          says: say`The SSH allowlist of ${input.env.name} is still another one: ${now.length === 0 ? 'empty' : spoken(now, 20)}`,
        },
  undo: ({ input, before }) => backTo(before, input.env.id, input.addresses),
});

/** Whether the list names these and nothing else, whatever the spelling. */
const isSo = (list: Allowlist, wanted: readonly string[]): boolean =>
  notListed(list, wanted).length === 0 && without(list, wanted).length === 0;

const partOf = (part: readonly string[]): Text => (part.length === 0 ? say`nothing` : whole(part));

function warningOf(before: Allowlist, wanted: readonly string[]): Text | undefined {
  if (before.length === 0) {
    return say`**The list is empty now; from then on it names only these.** ${emptyIsUnknown}`;
  }
  const gone = without(before, wanted);
  return gone.length === 0 ? undefined : joined([say`**No longer let in:**`, spoken(gone)]);
}

/** The old list as words, where all of it could be said: what may not be let in is not let in again by a button. */
function backTo(before: Allowlist, id: string, added: readonly string[]): Words | undefined {
  if (before.length === 0) return ['allowlist', 'remove', id, ...added, '--empty'];
  const old = [...new Set(before)];
  return old.length <= mostAtOnce && old.every(mayBeLetIn) ? ['allowlist', 'set', id, ...old] : undefined;
}
