import { z } from 'zod';
import { names, values } from '../dialect.ts';
import { readEndpoint, writeEndpoint } from './endpoint.ts';
import {
  cell,
  filledLine,
  trueOrFalse,
  flagCell,
  idCell,
  partialList,
  secretReference,
  textCell,
  uuid,
} from './fields.ts';

const companyDomain = z.object({ id: idCell, name: textCell, site_id: idCell, is_active: flagCell });
const setupRecord = z.object({ name: textCell, value: textCell, type: textCell });
export type CompanyDomain = z.output<typeof companyDomain>;

/** The ways to set up a domain: at once, or without downtime for one that already has visitors. */
export const setupTypes = values.setupTypes;

/** 4.4. Key and certificate are references: a stored call contains neither. */
export const addDomain = writeEndpoint({
  section: '4.4',
  method: 'POST',
  path: '/sites/environments/{env_id}/domains',
  body: {
    domain_name: filledLine.max(253),
    is_wildcardless: trueOrFalse.optional(),
    add_with_www_subdomain: trueOrFalse.optional(),
    setup_type: z.enum(setupTypes).optional(),
    custom_ssl_key: secretReference.optional(),
    custom_ssl_cert: secretReference.optional(),
  },
  operation: 'sites:add-domain',
  statuses: [202, 400, 401, 500],
  unsound: (domain) => {
    if (domain.is_wildcardless && domain.add_with_www_subdomain) return 'www cannot be added without the wildcard';
    if (!domain.custom_ssl_key !== !domain.custom_ssl_cert) return 'a certificate and its key come together';
    return undefined;
  },
});

const setupRecords = z.object({
  site_domain: z.object({
    verification_records: cell(partialList(setupRecord)),
    pointing_records: cell(partialList(setupRecord)),
  }),
});

/** 4.5. `site_domain_id` is the `id` of 4.7. */
export const getVerificationRecords = readEndpoint({
  section: '4.5',
  path: '/sites/environments/domains/{site_domain_id}/verification-records',
  statuses: [200, 401, 404, 500],
  reply: setupRecords.transform(({ site_domain }) => site_domain),
});

/** 4.7. `site_id` may be missing. */
export const listDomains = readEndpoint({
  section: '4.7',
  path: '/domains',
  query: { [names.company]: uuid },
  statuses: [200, 401, 404, 500],
  reply: z
    .object({ company: z.object({ domains: partialList(companyDomain) }) })
    .transform(({ company }) => company.domains),
});
