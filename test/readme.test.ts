import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { readConfig } from '../src/config.ts';
import { derivedIn } from './derived.ts';

/** The README is part of the product: what it shows is held against the code. */

const root = path.resolve(import.meta.dirname, '..');
const readme = readFileSync(path.join(root, 'README.md'), 'utf8');
const between = (name: string): string =>
  readme.split(`<!-- ${name} -->`)[1]?.split(`<!-- /${name} -->`)[0]?.trim() ?? '';

describe('the README', () => {
  it('lists every command with its words', () => {
    const { stands, wanted } = derivedIn(path.join(root, 'README.md'));
    expect(stands, 'npm run fix writes it').toBe(wanted);
  });

  it('shows how to add a command by one that compiles', () => {
    const [, file = '', example = ''] = /<!-- example: (\S+) -->\n```ts\n([\s\S]*?)```/.exec(readme) ?? [];
    expect(existsSync(path.join(root, file)), `${file} is there now: show another example`).toBe(false);
    const folder = mkdtempSync(path.join(root, 'test', '.example-'));
    try {
      const from = path.dirname(file);
      const moved = example.replaceAll(
        /from '(\.[^']*)'/g,
        (_, target: string) => `from '../../${path.posix.join(from, target)}'`,
      );
      writeFileSync(path.join(folder, 'example.ts'), moved);
      writeFileSync(
        path.join(folder, 'tsconfig.json'),
        JSON.stringify({ extends: '../../tsconfig.json', files: ['example.ts'], include: [], exclude: [] }),
      );
      const checked = spawnSync(path.join(root, 'node_modules/.bin/tsc'), ['-p', folder], { encoding: 'utf8' });
      expect(checked.stdout).toBe('');
      expect(checked.status).toBe(0);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('guides a reader through one command in under ten files and 1,000 lines', () => {
    const files = [...between('guide').matchAll(/\]\((src\/[^)]+)\)/g)].map((match) => match[1] ?? '');
    const lines = files.map((file) => readFileSync(path.join(root, file), 'utf8').split('\n').length - 1);
    expect(files.length).toBeGreaterThan(5);
    expect(files.length).toBeLessThan(10);
    expect(lines.reduce((sum, count) => sum + count, 0)).toBeLessThan(1_000);
  });

  it('names every variable that is read, and no other', () => {
    const named = [...readme.matchAll(/^\| `([A-Z_]+)`(?:, `([A-Z_]+)`)? \|/gm)]
      .flatMap((match) => [match[1], match[2]])
      .filter(Boolean);
    const read = readFileSync(path.join(root, 'src/config.ts'), 'utf8').matchAll(/^ {2}([A-Z_]+): /gm);
    expect(new Set(named)).toEqual(new Set([...read].map((match) => match[1])));
    expect(() => readConfig({})).toThrow('SLACK_BOT_TOKEN');
  });

  it('names every dependency with its reason', () => {
    const declared = z.looseObject({}).parse(JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')));
    const names = ['dependencies', 'devDependencies', 'optionalDependencies'].flatMap((kind) =>
      Object.keys(declared[kind] ?? {}),
    );
    expect(names.filter((name) => !readme.includes(`\`${name}\``))).toEqual([]);
  });

  it('leads to places that exist', () => {
    const links = [...readme.matchAll(/\]\(([^)#:]+)\)/g)].map((match) => match[1] ?? '');
    expect(links.filter((link) => !existsSync(path.join(root, link)))).toEqual([]);
  });
});
