import type { DnsRecord, Domain, ShownRecord } from '../resources.ts';

const minute = 60;
const hour = 60 * minute;

/** An environment's domain, with the records that verify and point it. Section 2 gives the shapes. */
export function domainNamed(
  name: string,
  given: { id: string; siteId: string; environmentId: string; isActive: boolean; wildcard?: boolean; www?: boolean },
): Domain {
  const { wildcard = true, www = false, ...ids } = given;
  return { ...ids, name, dns: [], verification: verification(name, ids.id, wildcard), pointing: pointing(name, www) };
}

function verification(name: string, id: string, wildcard: boolean): ShownRecord[] {
  const proof = `site-verify-${id.slice(-12)}`;
  const challenge = { name: `_acme-challenge.${name}`, value: `${proof}.certificates.sitehost.example`, type: 'CNAME' };
  return [{ name: `_site-verify.${name}`, value: proof, type: 'TXT' }, ...(wildcard ? [challenge] : [])];
}

function pointing(name: string, www: boolean): ShownRecord[] {
  const apex = { name, value: '192.0.2.80', type: 'A' };
  return www ? [apex, { name: `www.${name}`, value: name, type: 'CNAME' }] : [apex];
}

/** The DNS record sets of a typical domain. */
export function defaultDns(name: string): DnsRecord[] {
  return [
    record('A', name, hour, ['192.0.2.80']),
    record('AAAA', name, hour, ['2001:db8::80']),
    record('CNAME', `www.${name}`, hour, [name]),
    record('MX', name, hour, ['10 mx1.post.example', '20 mx2.post.example']),
    record('TXT', name, hour, ['"v=spf1 include:_spf.post.example -all"', '"site-owner=acme"']),
    record('TXT', `_dmarc.${name}`, hour, [`"v=DMARC1; p=quarantine; rua=mailto:postmaster@${name}"`]),
    record('A', `status.${name}`, 5 * minute, ['198.51.100.24']),
    record('NS', name, 24 * hour, ['ns1.names.example', 'ns2.names.example']),
  ];
}

function record(type: string, name: string, ttl: number, values: string[]): DnsRecord {
  return { type, name, ttl, resource_records: values.map((value) => ({ value })) };
}
