import type { HostReader } from '../../hosting/contract/call.ts';
import type { Text } from '../../words/text.ts';
import type { CompanyDomain } from '../../hosting/contract/domains.ts';
import type { Environment, Environments } from '../../hosting/contract/target.ts';
import type { Fields, Input, TargetKey } from './fields.ts';
import type { Examples, Invalid } from './action.ts';
import type { Page } from './page.ts';
import type { StatusPart } from './site-status.ts';
import type { LookSources, SiteCheckSource } from './sources.ts';
import type { SentChange, LogQuery, SentSince } from './log-query.ts';

/** What a report can use besides its input. */
export type ReportContext = LookSources & {
  readonly siteCheck: SiteCheckSource;
  /** Epoch milliseconds. */
  readonly now: number;
  /** The person's time zone, an IANA name. */
  readonly zone: string;
  /** A stable name for a visitor's address that does not reveal it: `client-3f2a`. */
  readonly alias: (address: string) => string;
  /** Which rows of the company's lists this person may be shown. */
  readonly seen: SeenRows;
  /** A sentence that says why the results of another command aren't shown for it; undefined: they are. */
  readonly withheld: (path: string, env: Environment) => Text | undefined;
  /** Reads from many environments, a few at a time. An environment that may not or could not be read in time says so. */
  readonly each: <T>(of: EnvironmentRead<T>) => Promise<readonly EnvironmentResult<T>[]>;
  /** All environments that the person can see. Throws `Refusal` if there are none, or too many. */
  readonly everything: () => Environments;
  /** Analyses a log. */
  readonly analyzeLog: (query: LogQuery, recall: SentSince) => Promise<Page>;
  /** The changes sent for an environment since `since` (epoch ms), oldest first. */
  readonly sentChanges: (env: Environment, since: number) => Promise<readonly SentChange[]>;
};

/** Whether the person may be shown a row of a list of the whole company. A row of unknown site is of any site. */
export type SeenRows = {
  readonly environment: (id: string | undefined) => boolean;
  readonly domain: (listed: CompanyDomain) => boolean;
};

/** What to read from these environments; only from those on which the person may run all of `paths`. */
export type EnvironmentRead<T> = {
  readonly paths: readonly string[];
  readonly all: readonly Environment[];
  /** Reads what all environments need, once, before the first of them. If it fails, no environment is read. */
  readonly first?: (read: HostReader) => Promise<void>;
  readonly work: (env: Environment, read: HostReader) => Promise<T>;
};

/** What was read from one environment, or why nothing was read. */
export type EnvironmentResult<T> = { readonly env: Environment; readonly part: StatusPart<T> };

/** A command that only reads; it answers privately. */
type Report<F extends Fields> = {
  readonly shape: 'report';
  readonly summary: string;
  readonly button: string;
  readonly examples: Examples;
  /** What else people call it, as in an action. */
  readonly also?: string;
  /** A rule has to allow the command by name, and the answer can't be shared. */
  readonly right?: 'named';
  /** The audit event that records who asked. It is written before anything is shown. */
  readonly noted?: string;
  /** Other commands whose results it shows too, each only on targets on which the person may run that command. */
  readonly shows?: readonly string[];
  /** It reads sites and not the host, so it takes no turn from reports that read the host. */
  readonly readsSites?: true;
  readonly fields: F;
  /**
   * The field that names what is read; policy requires the right to read it. If it names many environments, or is
   * `each`, the rules check each environment when it is read.
   */
  readonly target: TargetKey<F> | 'company' | 'each';
  /** With `company`: if this field names environments, the report is about `each` of them instead of the company. */
  readonly narrowedBy?: keyof F & string;
  invalid?(input: Input<F>): Invalid<keyof F & string> | undefined;
  show(of: { readonly input: Input<F> } & ReportContext): Promise<Page>;
};

export function report<const F extends Fields>(of: Omit<Report<F>, 'shape'>): Report<F> {
  return { shape: 'report', ...of };
}

export type AnyReport = Omit<Report<Fields>, 'target' | 'narrowedBy'> & {
  readonly target: string;
  readonly narrowedBy?: string;
};
