import { missing } from './refused.ts';
import type { Domain, Environment, Seeded, Site, Theme } from './resources.ts';

/** One company's world, in memory. Look-ups by id refuse with "missing". */
export class World {
  readonly company: Seeded['company'];
  themes: readonly Theme[];
  readonly themesReadAt: number;
  readonly sites: Site[];
  readonly domains: Domain[];

  constructor(seeded: Seeded) {
    this.company = seeded.company;
    this.themes = seeded.themes;
    this.themesReadAt = seeded.themesReadAt;
    this.sites = seeded.sites;
    this.domains = seeded.domains;
  }

  /** Every environment of every site. */
  environments(): Environment[] {
    return this.sites.flatMap((site) => site.environments);
  }

  /** A site by its id, in any case. */
  site(id: string): Site {
    return this.sites.find((site) => site.id === id.toLowerCase()) ?? missing('site');
  }

  /** An environment by its id, in any case. */
  environment(id: string): Environment {
    return this.environments().find((one) => one.id === id.toLowerCase()) ?? missing('environment');
  }

  /** A domain by its id, in any case. */
  domain(id: string): Domain {
    return this.domains.find((domain) => domain.id === id.toLowerCase()) ?? missing('domain');
  }

  /** Removes an environment with its domains, and its site with the last environment. */
  removeEnvironment({ id, siteId }: Environment): void {
    const site = this.site(siteId);
    site.environments = site.environments.filter((one) => one.id !== id);
    if (site.environments.length === 0) this.sites.splice(this.sites.indexOf(site), 1);
    for (const domain of this.domains.filter((one) => one.environmentId === id)) {
      this.domains.splice(this.domains.indexOf(domain), 1);
    }
  }

  /** An environment by its name (`acme-shop/live`), for tests and the control API. */
  environmentNamed(fullName: string): Environment | undefined {
    const [siteName, name] = fullName.split('/');
    const site = this.sites.find((one) => one.name === siteName);
    return site?.environments.find((one) => one.name === name);
  }

  /** An environment's name: `acme-shop/live`. */
  fullName(environment: Environment): string {
    return `${this.site(environment.siteId).name}/${environment.name}`;
  }

  /** A copy of the world, to try out requests that must not change this one. */
  copy(): World {
    const { company, themes, themesReadAt, sites, domains } = this;
    return new World(structuredClone({ company, themes, themesReadAt, sites, domains }));
  }
}
