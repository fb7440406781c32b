import { getVerificationRecords } from '../../hosting/contract/domains.ts';
import { code, joined, say } from '../../text.ts';
import { domain } from '../kit/fields.ts';
import { counted, listOr, readAt } from '../kit/page.ts';
import { report } from '../kit/report.ts';

export const domainsRecords = report({
  summary: 'Show the records that verify a domain and point it at its site',
  button: 'Show records to set',
  examples: ['acme.example'],
  fields: { domain: domain() },
  target: 'domain',
  show: async ({ input, read, now }) => {
    const records = await read(getVerificationRecords({ site_domain_id: input.domain.id }));
    const rows = [
      ...(records?.verification_records ?? []).map((record) => ({ purpose: 'verification', ...record })),
      ...(records?.pointing_records ?? []).map((record) => ({ purpose: 'pointing', ...record })),
    ];
    const none =
      records === undefined
        ? say`**I can't read the records of ${input.domain.name}.** The host says that they are gone, or that my key may not see them (404).`
        : say`The host names no record that has to be set for ${input.domain.name}.`;
    return {
      title: say`**${input.domain.name} · records to set**${records ? ` · ${counted(rows.length, 'record')}` : ''}`,
      parts: listOr(
        none,
        rows.map(({ purpose, type, name, value }) =>
          joined([joined([say`**${type}**`, name && code(name)]), `for ${purpose}`, value && code(value)], ' · '),
        ),
      ),
      source: say`${readAt(now)}; set them at the provider of the domain's DNS`,
      offers: [{ label: 'Check again', args: ['domains', 'records', input.domain.id] }],
    };
  },
});
