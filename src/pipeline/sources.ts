import type { Sources } from '../commands/sources.ts';
import type { Company } from '../hosting/contract/target.ts';

/** What looks at the host are made with; `main.ts` gives it. */
export type Sighted = Pick<Sources, 'read' | 'certificate' | 'leastTtl'> & { readonly company: () => Company };

/** The same for one look. */
export const sourcesOf = ({ read, certificate, leastTtl, company }: Sighted): Sources => ({
  read,
  certificate,
  leastTtl,
  company: company(),
});
