import { inline, joined, say, code } from '../../words/text.ts';
import { optional, word, withHint } from '../kit/fields.ts';
import { counted, leftOutText, readAt, tableOr, unreadText } from '../kit/page.ts';
import { report } from '../kit/report.ts';
import { companyDomains } from '../kit/sources.ts';

/** If there are at most this many domains, each gets its own buttons. */
const fewDomains = 3;

export const domainsList = report({
  summary: 'List the domains of the company',
  button: 'List domains',
  also: `
    domain, all domain, our domain, hostname`,
  examples: ['acme'],
  fields: { search: withHint('Only domains with these words.', optional(word('Search'))) },
  target: 'company',
  show: async ({ input, now, seen, ...sources }) => {
    const wanted = (input.search ?? '').toLowerCase();
    const listed = await companyDomains(sources);
    const visible = listed.entries.filter(seen.domain);
    const left = joined([unreadText(listed, 'domain'), leftOutText(listed.entries.length - visible.length, 'domain')]);
    const domains = visible
      .filter(({ name = '' }) => name.toLowerCase().includes(wanted))
      .toSorted((one, other) => (one.name ?? '').localeCompare(other.name ?? '', 'en'));
    const named = domains.flatMap(({ name }) => (name === undefined ? [] : [name]));
    const isTwice = new Set(named).size < named.length;
    const shortcuts = named.length > fewDomains ? [] : named;
    return {
      title: say`**Domains**${wanted ? ` with “${wanted}”` : ''} · ${wanted && listed.unread > 0 ? 'at least ' : ''}${counted(domains.length + (wanted ? 0 : listed.unread), 'domain')}`,
      parts: tableOr(
        'The host lists no such domain that you can see.',
        // The site's id is shown only if two domains have the same name.
        ['Name', ...(isTwice ? ['Id of the site'] : []), 'Active'],
        domains.map(({ name, site_id: site, is_active: active }) => [
          inline(name ?? 'without a name'),
          ...(isTwice ? [site === undefined ? [] : say`${code(site)}`] : []),
          inline(active === undefined ? 'not known' : active ? 'yes' : 'no'),
        ]),
        left.length > 0 ? left : undefined,
      ),
      source: readAt(now),
      offers: [
        ...shortcuts.flatMap((name) => [
          { label: `Records to set for ${name}`, args: ['domains', 'records', name] },
          { label: `DNS of ${name}`, args: ['dns', 'list', name] },
        ]),
        { label: 'Add a domain', opens: 'form', args: ['domains', 'add'] },
      ],
    };
  },
});
