/** A redirect rule (section 2). It has no id; its whole value identifies it. */
export type RedirectRule = {
  from: string;
  to: string;
  type: 'permanent' | 'redirect';
  domain: string;
  traffic_from_country: string;
  traffic_from_country_name: string;
  traffic_from_city: string;
  displayed_location: string;
};

/** A DNS record set (section 2); `ttl` in seconds. */
export type DnsRecord = { type: string; name: string; ttl: number; resource_records: { value: string }[] };

/** A record to set at another DNS provider to verify or point a domain (section 2). */
export type ShownRecord = { readonly name: string; readonly value: string; readonly type: string };

/** A file, or a folder if it has `children`; `path` is relative to the site root (section 2). */
export type FileNode = { name: string; path: string; children?: FileNode[] };

/** A backup (section 2); `created_at` in epoch milliseconds. */
export type Backup = { id: number; name: string; note: string; type: BackupType; created_at: number };

/** The three kinds of backup that the document names. */
export type BackupType = 'manual' | 'scheduled' | 'system-generated';

/** A theme of the world, independent of where it is installed. */
export type Theme = {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly latest: string;
  readonly vulnerable: readonly string[];
};

/** A theme in one environment. */
export type InstalledTheme = {
  readonly name: string;
  version: string;
  status: 'active' | 'inactive';
  updateStatus: string | null;
  autoUpdate: 'Platform Auto Update' | 'Service Automatic Update' | null;
};

/** The three logs of an environment, by the names the document prints (4.19). */
export type LogKind = 'error' | 'access' | 'service-cache-perf';

/** One line of a log; `at` in epoch milliseconds. */
export type LogLine = { readonly at: number; readonly text: string };

/** What can be wrong with what visitors are served: an error, an error page with status 200, an empty page, slowness. */
export const breakages = ['error', 'database', 'empty', 'slow'] as const;
/** One of `breakages`. */
export type Breakage = (typeof breakages)[number];

/** What a shop sells; `price` in cents. */
export type Product = { readonly name: string; readonly price: number };

/** One environment with everything that the API can read or change. */
export type Environment = {
  readonly id: string;
  readonly containerId: string;
  readonly siteId: string;
  readonly name: string;
  readonly displayName: string;
  readonly hostname: string;
  themes: InstalledTheme[];
  redirects: RedirectRule[];
  files: FileNode[];
  backups: Backup[];
  allowlist: string[];
  passwordEnabled: boolean;
  passwordExpiry: string;
  images: 'off' | 'lossy' | 'lossless';
  isBlocked: boolean;
  cacheClearedAt: number | null;
  phpRestartedAt: number | null;
  /** The environment this database came from, and since when: its own until a push replaces it. */
  database: { from: string; since: number };
  /** What the database holds of the shop's pages. */
  products: readonly Product[];
  broken: Breakage[];
  /** Whether the next push to this environment breaks it. */
  nextPushBreaks: boolean;
  /** Grows with everything that empties the page cache. */
  cacheGeneration: number;
  /** Lines written by events, in addition to the generated ones. */
  written: (LogLine & { readonly kind: LogKind })[];
};

/** A site. The API does not promise that live comes first, so clients must go by `name`. */
export type Site = {
  readonly id: string;
  readonly name: string;
  readonly displayName: string;
  status: string;
  environments: Environment[];
};

/** A domain of the company; the same id serves 4.5, 4.6, 4.6a and 4.7. */
export type Domain = {
  readonly id: string;
  readonly name: string;
  readonly siteId: string;
  readonly environmentId: string;
  isActive: boolean;
  dns: DnsRecord[];
  readonly verification: readonly ShownRecord[];
  readonly pointing: readonly ShownRecord[];
};

/** What a world starts with. */
export type Seeded = {
  readonly company: { readonly id: string; readonly name: string };
  readonly themes: readonly Theme[];
  readonly themesReadAt: number;
  readonly sites: Site[];
  readonly domains: Domain[];
};
