import type { HostReader } from '../../hosting/contract/call.ts';
import { type Certificate, listDomains, type CompanyDomain } from '../../hosting/contract/domains.ts';
import type { Company, Domain, Environment } from '../../hosting/contract/target.ts';
import type { Pages, SiteCheck } from '../../site-check/site-check.ts';
import { type Text, code, say } from '../../words/text.ts';
import { Refusal } from '../../base/errors.ts';
import type { PartialList } from '../../hosting/contract/fields.ts';

/** What a command may read before anything is sent. */

/** What a command may read before anything is sent. */
export type Sources = {
  readonly read: HostReader;
  /** The company that owns the sites. */
  readonly company: Company;
  /** A certificate on this machine by its name; `wrong` says why it cannot be used. */
  readonly certificate: (name: string) => Certificate | { readonly wrong: Text };
  /** The lowest TTL of a DNS record that the host accepts, in seconds; undefined if there is no limit. */
  readonly leastTtl?: number | undefined;
};

/** Readings of sites for the person who asks. */
export type SiteCheckSource = Pick<SiteCheck, 'read' | 'readOn'> & {
  readonly planFor: (target: Environment | Domain) => CheckPlan;
  /** Where every reading goes instead of the site, as `host:port`: for the playground. */
  readonly instead: string | undefined;
};

/** The pages by which a site is judged, or why it is not checked. */
export type CheckPlan =
  | ({
      readonly kind: 'pages';
      /** How many more domains it has. */
      readonly otherDomains: number;
    } & Pages)
  | { readonly kind: 'cannot be checked'; readonly why: Text };

/** What a report or the look of an action may read, including what Sitehand itself stores. */
export type LookSources = Sources & {
  /** What the host is sent to switch image optimization off. */
  readonly imagesOff: 'off' | false;
  /** The addresses with timed access on the SSH allowlist of an environment, in a fixed order. */
  readonly timed: (env: Environment) => Promise<readonly Timed[]>;
};

/** An address with timed access, and its end (epoch ms). */
export type Timed = { readonly address: string; readonly until: number };

/** The company's id, which some calls need; throws `Refusal` while it is unknown. */
export function companyId({ company }: Pick<Sources, 'company'>): string {
  if (company.id !== '') return company.id;
  throw new Refusal("The host hasn't told me which company my key belongs to. Nothing was done.", {
    hint: say`Try again in a minute, or ask the person who runs me to set ${code('HOSTING_COMPANY_ID')}.`,
  });
}

export const companyDomains = async (sources: Pick<Sources, 'read' | 'company'>): Promise<PartialList<CompanyDomain>> =>
  sources.read(listDomains({ company: companyId(sources) }));
