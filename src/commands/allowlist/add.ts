import { getAllowedIps, setAllowedIps } from '../../hosting/contract/ssh.ts';
import { say } from '../../text.ts';
import { action } from '../action.ts';
import { addresses, duration, environment, option } from '../fields.ts';
import { showDuration } from '../times.ts';
import { are, emptyIsUnknown, inAnyOrder, listed, notListed, spoken, whole } from './listing.ts';

export const allowlistAdd = action({
  summary: 'Let addresses in over SSH and SFTP',
  button: 'Add to allowlist',
  risk: 'sensitive',
  fields: {
    env: environment(),
    addresses: addresses('Addresses'),
    for: option(duration('Remove again after', 5 * 60_000, 30 * 86_400_000)),
  },
  target: 'env',
  look: ({ input, read }) => read(getAllowedIps({ env_id: input.env.id })),
  possible: ({ input, before }) =>
    notListed(before, input.addresses).length > 0
      ? undefined
      : {
          field: 'addresses',
          says: say`${spoken(input.addresses)} ${are(input.addresses)} already on the SSH allowlist of ${input.env.name}. Nothing was changed.`,
        },
  rests: ({ before }) => inAnyOrder(before),
  call: ({ input, before }) =>
    setAllowedIps({ env_id: input.env.id, ip_allowlist: [...before, ...notListed(before, input.addresses)] }),
  card: ({ input, before }) => ({
    title: say`Let ${spoken(notListed(before, input.addresses))} in over SSH on ${input.env.name}`,
    done: say`Let ${spoken(notListed(before, input.addresses))} in over SSH on ${input.env.name}`,
    warning:
      before.length === 0
        ? say`**The list is empty now; from then on it names only what you add.** ${emptyIsUnknown}`
        : undefined,
    facts: {
      'List before': whole(before),
      Adds: whole(notListed(before, input.addresses)),
      'There already':
        listed(before, input.addresses).length > 0 ? whole(listed(before, input.addresses), 5) : undefined,
      'Removed again': input.for === undefined ? undefined : `${showDuration(input.for)} after it is done`,
    },
  }),
  proof: ({ input, now }) =>
    notListed(now, input.addresses).length === 0
      ? {
          verdict: 'yes',
          says: say`${spoken(input.addresses)} ${are(input.addresses)} on the SSH allowlist of ${input.env.name}`,
        }
      : {
          verdict: 'not yet',
          says: say`${spoken(notListed(now, input.addresses))} ${are(notListed(now, input.addresses))} not on the SSH allowlist of ${input.env.name}`,
        },
  undo: ({ input, before }) => removal(input.env.id, before, input.addresses),
  later: ({ input, before }) =>
    input.for === undefined ? undefined : { after: input.for, run: removal(input.env.id, before, input.addresses) },
});

/** Takes away only what was really added, down to an empty list where that is what was before. */
const removal = (id: string, before: readonly string[], added: readonly string[]): readonly string[] => [
  'allowlist',
  'remove',
  id,
  ...notListed(before, added),
  ...(before.length === 0 ? ['--empty'] : []),
];
