import { builtin } from '../kit/builtin.ts';
import { optional, word } from '../kit/fields.ts';

export const environments = builtin({
  summary: 'List your sites, environments and domains',
  button: 'List environments',
  also: `
    sites, our site, my site, how many site, list, list site, show site, which site, what site, ls site, name of
    site, env of, which environment, what environment, show environment, list environment, inventory, what can
    name, list everything, what is there`,
  right: 'read',
  freshens: true,
  examples: ['', 'acme'],
  fields: { search: optional({ ...word('Search'), takes: 'a site', hint: 'Only names with these words.' }) },
});
