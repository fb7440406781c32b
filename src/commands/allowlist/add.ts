import { showDuration, dayMs } from '../../words/duration.ts';
import { setAllowedIps } from '../../hosting/contract/environment.ts';
import { code, joined, say, type Text } from '../../words/text.ts';
import { action, type Wording, type Invalid } from '../kit/action.ts';
import { addresses, duration, environment, option, type Input, withHint } from '../kit/fields.ts';
import {
  are,
  emptyIsUnknown,
  endsOf,
  sortedList,
  isAllTimed,
  isDoubtful,
  letInBy,
  addressesOn,
  lookAtAllowlist,
  notListed,
  addressesInShort,
  timedOf,
  listFact,
  unsendable,
  remarksOn,
  type AllowlistSnapshot,
} from './listing.ts';

const fields = {
  env: environment(),
  addresses: withHint('IP addresses or ranges, as many as you like.', addresses('Addresses')),
  for: withHint(
    'Takes them off the list again then; left out, they stay.',
    option(duration('Remove again after', 5 * 60_000, 30 * dayMs)),
  ),
};
type AddRequest = { readonly input: Input<typeof fields>; readonly snapshot: AllowlistSnapshot };

export const allowlistAdd = action({
  summary: 'Let addresses in over SSH and SFTP',
  button: 'Add to allowlist',
  also: `
    allow, allow ip, allow <address>, add ip, add <address>, add <address> allowlist, allowlist <address>,
    allowlist ip, allowlist me, need ssh, need access, give access, give ssh access, get access, ssh <address>, ssh
    for <address>, ssh access <address>, access for <address>, need access <address>, give <address> access, open
    ssh, open ssh for, open for, open ssh <address>, let in, let me in, let <address>, let in <address>, let
    <address> into, let connect, unblock, unblock <address>, put <address> allowlist, add to allowlist, connect
    from, connect from <address>, connect <address>, my ip, home ip`,
  examples: ['acme-shop/live 203.0.113.7 --for 2h', 'acme-shop/live 192.0.2.0/24'],
  risk: 'sensitive',
  fields,
  target: 'env',
  look: lookAtAllowlist,
  impossible,
  isDoubtful: ({ addresses }) => isDoubtful(addresses),
  preconditions: ({ input, snapshot }) => ({
    list: sortedList(snapshot.list),
    timed: timedOf(snapshot, input.addresses),
  }),
  batch: ({ input: { addresses, for: forMs }, where }) => {
    if (forMs !== undefined)
      return {
        field: 'for',
        says: say`Access that ends by itself is given to one environment at a time. Nothing was done. Name one, or leave out ${code('--for')}: then it stays until somebody removes it.`,
      };
    const title = say`Let ${addressesInShort(addresses)} in over SSH on ${where}`;
    return { title, done: title };
  },
  unwritten: (of) => added(of).length === 0,
  call: ({ input, snapshot: { list } }) =>
    setAllowedIps({ env_id: input.env.id, ip_allowlist: [...list, ...notListed(list, input.addresses)] }),
  card: cardOf,
  proof: ({ input, current: { list } }) => {
    const missing = notListed(list, input.addresses);
    const where = say`on the SSH allowlist of ${input.env.name}`;
    return missing.length === 0
      ? { verdict: 'yes', says: say`${addressesInShort(input.addresses)} ${are(input.addresses)} ${where}` }
      : { verdict: 'not yet', says: say`${addressesInShort(missing)} ${are(missing)} not ${where}` };
  },
  // Removes only what this change added. If the list was empty before, the undo may empty it again.
  undo: (of) => {
    const words = ['allowlist', 'remove', of.input.env.id, ...added(of)];
    return of.snapshot.list.length === 0 ? [...words, '--empty'] : words;
  },
  leaves: ({ list }) => sortedList(list),
  // Permanent entries stay permanent: only the added addresses and existing timed access get an end.
  access: (of) => ({
    lets: of.input.for === undefined ? of.input.addresses : [...added(of), ...timed(of).map(({ address }) => address)],
    ...(of.input.for !== undefined && { forMs: of.input.for }),
    mayEmpty: isAllTimed(of.snapshot),
    takes: [],
  }),
});

const added = ({ input, snapshot }: AddRequest): readonly string[] => notListed(snapshot.list, input.addresses);
const timed = ({ input, snapshot }: AddRequest): AllowlistSnapshot['timed'] => timedOf(snapshot, input.addresses);

function impossible(of: AddRequest): Invalid<keyof typeof fields> | undefined {
  const { env, addresses, for: forMs } = of.input;
  // If nothing is added, the list is not sent: only the timed access changes.
  if (added(of).length > 0) return unsendable(env, of.snapshot.list);
  if (timed(of).length > 0) return undefined;
  const already = say`${addressesInShort(addresses)} ${are(addresses)} already on the SSH allowlist of ${env.name}`;
  if (forMs === undefined) return { field: 'addresses', says: say`${already}. Nothing was changed.` };
  return {
    field: 'addresses',
    says: say`${already} for good. Nothing was changed.`,
    hint: say`To make it timed access, remove it from the list and add it again with \`--for\`.`,
  };
}

function cardOf(of: AddRequest): Wording {
  const { input, snapshot } = of;
  const adds = added(of);
  const isWritten = adds.length > 0;
  const title = isWritten
    ? say`Let ${addressesInShort(adds)} in over SSH on ${input.env.name}`
    : say`Let ${addressesInShort(input.addresses)} stay on the SSH allowlist of ${input.env.name} ${input.for === undefined ? 'for good' : 'longer'}`;
  const there = addressesOn(snapshot.list, input.addresses);
  const ending = timed(of).map(({ address }) => address);
  const stays = input.for === undefined ? [...adds, ...ending] : adds;
  return {
    title,
    done: isWritten || input.for !== undefined ? title : say`${title}: it is no longer timed access`,
    warning: joined([snapshot.list.length === 0 ? listIsEmpty : undefined, remarksOn(stays)], '\n'),
    facts: {
      'List before': listFact(snapshot.list),
      Adds: isWritten ? listFact(adds) : 'nothing: the list stays as it is, and only the timed access changes',
      'Let in anyway': letInBy(snapshot.list, adds),
      'There already': there.length > 0 ? listFact(there, 5) : undefined,
      ...endFacts(of),
      // If nothing is sent, `endFacts` already shows when the timed access ends.
      ...(isWritten && { Ends: endOf(input, ending) }),
    },
  };
}

const listIsEmpty = say`**The list is empty now; from then on it names only what you add.** ${emptyIsUnknown}`;

const endOf = ({ for: forMs }: AddRequest['input'], ending: readonly string[]): string =>
  forMs === undefined
    ? `only when somebody removes ${ending.length === 0 ? 'it' : 'what is added'}`
    : `${showDuration(forMs)} after it is done`;

/** When the timed access would have ended without this change, and when it ends with it. */
function endFacts(of: AddRequest): Record<string, Text> {
  const { for: forMs } = of.input;
  const ending = timed(of);
  if (ending.length === 0) return {};
  const then =
    forMs === undefined
      ? say`never: it is no longer timed access`
      : say`${showDuration(forMs)} after it is done, if that is later`;
  return { 'Was to end': endsOf(ending), 'Will end': then };
}
