import type { Text } from '../../words/text.ts';

/** An environment of a site, as people name it (`acme-shop/live`) and by its id in the hosting API. */
export type Environment = {
  readonly kind: 'environment';
  /** UUID. */
  readonly id: string;
  /** `site/environment`; unique in the API's listing. */
  readonly name: string;
  /** Whether the policy treats it as live; an environment of unknown kind is live. */
  readonly live: boolean;
  /** Undefined if the service does not say which site it belongs to. */
  readonly site: Site | undefined;
};

/** Several environments that somebody named together. */
export type Environments = {
  readonly kind: 'environments';
  /** Each once, in the order of their names; at least one. */
  readonly all: readonly Environment[];
  /** Why some of the named environments may be missing, as a sentence; undefined: none is missing. */
  readonly trouble: Text | undefined;
};

/** A domain of the company. */
export type Domain = {
  readonly kind: 'domain';
  readonly id: string;
  readonly name: string;
  readonly site: Site | undefined;
};

/** A site as a target; its `id` is its name if the host lists no sites. */
export type NamedSite = { readonly kind: 'site'; readonly id: string; readonly name: string };

/** The site of a target; only its name is known if the service lists no sites. */
export type Site = { readonly id: string | undefined; readonly name: string };

export type Company = { readonly kind: 'company'; readonly id: string; readonly name: string };

/** What a command is about; policy, locks and audit refer to it. */
export type Target = Environment | Domain | Company;
