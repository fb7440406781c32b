import type { Reader } from '../../hosting/contract/call.ts';
import type { Certificate } from '../../hosting/contract/certificate.ts';
import type { Company, Environment } from '../../hosting/contract/target.ts';

/** What a command may ask before anything is sent. */
export type Sources = {
  readonly read: Reader;
  /** Whose sites they are. */
  readonly company: Company;
  /** A certificate of this machine by its name; `wrong`: why there is none that could be used, as a sentence. */
  readonly certificate: (name: string) => Certificate | { readonly wrong: string };
  /** The least TTL of a DNS record that the host takes, in seconds; left out: any. */
  readonly leastTtl?: number | undefined;
};

/** What an action may ask when it looks: what is kept here as well. */
export type LookSources = Sources & {
  /** The addresses on the SSH allowlist of an environment whose access ends by itself, in a fixed order. */
  readonly timed: (env: Environment) => Promise<readonly Timed[]>;
};

/** An address whose access ends by itself, and when (epoch ms). */
export type Timed = { readonly address: string; readonly until: number };
