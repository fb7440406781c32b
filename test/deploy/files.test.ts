import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';

/** The files of `deploy/`, held against each other and against the product. None of them is run here. */

const text = (file: string): string => readFileSync(file, 'utf8');
const [dockerfile, service, launcher] = ['Dockerfile', 'sitehand.service', 'sitehand.js'].map((name) =>
  text(`deploy/${name}`),
);
const composed = z.object({
  services: z.object({
    sitehand: z.object({
      environment: z.record(z.string(), z.string()),
      volumes: z.array(z.string()),
      secrets: z.array(z.string()),
    }),
    database: z.object({ environment: z.record(z.string(), z.string()), secrets: z.array(z.string()) }),
  }),
  secrets: z.record(z.string(), z.object({ file: z.string() })),
});
const compose = composed.parse(parse(text('deploy/compose.yml')));
const { sitehand, database } = compose.services;
const settings = new Set([...text('.env.example').matchAll(/^#? ?([A-Z_]+)=/gm)].map(([, name]) => name));

test('compose.yml sets only what Sitehand reads, from secrets that are there, and nothing that the image sets too', () => {
  for (const [name, value] of Object.entries(sitehand.environment)) {
    expect(settings).toContain(name.replace(/_FILE$/, ''));
    // A variable beats its file.
    expect(dockerfile).not.toContain(`${name.replace(/_FILE$/, '')}=`);
    const given = [...sitehand.secrets.map((secret) => `/run/secrets/${secret}`), /^\$\{[A-Z_]+:[?-]/.exec(value)?.[0]];
    expect(given.some((one) => one !== undefined && value.startsWith(one))).toBe(true);
  }
  // A file of variables could set DATABASE_URL, and the database beside it would not be used.
  expect(text('deploy/compose.yml')).not.toContain('env_file');
  const used = [...sitehand.secrets, ...database.secrets].toSorted();
  expect(Object.keys(compose.secrets).toSorted()).toEqual(used);
});

test('the rules are mounted where the image looks for them', () => {
  const folder = /^WORKDIR (\/srv\S+)$/m.exec(dockerfile ?? '')?.[1];
  expect(folder).toBeDefined();
  expect(sitehand.volumes).toContain(`./policy.yml:${folder}/policy.yml:ro`);
  expect(dockerfile).toContain(`VOLUME ${folder}/data`);
});

test('image and unit start the program as it starts itself', () => {
  const [flags = ''] = /--max\S+/.exec(launcher ?? '') ?? [];
  expect(service).toContain(`ExecStart=/usr/bin/node ${flags} /opt/sitehand/sitehand.js start\n`);
  expect(dockerfile).toContain('/opt/sitehand/sitehand.js');
  expect(dockerfile).toMatch(/^USER node$/m);
});

test('the image is built from all that the build reads, and from no secret', () => {
  const allowed = new Set(
    text('.dockerignore')
      .split('\n')
      .flatMap((line) => (line.startsWith('!') ? [line.slice(1)] : [])),
  );
  const read = [...text('deploy/build.ts').matchAll(/'(LICENSE|[.\w-]+\.(?:yml|json|example))'/g)].map(
    ([, name]) => name,
  );
  expect(read).toContain('policy.schema.json');
  for (const name of read) expect(allowed).toContain(name);
  for (const name of ['.env', 'policy.yml', 'data', 'certificates']) expect(allowed).not.toContain(name);
});
