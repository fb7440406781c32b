import { Refusal } from '../base/errors.ts';
import { listDomains, type CompanyDomain } from '../hosting/contract/domains.ts';
import type { PartialList } from '../hosting/contract/fields.ts';
import { code, say } from '../words/text.ts';
import type { Sources } from './kit/sources.ts';

/** The company's id, which some calls need; throws `Refusal` while it is unknown. */
export function companyId({ company }: Pick<Sources, 'company'>): string {
  if (company.id !== '') return company.id;
  throw new Refusal("The host hasn't told me which company my key belongs to. Nothing was done.", {
    hint: say`Try again in a minute, or ask the person who runs me to set ${code('HOSTING_COMPANY_ID')}.`,
  });
}

export const companyDomains = async (sources: Pick<Sources, 'read' | 'company'>): Promise<PartialList<CompanyDomain>> =>
  sources.read(listDomains({ company: companyId(sources) }));
