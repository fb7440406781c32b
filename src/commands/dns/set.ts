import { attempt, type Args } from '../../base/errors.ts';
import { updateDnsRecord } from '../../hosting/contract/domains.ts';
import { code, say } from '../../words/text.ts';
import { action } from '../kit/action.ts';
import { count, domain, option } from '../kit/fields.ts';
import { dnsWording, impossible, valuesInShort, wrongInput } from './wording.ts';
import { recordName, recordType, recordValues } from './records.ts';
import { maxTtl, newTtl, planOf, recordsAt, type Snapshot, type RecordChange } from './plan.ts';

export const dnsSet = action({
  summary: 'Change the values or the TTL of a DNS record',
  button: 'Change a DNS record',
  also: `
    txt <host> <text>, mx <host> <text>, cname <host> <host>, record <host> <text>, add dns, add record, add a
    record, add txt, add txt record, add mx, add mx record, add cname, add cname record, add record <address>, add
    a record <address>, add record <host>, new dns record, set record, set a record, dns edit, change record,
    change a record, change mx, change mx record, update dns, update record, remove dns, remove record, remove txt
    record, point <host> <address>, record <host> <address>, a record <host> <address>, ttl, set ttl, lower ttl,
    record ttl, a record ttl, ttl <host>, spf, dkim, dmarc`,
  examples: ['acme.example TXT news --add "v=spf1 -all"'],
  risk: 'sensitive',
  mayBreakSite: true,
  fields: {
    domain: domain(),
    type: recordType(),
    name: recordName(),
    ttl: option({
      ...count('TTL', 0, maxTtl),
      shown: 'seconds',
      hint: 'How long others may keep it, in seconds. Some hosts take none below 300.',
    }),
    add: option({ ...recordValues('Add'), takes: 'a value', hint: 'A new value. One value to a line.' }),
    remove: option({ ...recordValues('Remove'), takes: 'a value', hint: 'A value that it has. One to a line.' }),
  },
  target: 'domain',
  invalid: wrongInput,
  look: ({ input, ...sources }) => recordsAt(sources, input),
  impossible: ({ input, snapshot }) => impossible(input, snapshot),
  preconditions: ({ snapshot: { whole, records, hasUnread } }) => ({
    whole,
    hasUnread,
    records: records.map((record) => JSON.stringify({ ...record, values: [...record.values].sort() })).toSorted(),
  }),
  call: ({ input, snapshot }) => {
    const { records, whole, ttl = newTtl, adds, gone, after } = planOf(input, snapshot);
    return updateDnsRecord({
      domain_id: input.domain.id,
      type: input.type,
      name: records[0]?.name ?? whole,
      // A removed record needs no TTL, but the host requires a valid one.
      ttl: after.length === 0 ? Math.max(ttl, snapshot.least ?? 0) : ttl,
      new_resource_records: adds.map((value) => ({ value })),
      removed_resource_records: gone.map((value) => ({ value })),
    });
  },
  card: ({ input, snapshot }) => dnsWording(input, snapshot),
  proof: ({ input, current }) => {
    const { records, adds, missing, whole, was } = planOf(input, current);
    const left = (input.remove ?? []).filter((value) => !missing.includes(value));
    const record = say`the ${input.type} record ${code(whole)}`;
    const isUnclear = current.hasUnread === true;
    if (adds.length > 0)
      return { verdict: 'not yet', isUnclear, says: say`${valuesInShort(adds)} is not in ${record} yet` };
    if (left.length > 0) return { verdict: 'not yet', says: say`${valuesInShort(left)} is still in ${record}` };
    if (isUnclear && input.remove !== undefined)
      return { verdict: 'not yet', isUnclear, says: say`the host lists something of ${record} that I can't read` };
    if (input.ttl !== undefined && !(records.length > 0 && records.every(({ ttl }) => ttl === input.ttl)))
      return { verdict: 'not yet', says: say`${record} has another TTL` };
    return {
      verdict: 'yes',
      says: was.length > 0 ? say`${record} is now ${valuesInShort(was)}` : say`${record} is gone`,
    };
  },
  after: 'The host usually shows a changed record within a minute.',
  undo: ({ input, snapshot }) => undoArgs(input, snapshot),
  next: ({ input }) => [{ label: `DNS of ${input.domain.name}`, args: ['dns', 'list', input.domain.id] }],
});

/** The command that reverses the change; undefined if it would be refused: hosts may list values not accepted here. */
function undoArgs(input: RecordChange, snapshot: Snapshot): Args | undefined {
  const { adds, gone, records, others, after, whole, ttl, oldTtl } = planOf(input, snapshot);
  if (oldTtl === null || ttl === undefined || !readsBackUnchanged(gone)) return undefined;
  const back: RecordChange = { ...input, ttl: oldTtl, add: gone, remove: adds };
  const made = { type: input.type, name: records[0]?.name ?? whole, ttl, values: after };
  if (wrongInput(back) ?? impossible(back, { ...snapshot, records: after.length > 0 ? [made, ...others] : others }))
    return undefined;
  return [
    'dns',
    'set',
    input.domain.id,
    input.type,
    input.name,
    ...(records.length > 0 ? [`--ttl=${oldTtl}`] : []),
    ...gone.map((value) => `--add=${value}`),
    ...adds.map((value) => `--remove=${value}`),
  ];
}

const readsBackUnchanged = (values: readonly string[]): boolean =>
  values.length === 0 || attempt(() => recordValues('Add').read(values).join('\n')) === values.join('\n');
