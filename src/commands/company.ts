import { Refusal } from '../errors.ts';
import { code, say } from '../text.ts';
import type { Sources } from './kit/sources.ts';

/** The id of the company, which some calls name; throws `Refusal` while nobody has told it. */
export function companyId({ company }: Pick<Sources, 'company'>): string {
  if (company.id !== '') return company.id;
  throw new Refusal('The host has not told which company my key belongs to. Nothing was done.', {
    hint: say`Try again in a minute. Whoever runs me can set ${code('HOSTING_COMPANY_ID')}.`,
  });
}
