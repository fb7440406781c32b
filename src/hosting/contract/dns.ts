import { z } from 'zod';
import { readEndpoint, writeEndpoint } from './endpoint.ts';
import { cell, filledLine, line, numberCell, partialList, textCell, wholeList } from './fields.ts';

const dnsRecord = z.object({
  type: textCell,
  name: textCell,
  /** Seconds. */
  ttl: numberCell,
  /** Undefined: not known. */
  resource_records: cell(partialList(z.object({ value: z.string() }))),
});

const recordValues = z
  .array(z.strictObject({ value: filledLine }))
  .max(500)
  .readonly();

/** 4.6. `ttl` in seconds, within what DNS itself allows. */
export const updateDnsRecord = writeEndpoint({
  section: '4.6',
  method: 'PUT',
  path: '/domains/{domain_id}/dns-records',
  body: {
    type: filledLine.max(16),
    name: line.max(255),
    ttl: z.int().min(0).max(2_147_483_647),
    new_resource_records: recordValues,
    removed_resource_records: recordValues,
  },
  operation: 'domains:update-dns-record',
  statuses: [202, 400, 401, 500],
});

/** 4.6a. Changes rely on this list, so a missing one is an odd answer. */
export const listDnsRecords = readEndpoint({
  section: '4.6a',
  path: '/domains/{domain_id}/dns-records',
  statuses: [200, 401, 500],
  reply: z
    .object({ domain: z.object({ dns_records: wholeList(dnsRecord) }) })
    .transform(({ domain }) => domain.dns_records),
});
