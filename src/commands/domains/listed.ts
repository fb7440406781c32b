import { Refusal } from '../../errors.ts';
import { listDomains, type CompanyDomain } from '../../hosting/contract/domains.ts';
import type { Sources } from '../sources.ts';

/** The domains that the host lists for the company. */
export async function companyDomains({
  read,
  company,
}: Pick<Sources, 'read' | 'company'>): Promise<readonly CompanyDomain[]> {
  if (company.id === '') {
    throw new Refusal('The host does not tell which company my key belongs to. Nothing was done.', {
      hint: 'Whoever runs me can set HOSTING_COMPANY_ID.',
    });
  }
  return read(listDomains({ company: company.id }));
}
