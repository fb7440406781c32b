import type { Random } from '../random.ts';
import type { RedirectRule } from '../resources.ts';

const sections = ['products', 'blog', 'news', 'docs', 'team', 'press', 'offers', 'events'];
const pages = ['spring', 'summer', 'bread', 'lamps', 'pricing', 'about-us', 'harbour', 'returns', 'faq', 'gift-cards'];
const places = [
  { code: 'DE', country: 'Germany', city: 'Berlin' },
  { code: 'NO', country: 'Norway', city: 'Oslo' },
  { code: 'CA', country: 'Canada', city: 'Montreal' },
];

/** A few dozen different redirect rules for one host; some apply only to one country or city. */
export function redirectRules(hostname: string, random: Random): RedirectRule[] {
  const rules: RedirectRule[] = [plain('/old-shop', '/shop/', hostname), plain('/jobs', '/careers/', hostname)];
  const count = random.integer(24, 40);
  for (let at = 0; at < count; at += 1) {
    const page = random.pick(pages);
    const from = `/${random.pick(sections)}/${page}-${101 + at}`;
    const to = random.chance(0.15) ? `https://archive.${hostname}${from}/` : `/${random.pick(sections)}/${page}/`;
    const rule = plain(from, to, hostname, random.chance(0.3) ? 'redirect' : 'permanent');
    rules.push(random.chance(0.1) ? localised(rule, random) : rule);
  }
  return rules;
}

function plain(from: string, to: string, domain: string, type: RedirectRule['type'] = 'permanent'): RedirectRule {
  const everywhere = { traffic_from_country: '', traffic_from_country_name: '', traffic_from_city: '' };
  return { from, to, type, domain, ...everywhere, displayed_location: '' };
}

function localised(rule: RedirectRule, random: Random): RedirectRule {
  const { code, country, city } = random.pick(places);
  const inCity = random.chance(0.5);
  return {
    ...rule,
    traffic_from_country: code,
    traffic_from_country_name: country,
    traffic_from_city: inCity ? city : '',
    displayed_location: inCity ? `${city}, ${country}` : country,
  };
}
