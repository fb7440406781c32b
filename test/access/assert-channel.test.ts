import { expect, test } from 'vitest';
import { assertChannel, isDirect, mayHear } from '../../src/access/assert-channel.ts';
import { blog, live, policyFrom, refusalOf, refusalText } from '../fixtures.ts';

const policy = policyFrom(`version: 1
groups: { developers: [U01ANA] }
rules:
  - { allow: [read], to: [developers] }
channels:
  C0SHOP: { sites: ['acme-shop'] }
  C0BLOG: { sites: ['acme-blog'] }
  C0ACME: { sites: ['acme-*'] }
  C0DOCS: { sites: ['docs'] }
`);
const refusedIn = (channel: string, ...targets: Parameters<typeof assertChannel>[2]): string =>
  refusalText(refusalOf(() => assertChannel(policy, { id: channel, shared: false }, targets)));

test('in a channel for other sites, it names the channels in which they can be discussed', () => {
  expect(refusedIn('C0SHOP', blog)).toBe(
    'This channel is for other sites. Nothing was done. Ask me in #C0BLOG, #C0ACME or a direct message.',
  );
  expect(refusedIn('C0DOCS', blog, live)).toContain('Ask me in #C0ACME or a direct message.');
  expect(refusedIn('C0ACME', undefined, { ...live, site: { id: '1', name: 'docs' } }, blog)).toMatch(
    /Ask me in a direct message\.$/,
  );
});

test('a program, which is in no channel, is told which one the policy names for it', () => {
  const caller = { name: 'deploy-bot', key: 'k' };
  const refused = (shared: boolean, target = blog) =>
    refusalText(refusalOf(() => assertChannel(policy, { id: 'C0SHOP', shared }, [target], caller)));
  const named = 'The policy names it as the channel of deploy-bot; that would have to be another';
  expect(refused(false)).toBe(`#C0SHOP is for other sites. Nothing was done. ${named}: #C0BLOG or #C0ACME.`);
  expect(refused(true)).toMatch(new RegExp(`^#C0SHOP is shared .* ${named}\\.$`));
});

test('a channel hears of the sites that it is for', () => {
  expect([mayHear(policy, 'C0BLOG', [blog]), mayHear(policy, 'C0BLOG', [blog, live])]).toEqual([true, false]);
});

test.each([
  ['D0ANA', true],
  ['U01ANA', true],
  ['W01ANA', true],
  ['C0DWU', false],
  ['G0DWU', false],
])('%s is somebody’s direct messages: %s', (place, is) => {
  expect(isDirect(place)).toBe(is);
});

test('of more than three such channels it names three', () => {
  const channels = ['C0ONE', 'C0TWO', 'C0SIX', 'C0TEN'].map((id) => `  ${id}: { sites: ['acme-*'] }\n`).join('');
  const many = policyFrom(`version: 1
groups: {}
rules: []
channels:
  C0DOCS: { sites: ['docs'] }
${channels}`);
  const refused = refusalOf(() => assertChannel(many, { id: 'C0DOCS', shared: false }, [live]));
  expect(refusalText(refused)).toContain('Ask me in #C0ONE, #C0TWO, #C0SIX or a direct message.');
});
