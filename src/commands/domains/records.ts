import { getVerificationRecords } from '../../hosting/contract/domains.ts';
import type { PartialList } from '../../hosting/contract/fields.ts';
import { code, joined, say, type Text } from '../../text.ts';
import { domain } from '../kit/fields.ts';
import { counted, listOr, readAt } from '../kit/page.ts';
import { report } from '../kit/report.ts';

export const domainsRecords = report({
  summary: 'Show the records that verify a domain and point it at its site',
  button: 'Show records to set',
  also: `
    verify, verify domain, verify <host>, verification, txt verification, record verify, record verification, which
    record, what record, record to set, record set for, record set domain, record need, put record, customer
    record, which record set, dns to set, dns set for, put cloudflare, nameserver, domain setup record, point
    domain record, how point, how point <host>, registrar, enter registrar, registrar point`,
  examples: ['acme.example'],
  fields: { domain: domain() },
  target: 'domain',
  show: async ({ input, read, now }) => {
    const records = await read(getVerificationRecords({ site_domain_id: input.domain.id }));
    const lists = { verification: records?.verification_records, pointing: records?.pointing_records };
    const rows = Object.entries(lists).flatMap(([purpose, list]) =>
      (list?.entries ?? []).map((record) => ({ purpose, ...record })),
    );
    const unread = records && unreadIn(lists);
    const none =
      records === undefined
        ? say`**I can't read the records of ${input.domain.name}.** The host says that they are gone, or that my key may not see them (404).`
        : say`The host names no record that has to be set for ${input.domain.name}.`;
    return {
      title: say`**${input.domain.name} · records to set**${records && !unread ? ` · ${counted(rows.length, 'record')}` : ''}`,
      parts: listOr(
        none,
        rows.map(({ purpose, type, name, value }) =>
          joined([joined([say`**${type}**`, name && code(name)]), `for ${purpose}`, value && code(value)], ' · '),
        ),
        unread,
      ),
      source: say`${readAt(now)}; set them at the provider of the domain's DNS`,
      offers: [{ label: 'Check again', args: ['domains', 'records', input.domain.id] }],
    };
  },
});

/** What of these lists can't be read; undefined: nothing. */
function unreadIn(lists: Readonly<Record<string, PartialList<unknown> | undefined>>): Text | undefined {
  const unread = Object.entries(lists).flatMap(([purpose, list]) =>
    list === undefined ? `the ${purpose} records` : list.unread > 0 ? `some ${purpose} records` : [],
  );
  return unread.length === 0 ? undefined : say`**I can't read ${unread.join(' and ')}** that the host lists.`;
}
