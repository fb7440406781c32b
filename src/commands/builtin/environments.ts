import type { Domain, Environment } from '../../hosting/contract/target.ts';
import { inline, say } from '../../text.ts';
import { builtin } from '../kit/builtin.ts';
import { optional, word } from '../kit/fields.ts';
import { age, counted, tableOr } from '../kit/page.ts';

export const environments = builtin({
  summary: 'List the sites, environments and domains you can see',
  button: 'List environments',
  right: 'read',
  freshens: true,
  fields: { search: optional(word('Search')) },
  answer: ({ input, queryService }) => {
    const { environments, domains, at, trouble, isListed } = queryService.names();
    const wanted = (input.search ?? '').toLowerCase();
    const rows = rowsOf(environments, domains).filter(
      (row) => row.name.toLowerCase().includes(wanted) || row.id === wanted,
    );
    const isUnlisted = !isListed && environments.length === 0;
    const names = counted(rows.length, 'name');
    const unknown = "I don't know the sites right now";
    const amount = !isUnlisted ? names : rows.length > 0 ? `${names}; ${unknown}` : unknown;
    return {
      title: say`**Environments and domains**${wanted ? ` with “${wanted}”` : ''} · ${amount}`,
      parts: tableOr(
        (isUnlisted && trouble) || 'I found nothing with that name among what you can see.',
        ['Name', 'Kind', 'Id'],
        rows.map(({ name, kind, id }) => [inline(name), inline(kind), id === '' ? [] : [{ text: id, style: 'code' }]]),
      ),
      source:
        at !== undefined
          ? say`listed by the host ${age(queryService.now - at)}${trouble ? say`; ${trouble}` : ''}`
          : rows.length > 0
            ? trouble
            : undefined,
    };
  },
});

function rowsOf(environments: readonly Environment[], domains: readonly Domain[]) {
  const sites = new Map(environments.map(({ site }) => [site?.name, site?.id ?? '']));
  return [
    ...[...sites].flatMap(([name, id]) => (name === undefined ? [] : [{ name, kind: 'site', id }])),
    ...environments.map(({ name, live, id }) => ({ name, kind: live ? 'environment, live' : 'environment', id })),
    ...domains.map(({ name, site, id }) => ({ name, kind: site ? `domain of ${site.name}` : 'domain', id })),
  ];
}
