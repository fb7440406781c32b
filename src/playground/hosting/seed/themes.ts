import type { Random } from '../random.ts';
import type { InstalledTheme, Theme } from '../resources.ts';

/** Every theme of the company; all are invented. */
export const themes: readonly Theme[] = [
  theme('storefront-plus', 'Storefront Plus', 'Product pages, carts and a quick checkout.', '4.3.0', ['4.1.2']),
  theme('harvest', 'Harvest', 'Warm pages for food and craft.', '2.8.1', ['2.6.0', '2.7.0']),
  theme('paperwhite', 'Paperwhite', 'Long reading, few distractions.', '3.0.4', []),
  theme('lattice', 'Lattice', 'A portfolio grid that loads as you scroll.', '1.9.2', ['1.9.2', '1.8.0']),
  theme('quill', 'Quill', 'Documentation with a table of contents.', '5.2.0', []),
  theme('canopy', 'Canopy', 'Calendars, tickets and venues.', '2.2.3', ['2.1.0']),
  theme('kiln', 'Kiln', 'A plain starting point.', '1.0.7', []),
  theme('meridian', 'Meridian', 'The company look of last year.', '6.1.0', ['5.9.9']),
];

function theme(name: string, title: string, description: string, latest: string, vulnerable: string[]): Theme {
  return { name, title, description, latest, vulnerable };
}

type ThemeList = readonly (readonly [name: string, version: string])[];

/** The themes of each live site, the active one first. Staging has the newest version of the active one. */
const themesBySite: Readonly<Record<string, ThemeList>> = {
  'acme-shop': [
    ['storefront-plus', '4.1.2'],
    ['kiln', '1.0.7'],
    ['meridian', '5.9.9'],
    ['paperwhite', '3.0.1'],
  ],
  'acme-blog': [
    ['paperwhite', '3.0.4'],
    ['kiln', '1.0.5'],
    ['meridian', '6.1.0'],
  ],
  'acme-docs': [
    ['quill', '5.1.3'],
    ['kiln', '1.0.7'],
  ],
  'north-bakery': [
    ['harvest', '2.7.0'],
    ['kiln', '1.0.7'],
    ['storefront-plus', '4.3.0'],
  ],
  'lumen-studio': [
    ['lattice', '1.9.2'],
    ['paperwhite', '3.0.4'],
  ],
  'harbor-events': [
    ['canopy', '2.2.3'],
    ['harvest', '2.8.1'],
    ['kiln', '1.0.6'],
  ],
};

/** The themes of a site that is not listed above. */
const defaultThemes: ThemeList = [
  ['kiln', '1.0.6'],
  ['meridian', '5.9.9'],
];

/** The themes of a seeded environment. */
export function installed(site: string, environment: string, random: Random): InstalledTheme[] {
  return (themesBySite[site] ?? defaultThemes).map(([name, version], at) => ({
    name,
    version: at === 0 && environment === 'staging' ? latestOf(name) : version,
    status: at === 0 ? 'active' : 'inactive',
    updateStatus: null,
    autoUpdate: random.pick([null, null, 'Platform Auto Update', 'Service Automatic Update'] as const),
  }));
}

function latestOf(name: string): string {
  return themes.find((one) => one.name === name)?.latest ?? '1.0.0';
}
