import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { type Route, uuid } from '../endpoint.ts';
import { missing, Refused } from '../refused.ts';
import { ok } from '../reply.ts';
import { domainNamed } from '../seed/domains.ts';
import type { DnsRecord, Domain, ShownRecord } from '../resources.ts';

const maxDomains = 500;
const label = '[a-z0-9_]([a-z0-9-]{0,61}[a-z0-9])?';
const hostname = z
  .string()
  .max(253)
  .regex(new RegExp(`^(${label}\\.)+${label}$`, 'i'), 'a domain name');

const addition = z
  .object({
    domain_name: hostname,
    is_wildcardless: z.boolean().default(false),
    add_with_www_subdomain: z.boolean().default(false),
    setup_type: z.enum(['quick', 'avoid_downtime']).default('quick'),
    custom_ssl_key: z.string().max(20_000).optional(),
    custom_ssl_cert: z.string().max(20_000).optional(),
  })
  .refine((body) => !(body.add_with_www_subdomain && body.is_wildcardless), 'www and wildcardless exclude each other');

const values = z
  .array(z.object({ value: z.string().min(1).max(4_096) }))
  .max(1_000)
  .default([]);
const dnsChange = (leastTtl: number) =>
  z.object({
    type: z.string().regex(/^[A-Z0-9]{1,10}$/, 'a record type'),
    name: z.string().min(1).max(253),
    ttl: z
      .int()
      .min(leastTtl)
      .max(2 ** 31 - 1)
      .optional(),
    new_resource_records: values,
    removed_resource_records: values,
  });
/** The document gives no minimum TTL; the public service does. */
const dnsChanges = { document: dnsChange(0), kinsta: dnsChange(300) };

/** The company's domains, the records to set elsewhere, and their DNS. */
export const domainRoutes: readonly Route[] = [
  {
    section: '4.4',
    method: 'POST',
    path: '/sites/environments/{env_id}/domains',
    errors: [400, 401, 500],
    answer: (call, { world, operations }) => {
      const id = call.uuid();
      const { domain_name: name, is_wildcardless: bare, add_with_www_subdomain: www } = call.body(addition);
      const { siteId } = world.environment(id);
      return operations.start('sites:add-domain', {
        finish: () => {
          const { id: environmentId } = world.environment(id);
          const taken = world.domains.some((domain) => domain.name === name);
          if (taken || world.domains.length >= maxDomains) throw new Refused('failure', 'no room for such a domain');
          const given = { id: randomUUID(), siteId, environmentId, isActive: false, wildcard: !bare, www };
          world.domains.push(domainNamed(name, given));
        },
      });
    },
  },
  {
    section: '4.5',
    method: 'GET',
    path: '/sites/environments/domains/{site_domain_id}/verification-records',
    errors: [401, 404, 500],
    answer: (call, { world }) => {
      const { verification, pointing } = world.domain(call.uuid());
      return ok({ site_domain: { verification_records: verification, pointing_records: pointing } });
    },
  },
  {
    section: '4.6',
    method: 'PUT',
    path: '/domains/{domain_id}/dns-records',
    errors: [400, 401, 500],
    answer: (call, { world, operations, dialect }) => {
      const id = call.uuid();
      const change = call.body(dnsChanges[dialect]);
      world.domain(id);
      return operations.start('domains:update-dns-record', { finish: () => setRecord(world.domain(id), change) });
    },
  },
  {
    section: '4.6a',
    method: 'GET',
    path: '/domains/{domain_id}/dns-records',
    errors: [401, 500],
    answer: (call, { world }) => ok({ domain: { dns_records: world.domain(call.uuid()).dns } }),
  },
  {
    section: '4.7',
    method: 'GET',
    path: '/domains',
    errors: [401, 404, 500],
    answer: (call, { world }) => {
      const { company } = call.query(z.object({ company: uuid }));
      if (company.toLowerCase() !== world.company.id) missing('company');
      const domains = world.domains.map(({ id, name, siteId, isActive }) => ({
        id,
        name,
        site_id: siteId,
        is_active: isActive,
      }));
      return ok({ company: { domains } });
    },
  },
];

/** Type and name identify a record set. New values are added, removed ones dropped, empty sets deleted. */
function setRecord(domain: Domain, change: z.infer<typeof dnsChanges.document>): void {
  const same = (one: DnsRecord): boolean => one.type === change.type && one.name === change.name;
  const before = domain.dns.find(same);
  const removed = new Set(change.removed_resource_records.map(({ value }) => value));
  const kept = (before?.resource_records ?? []).map(({ value }) => value).filter((value) => !removed.has(value));
  const after = [...new Set([...kept, ...change.new_resource_records.map(({ value }) => value)])];
  if (after.length > 1_000) throw new Refused('failure', 'too many values');
  const ttl = change.ttl ?? before?.ttl ?? 3_600;
  const record = { type: change.type, name: change.name, ttl, resource_records: after.map((value) => ({ value })) };
  const others = domain.dns.filter((one) => !same(one));
  domain.dns = after.length === 0 ? others : [...others, record];
  domain.isActive ||= domain.verification.every((one) => hasRecord(domain, one));
}

/** Whether the domain's own DNS has this record. */
export function hasRecord({ dns }: Pick<Domain, 'dns'>, { type, name, value }: ShownRecord): boolean {
  const same = (one: string, other: string): boolean =>
    one.toLowerCase().replace(/\.$/, '') === other.toLowerCase().replace(/\.$/, '');
  return dns.some(
    (record) =>
      record.type === type && same(record.name, name) && record.resource_records.some((one) => same(one.value, value)),
  );
}
