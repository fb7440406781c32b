import { showDuration } from '../../duration.ts';
import { listDnsRecords } from '../../hosting/contract/dns.ts';
import { code, joined, say } from '../../text.ts';
import { domain } from '../kit/fields.ts';
import { counted, listOr, readAt } from '../kit/page.ts';
import { report } from '../kit/report.ts';

export const dnsList = report({
  summary: 'List the DNS records of a domain',
  button: 'List DNS records',
  examples: ['acme.example'],
  fields: { domain: domain() },
  target: 'domain',
  show: async ({ input, read, now }) => {
    const records = await read(listDnsRecords({ domain_id: input.domain.id }));
    const entries = records.flatMap(({ type, name, ttl, resource_records: values }) =>
      (values.length > 0 ? values : [{ value: undefined }]).map(({ value }) => {
        const record = joined([say`**${type}**`, name && code(name)]);
        const lasts = ttl === undefined ? 'TTL not known' : `${ttl} s (${showDuration(ttl * 1_000)})`;
        return joined([record, value && code(value), lasts], ' · ');
      }),
    );
    return {
      title: say`**${input.domain.name} · DNS** · ${counted(records.length, 'record')}${entries.length > records.length ? `, ${counted(entries.length, 'value')}` : ''}`,
      parts: listOr(say`The host lists no DNS record of ${input.domain.name}.`, entries),
      source: say`${readAt(now)}; what the world sees may be older`,
      offers: [{ label: 'Change a record', opens: 'form', args: ['dns', 'set', input.domain.id] }],
    };
  },
});
