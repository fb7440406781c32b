/** An environment of a site, as people name it (`acme-shop/live`) and as the hosting API does (`id`). */
export type Environment = {
  readonly kind: 'environment';
  /** UUID. */
  readonly id: string;
  /** `site/environment`; unique among what the API lists. */
  readonly name: string;
  /** Whether policy counts it as live; an environment whose kind is not known does. */
  readonly live: boolean;
  /** Not known where the service cannot tell which site an environment belongs to. */
  readonly site: Site | undefined;
};

/** A domain of the company. */
export type Domain = {
  readonly kind: 'domain';
  readonly id: string;
  readonly name: string;
  readonly site: Site | undefined;
};

/** A site that somebody names; `id` is its name where the host lists no sites. */
export type NamedSite = { readonly kind: 'site'; readonly id: string; readonly name: string };

/** The site of a target; where the service lists no sites, only its name is known. */
export type Site = { readonly id: string | undefined; readonly name: string };

export type Company = { readonly kind: 'company'; readonly id: string; readonly name: string };

/** What a command is about: policy, locks and audit name it. */
export type Target = Environment | Domain | Company;
