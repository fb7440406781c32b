/** Ids that are the same at every start and easy to tell apart: the first group says what kind, the last which one. */
function idOf(what: string, which: number): string {
  return `${what}-0000-4000-8000-${which.toString(16).padStart(12, '0')}`;
}

/** The one company. */
export const companyId = idOf('c0c0c0c0', 1);

/** The sites of a fresh world, in the order of their ids. */
export const siteNames = [
  'acme-shop',
  'acme-blog',
  'acme-docs',
  'north-bakery',
  'lumen-studio',
  'harbor-events',
] as const;

/** The environments of each site. */
export const environmentNames = ['live', 'staging'] as const;

const numbered = (name: string): number => siteNames.findIndex((one) => one === name) + 1;

/** The id of a seeded site (`acme-shop`) or environment (`acme-shop/live`). Throws for any other name. */
export function seededId(name: string): string {
  const [siteName = '', environmentName] = name.split('/');
  const site = numbered(siteName);
  const environment = environmentNames.findIndex((one) => one === environmentName) + 1;
  if (site === 0 || (environmentName !== undefined && environment === 0)) throw new Error(`${name} is not seeded`);
  return environmentName === undefined ? idOf('51735173', site) : idOf('e0e0e0e0', site * 16 + environment);
}

/** The id of the n-th additional site or environment, from 1. */
export function furtherId(what: 'site' | 'environment', which: number): string {
  return idOf(what === 'site' ? '51735174' : 'e0e0e0e1', which);
}

/** The id of the container that serves an environment. */
export function containerId(environmentId: string): string {
  return environmentId.startsWith('e0e0e0e0')
    ? environmentId.replace('e0e0e0e0', 'cafecafe')
    : `cafe${environmentId.slice(4)}`;
}

/** The id of the n-th seeded domain, from 1. */
export function domainId(which: number): string {
  return idOf('d0d0d0d0', which);
}
