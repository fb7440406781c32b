import { listDnsRecords, getVerificationRecords } from '../../hosting/contract/domains.ts';
import type { PartialList } from '../../hosting/contract/fields.ts';
import { code, joined, say, type Text } from '../../words/text.ts';
import { domain } from '../kit/fields.ts';
import { counted, listOr, readAt } from '../kit/page.ts';
import { report } from '../kit/report.ts';
import { wholeName, comparableValue } from '../dns/records.ts';

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
    const lists = { verification: records.verification_records, pointing: records.pointing_records };
    const rows = Object.entries(lists).flatMap(([purpose, list]) =>
      (list?.entries ?? []).map((record) => ({ purpose, ...record })),
    );
    const unread = unreadIn(lists);
    // They can be copied without knowing which of them are set.
    const zone =
      rows.length === 0 ? undefined : await read(listDnsRecords({ domain_id: input.domain.id })).catch(() => undefined);
    return {
      title: say`**${input.domain.name} · records to set**${!unread ? ` · ${counted(rows.length, 'record')}` : ''}`,
      parts: listOr(
        say`The host names no record that has to be set for ${input.domain.name}.`,
        rows.map(({ purpose, ...record }) => {
          const { type, name, value } = record;
          const what = joined([say`**${type}**`, name && code(name)]);
          const standing = zone && standingIn(zone, input.domain.name, record);
          return joined([what, `for ${purpose}`, standing, value && code(value)], ' · ');
        }),
        unread,
      ),
      source: rows.length === 0 ? readAt(now) : say`${readAt(now)}; ${zone ? byZone : zoneUnread}`,
      offers: [{ label: 'Check again', args: ['domains', 'records', input.domain.id] }],
    };
  },
});

const byZone = "set or missing is what the host's own DNS says: if the domain's DNS is elsewhere, set them there";
const zoneUnread = "I couldn't read the host's DNS, so I can't tell which are set";

type Zone = ReturnType<ReturnType<typeof listDnsRecords>['reply']['parse']>;
type SetupRecord = {
  readonly type?: string | undefined;
  readonly name?: string | undefined;
  readonly value?: string | undefined;
};

/** Whether the domain's records at the host have this one; undefined: they don't say. */
function standingIn(
  zone: Zone,
  domain: string,
  { type = '', name, value }: SetupRecord,
): 'set' | 'missing' | undefined {
  if (type === '' || name === undefined || value === undefined) return undefined;
  const same = zone.filter((one) => one.type === type && wholeName(one.name ?? '', domain) === wholeName(name, domain));
  const values = same.flatMap(({ resource_records: all }) => all?.entries ?? []);
  const wanted = comparableValue(type, value);
  if (values.some((one) => comparableValue(type, one.value) === wanted)) return 'set';
  const isUnclear =
    zone.some((one) => one.type === undefined || one.name === undefined) ||
    same.some(({ resource_records: all }) => all === undefined || all.unread > 0);
  return isUnclear ? undefined : 'missing';
}

/** What of these lists can't be read; undefined: nothing. */
function unreadIn(lists: Readonly<Record<string, PartialList<unknown> | undefined>>): Text | undefined {
  const unread = Object.entries(lists).flatMap(([purpose, list]) =>
    list === undefined ? `the ${purpose} records` : list.unread > 0 ? `some ${purpose} records` : [],
  );
  return unread.length === 0 ? undefined : say`**I can't read ${unread.join(' and ')}** that the host lists.`;
}
