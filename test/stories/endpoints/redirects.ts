import type { Environment, RedirectRule } from '../../../src/playground/hosting/resources.ts';
import { below, environmentOf, type Asked, type Scene, type Writing } from './story.ts';

const rule = (from: string, to: string, domain = ''): RedirectRule => ({
  from,
  to,
  type: 'permanent',
  domain,
  traffic_from_country: '',
  traffic_from_country_name: '',
  traffic_from_city: '',
  displayed_location: '',
});
const oldShop = rule('/old-shop', '/shop/', 'acme.example');
const jobs: RedirectRule = {
  from: '/jobs',
  to: '/careers/',
  type: 'permanent',
  domain: 'acme.example',
  traffic_from_country: 'DE',
  traffic_from_country_name: 'Germany',
  traffic_from_city: 'Berlin',
  displayed_location: 'Berlin, Germany',
};
const [diary, posts] = [rule('/diary', '/blog/'), rule('/blog/posts', '/posts/')];

/** A rule as a host of this dialect lists it, and so as a request names it. */
const named = ({ dialect }: Scene, rule: RedirectRule): object =>
  dialect === 'document'
    ? rule
    : Object.fromEntries(Object.entries(rule).map(([name, said]) => [name, said === '' ? null : said]));

const cells = [
  'from',
  'to',
  'type',
  'domain',
  'traffic_from_country',
  'traffic_from_country_name',
  'traffic_from_city',
  'displayed_location',
] as const;

/** Writes to the redirects of an environment. */
export function redirects(): readonly Writing[] {
  const post = (scene: Scene, body: unknown): Asked => ({
    method: 'POST',
    path: below(scene, '/redirect-rules'),
    body,
  });
  const given = (target: Environment): void => {
    target.redirects = structuredClone([oldShop, diary, jobs, posts]);
  };
  // A restored rule is the last one.
  const undoes = (scene: Scene): readonly string[] =>
    environmentOf(scene)
      .redirects.map((one) => cells.map((cell) => one[cell]).join('\n'))
      .toSorted();
  const pickFrom = (on: string) =>
    [{ label: 'Environment', said: on, draws: { label: 'From', as: 'external_select' } }] as const;
  return [
    {
      section: '4.3',
      command: 'redirects add',
      how: 'in few words',
      words: (on) => `${on} /sale /shop/sale`,
      fills: (on) => ({ Environment: on, From: '/sale', To: '/shop/sale' }),
      seen: 'live',
      asks: (scene) =>
        post(scene, {
          action_type: 'NEW',
          new_value: { from: '/sale', to: '/shop/sale', type: 'permanent', domain: null },
        }),
      ends: (on) => `✅ ${on} has the redirect /sale → /shop/sale (301)`,
    },
    {
      section: '4.3',
      command: 'redirects add',
      how: 'with all options',
      words: (on) =>
        `${on} /spring https://shop.example/spring?a=1,2 --type redirect --domain Docs.Example --country de --city "New York"`,
      fills: (on) => ({
        Environment: on,
        From: '/spring',
        To: 'https://shop.example/spring?a=1,2',
        Type: 'redirect',
        Domain: 'Docs.Example',
        Country: 'de',
        City: 'New York',
      }),
      seen: 'live',
      asks: (scene) =>
        post(scene, {
          action_type: 'NEW',
          new_value: {
            domain: 'docs.example',
            from: '/spring',
            to: 'https://shop.example/spring?a=1,2',
            type: 'redirect',
            traffic_from_country: 'DE',
            traffic_from_city: 'New York',
          },
        }),
      ends: (on) => `✅ ${on} has the redirect /spring`,
      undoes,
    },
    {
      section: '4.3',
      command: 'redirects edit',
      words: (on) => `${on} /jobs --to /work --type redirect`,
      picks: pickFrom,
      fills: () => ({ From: '/jobs', To: '/work', Type: 'redirect' }),
      seen: 'live',
      given,
      asks: (scene) =>
        post(scene, {
          action_type: 'UPDATE',
          new_value: { ...jobs, to: '/work', type: 'redirect' },
          rules_to_update: [jobs],
        }),
      ends: (on) => `✅ ${on} has the redirect /jobs → /work (302)`,
      undoes,
    },
    {
      section: '4.3',
      command: 'redirects remove',
      words: (on) => `${on} /old-shop`,
      picks: pickFrom,
      fills: () => ({ From: '/old-shop' }),
      seen: 'live',
      given,
      asks: (scene) => post(scene, { action_type: 'DELETE', rules_to_update: [named(scene, oldShop)] }),
      ends: (on) => `✅ ${on} no longer has the redirect /old-shop → /shop/ (301)`,
      undoes,
    },
    {
      section: '4.3',
      command: 'redirects clear',
      how: 'those with some words',
      given,
      words: (on) => `${on} BLOG`,
      fills: (on) => ({ Environment: on, Search: 'BLOG' }),
      seen: 'always',
      asks: (scene) =>
        post(scene, { action_type: 'DELETE', rules_to_update: [named(scene, diary), named(scene, posts)] }),
      ends: (on) => `✅ ${on} no longer has any of the 2 redirects`,
    },
    {
      section: '4.3',
      command: 'redirects clear',
      how: 'all of them',
      given,
      words: (on) => on,
      fills: (on) => ({ Environment: on }),
      seen: 'always',
      asks: (scene) => post(scene, { action_type: 'DELETE_ALL' }),
      ends: (on) => `✅ ${on} no longer has any of the 4 redirects`,
    },
  ];
}
