import type { Sources } from '../commands/sources.ts';
import type { Company } from '../hosting/contract/target.ts';

/** What looks at the host are made with; `main.ts` gives it. */
export type Sighted = Pick<Sources, 'read' | 'certificate'> & { readonly company: () => Company };

/** The same for one look. */
export const sourcesOf = ({ read, certificate, company }: Sighted): Sources => ({
  read,
  certificate,
  company: company(),
});
