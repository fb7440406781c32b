import { listDomains, type CompanyDomain } from '../../hosting/contract/domains.ts';
import { companyId } from '../company.ts';
import type { Sources } from '../kit/sources.ts';

export const companyDomains = async (sources: Pick<Sources, 'read' | 'company'>): Promise<readonly CompanyDomain[]> =>
  sources.read(listDomains({ company: companyId(sources) }));
