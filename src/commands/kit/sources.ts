import type { HostReader } from '../../hosting/contract/call.ts';
import type { Certificate } from '../../hosting/contract/certificate.ts';
import type { Company, Domain, Environment } from '../../hosting/contract/target.ts';
import type { Pages, SiteCheck } from '../../site-check/site-check.ts';
import type { Text } from '../../words/text.ts';

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
