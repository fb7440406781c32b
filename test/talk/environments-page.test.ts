import { expect, test } from 'vitest';
import { environmentsPage } from '../../src/talk/environments-page.ts';
import type { Page } from '../../src/commands/kit/page.ts';
import { inline, plain, say, type Text } from '../../src/words/text.ts';
import { blog, live, staging } from '../fixtures.ts';

const domain = (name: string, at: number, site: typeof live.site) =>
  ({ kind: 'domain', id: `00000000-0000-4000-a000-00000000000${at}`, name, site }) as const;
const names = {
  environments: [blog, live, staging],
  domains: [
    domain('acme.example', 1, live.site),
    domain('new.acme.example', 2, live.site),
    domain('old.example', 3, undefined),
  ],
  domainHomes: [
    { name: 'ACME.example', environmentId: live.id },
    { name: 'hidden.example', environmentId: live.id },
  ],
  at: 0,
  isListed: true,
  trouble: undefined,
};
const shown = (search?: string): Page => environmentsPage(names, search, 60_000);
const told = ({ title, parts }: Page): readonly string[] => [
  plain(title),
  ...parts.flatMap((part) =>
    part.kind === 'list' ? part.entries.map(plain) : part.kind === 'text' ? [plain(part.text)] : [],
  ),
];

test('environments come first, each with its domains; no ids, and no lines for sites alone', () => {
  expect(told(shown())).toEqual([
    'Environments and domains · 3 environments, 3 domains',
    'acme-blog/live · live',
    'acme-shop/live · live · acme.example',
    'acme-shop/staging',
    'new.acme.example · domain of acme-shop',
    'old.example · domain',
  ]);
});

test('a search shows ids, and finds an environment by its domain', () => {
  expect(told(shown('ACME.example'))).toEqual([
    'Environments and domains with “acme.example” · 1 environment, 2 domains',
    `acme-shop/live · live · acme.example · ${live.id}`,
    `acme.example · domain of acme-shop/live · ${names.domains[0]?.id}`,
    `new.acme.example · domain of acme-shop · ${names.domains[1]?.id}`,
  ]);
  expect(told(shown('acme-shop')).slice(-1)).toEqual([`acme-shop · site · ${live.site?.id}`]);
  expect(told(shown(staging.id))).toHaveLength(2);
  expect(told(shown('xyzzy'))[1]).toBe('I found nothing with that name among what you can see.');
});

test('the file has everything with its ids', () => {
  const { columns, rows } = shown().sheet ?? { columns: [], rows: [] };
  expect(columns).toEqual(['name', 'kind', 'live', 'of', 'domains', 'id']);
  expect(rows.map((row) => row.map(plain).join(';'))).toContain(
    `acme-shop/live;environment;yes;;acme.example;${live.id}`,
  );
  expect(rows.map((row) => plain(row[1] ?? [])).filter((kind) => kind === 'site')).toHaveLength(2);
});

test('what the host listed just now is not called new while the host is away', () => {
  const source = (trouble?: Text): string =>
    plain(inline(environmentsPage({ ...names, trouble }, undefined, 30_000).source));
  expect(source()).toBe('listed by the host just now');
  expect(source(say`I can't reach the host.`)).toBe(
    "last listed by the host 1970-01-01 00:00 UTC; I can't reach the host.",
  );
});
