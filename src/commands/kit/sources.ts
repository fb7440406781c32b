import type { HostReader } from '../../hosting/contract/call.ts';
import type { Certificate } from '../../hosting/contract/certificate.ts';
import type { Company, Environment } from '../../hosting/contract/target.ts';
import type { Text } from '../../text.ts';

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

/** What an action may read in its look: also what Sitehand stores itself. */
export type LookSources = Sources & {
  /** The addresses with timed access on the SSH allowlist of an environment, in a fixed order. */
  readonly timed: (env: Environment) => Promise<readonly Timed[]>;
};

/** An address with timed access, and its end (epoch ms). */
export type Timed = { readonly address: string; readonly until: number };
