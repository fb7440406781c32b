import { Refusal, type Offer } from '../../base/errors.ts';
import { getAllowedIps } from '../../hosting/contract/environment.ts';
import { bold, code, joined, list as listOf, say, type Text } from '../../words/text.ts';
import { wordField } from '../kit/fields.ts';
import { counted } from '../kit/page.ts';
import { report } from '../kit/report.ts';
import { readAddress } from '../kit/values/addresses.ts';
import { among, manyPage, asEnvironments, type Ranked } from '../many-environments.ts';
import { entriesFor, addressesOn, addressesInShort, remarksOn, type Allowlist } from './listing.ts';

export const allowlistFind = report({
  summary: 'Find out who lets an address in over SSH and SFTP',
  button: 'Find an address',
  also: `
    is allowlist <address>, <address> anywhere, allowlist <address> anywhere, find <address>, where <address>, who
    <address>, what <address>, whose <address>, is <address> allow, look up <address>, which <address>, which site
    <address>, where allow <address>, has access <address>, who let in <address>, <address>, who allow <address>,
    who open <address>, who has open <address>, open <address>`,
  examples: ['203.0.113.7', '203.0.113.7 in acme-*/live'],
  shows: ['allowlist show'],
  fields: {
    address: wordField<string>('Address', {
      takes: 'an address',
      example: '203.0.113.7',
      hint: 'Ranges that it is in count too.',
      read: ([first = '']) => oneAddress(first),
    }),
    among: among('everything you can see'),
  },
  target: 'each',
  show: async ({ input: { address, among }, each, everything, now }) => {
    const of = among === undefined ? everything() : asEnvironments(among);
    const found = await each({
      paths: ['allowlist find', 'allowlist show'],
      all: of.all,
      work: ({ id }, read) => read(getAllowedIps({ env_id: id })),
    });
    const page = manyPage({
      title: say`**Who lets ${code(address)} in** over SSH and SFTP`,
      of,
      each: found,
      tell: (list) => letsIn(list, address),
      none: say`None of them does.`,
      note: emptyOnes(
        found.flatMap(({ env, part }) => (part.kind === 'found' && part.found.length === 0 ? [env.name] : [])),
      ),
      now,
    });
    const offer = removal(
      found.flatMap(({ env, part }) => (part.kind === 'found' && isListed(part.found, address) ? [env.id] : [])),
      address,
    );
    return { ...page, ...(offer && { offers: [offer] }) };
  },
});

/** The most ids that a button can hold. */
const maxRemovals = 45;
const maxNamed = 5;

const isListed = (list: Allowlist, address: string): boolean => addressesOn(list, [address]).length > 0;

/** A button that takes the address itself off every list that has it; ranges stay. */
function removal(ids: readonly string[], address: string): Offer | undefined {
  if (ids.length === 0 || ids.length > maxRemovals) return undefined;
  const label = ids.length === 1 ? 'Remove it there' : `Remove it from all ${ids.length}`;
  return { label, opens: 'form', args: ['allowlist', 'remove', ids.join(','), address] };
}

/** Ranges are refused: parts could be allowed by different entries. */
function oneAddress(text: string): string {
  const address = readAddress(text, true);
  if (!address.includes('/')) return address;
  throw new Refusal(say`${code(address)} is a range, and this is about one address at a time. Nothing was done.`);
}

/** One line for all whose lists are empty. */
const emptyOnes = (names: readonly string[]): Text | undefined =>
  names.length === 0
    ? undefined
    : say`❔ I can't tell for ${bold(counted(names.length, 'environment'))}, because ${names.length === 1 ? 'its list is' : 'their lists are'} empty: ${listOf(names, maxNamed)}. It is not documented whether an empty list lets everybody in or nobody.`;

/** Undefined: the list has entries, and none of them lets the address in. */
function letsIn(list: Allowlist, address: string): Ranked | undefined {
  const { lets, unreadable } = entriesFor(list, address);
  if (lets.length > 0)
    return { mark: '•', says: joined([say`lets it in: ${addressesInShort(lets)}`, remarksOn(lets)], '. '), rank: 0 };
  if (list.length === 0) return { mark: '❔', says: say`unknown: its list is empty.`, rank: 0, isInNote: true };
  if (unreadable.length > 0)
    return { mark: '❔', says: say`unknown: I can't read its entry ${addressesInShort(unreadable)}.`, rank: 0 };
  return undefined;
}
