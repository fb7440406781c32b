import type { PartialList } from '../../hosting/contract/fields.ts';
import { showDuration } from '../../words/duration.ts';
import { listDnsRecords } from '../../hosting/contract/domains.ts';
import { code, inline, joined, say, type Text } from '../../words/text.ts';
import { domain } from '../kit/fields.ts';
import { counted, listOr, readAt } from '../kit/page.ts';
import { report } from '../kit/report.ts';
import { ttlOf } from './plan.ts';

export const dnsList = report({
  summary: 'List the DNS records of a domain',
  button: 'List DNS records',
  also: `
    dns, record, dns record, a record, mx, mx record, txt record, cname, cname record, dns entry, dns zone, zone,
    zone file, dns <host>, record <host>, mx <host>, record of <host>, dns of, dns for, lookup dns, dig, dig
    <host>, nslookup, nslookup <host>`,
  examples: ['acme.example'],
  fields: { domain: domain() },
  target: 'domain',
  show: async ({ input, read, now }) => {
    const records = await read(listDnsRecords({ domain_id: input.domain.id }));
    const entries = records.flatMap(({ type, name, ttl, resource_records: values }) => {
      const record = joined([say`**${type ?? 'unknown type'}**`, name === undefined ? 'unknown name' : code(name)]);
      const seconds = ttlOf(ttl);
      const lasts = seconds === null ? 'TTL not known' : `${seconds} s (${showDuration(seconds * 1_000)})`;
      return valuesIn(values).map((value) => joined([record, value, lasts], ' · '));
    });
    return {
      title: say`**${input.domain.name} · DNS** · ${counted(records.length, 'record')}${entries.length > records.length ? `, ${counted(entries.length, 'value')}` : ''}`,
      parts: listOr(say`The host lists no DNS record of ${input.domain.name}.`, entries),
      source: say`${readAt(now)}; what the world sees may be older`,
      offers: [{ label: 'Change a record', opens: 'form', args: ['dns', 'set', input.domain.id] }],
    };
  },
});

/** The values of a record, one each, and how many are not known. */
function valuesIn(values: PartialList<{ readonly value: string }> | undefined): readonly Text[] {
  if (values === undefined) return [inline('values not known')];
  const { entries, unread } = values;
  const known = entries.map(({ value }) => (value === '' ? inline('empty value') : [code(value)]));
  if (unread > 0) return [...known, inline(`${counted(unread, 'value')} not known`)];
  return known.length > 0 ? known : [[]];
}
