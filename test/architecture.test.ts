import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';

/** The house as code sees it: which folder may lean on which. */

const root = path.resolve(import.meta.dirname, '..');
const files = globSync('src/**/*.{ts,js}', { cwd: root }).filter((file) => !file.endsWith('.d.ts'));
const text = (file: string): string => readFileSync(path.join(root, file), 'utf8');

/** The room a file stands in: a folder of src, or the file itself where it stands there alone. */
const roomOf = (file: string): string => {
  const [, first = '', ...rest] = file.split('/');
  return rest.length > 0 ? first : first.replace(/\.(ts|js)$/, '');
};

const importsOf = (file: string): readonly string[] =>
  [...text(file).matchAll(/(?:from|import)\s+'([^']+)'|import\('([^']+)'\)/g)]
    .map((match) => match[1] ?? match[2] ?? '')
    .filter((specifier) => specifier !== '');

const neighbours = (file: string): readonly string[] =>
  importsOf(file)
    .filter((specifier) => specifier.startsWith('.'))
    .map((specifier) => path.posix.normalize(path.posix.join(path.posix.dirname(file), specifier)));

const leaves = ['text', 'errors', 'secret', 'turns', 'log', 'metrics', 'config', 'points'];
/** What a room may import besides itself. */
const mayLeanOn: Readonly<Record<string, readonly string[]>> = {
  main: ['slack', 'pipeline', 'policy', 'commands', 'hosting', 'storage', 'notices', ...leaves],
  notices: ['pipeline', 'policy', 'storage', 'text', 'config', 'log'],
  'audit-cli': ['pipeline', 'commands', 'storage', 'text', 'errors', 'secret', 'config'],
  'catalogue-cli': ['commands', 'pipeline'],
  slack: ['pipeline', 'policy', 'commands', 'storage', ...leaves],
  pipeline: ['policy', 'commands', 'hosting', 'storage', 'text', 'errors', 'secret', 'points'],
  commands: ['hosting', 'text', 'errors', 'masking', 'secret', 'turns'],
  policy: ['hosting', 'storage', 'text', 'errors'],
  hosting: ['text', 'errors', 'secret', 'turns'],
  storage: ['errors'],
  playground: [],
  text: [],
  turns: [],
  errors: ['text'],
  points: [],
  masking: [],
  secret: ['masking'],
  log: ['secret'],
  metrics: [],
  config: ['secret'],
  'node-version': [],
};

describe('the house', () => {
  it('leans one way only', () => {
    const wrong = files.flatMap((file) => {
      const room = roomOf(file);
      const allowed = mayLeanOn[room];
      if (allowed === undefined) return [`${file}: nobody has said what ${room} may import`];
      return neighbours(file)
        .filter((target) => roomOf(target) !== room && !allowed.includes(roomOf(target)))
        .map((target) => `${file} imports ${target}`);
    });
    expect(wrong).toEqual([]);
  });

  it('lets commands know of the host nothing but its contract', () => {
    const wrong = files
      .filter((file) => roomOf(file) === 'commands')
      .flatMap((file) =>
        neighbours(file).filter(
          (target) => target.startsWith('src/hosting/') && !target.startsWith('src/hosting/contract/'),
        ),
      );
    expect(wrong).toEqual([]);
  });

  it('reads the environment in one place', () => {
    const readers = files.filter((file) => roomOf(file) !== 'playground' && /process\.env\b/.test(text(file)));
    expect(readers).toEqual(['src/config.ts']);
  });

  it('has one door for writes: whoever opens a connection is execute.ts', () => {
    const holders = files.filter(
      (file) =>
        roomOf(file) !== 'hosting' && roomOf(file) !== 'playground' && /\.open\(\)|\.write\(callOf/.test(text(file)),
    );
    expect(holders).toEqual(['src/pipeline/execute.ts']);
  });

  it('has one hand that moves a change', () => {
    const movers = files.filter((file) => roomOf(file) !== 'storage' && /\bupdateChange\(/.test(text(file)));
    expect(movers).toEqual(['src/pipeline/advance.ts']);
  });

  it('has no file over 300 lines, no generic names', () => {
    expect(files.filter((file) => text(file).split('\n').length > 301)).toEqual([]);
    expect(
      files.filter((file) => /(^|\/)(utils?|helpers?|common|types|services?|managers?)(\/|\.)/i.test(file)),
    ).toEqual([]);
  });

  it('keeps every import inside the packages that are declared', () => {
    const { dependencies } = z
      .object({ dependencies: z.record(z.string(), z.string()) })
      .parse(JSON.parse(text('package.json')));
    const shipped = Object.keys(dependencies);
    const packageOf = (specifier: string): string =>
      specifier
        .split('/')
        .slice(0, specifier.startsWith('@') ? 2 : 1)
        .join('/');
    const wrong = files.flatMap((file) =>
      importsOf(file)
        .filter((specifier) => !specifier.startsWith('.') && !specifier.startsWith('node:'))
        .map(packageOf)
        .filter(
          (name) =>
            !shipped.includes(name) &&
            roomOf(file) !== 'playground' &&
            !(name === '@slack/types' && /import type[^;]*'@slack\/types'/.test(text(file))),
        )
        .map((name) => `${file} needs ${name}`),
    );
    expect(wrong).toEqual([]);
  });
});
