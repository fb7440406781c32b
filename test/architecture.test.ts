import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';

/** The rules of imports: which folder may import which. */

const root = path.resolve(import.meta.dirname, '..');
const files = globSync('src/**/*.{ts,js}', { cwd: root }).filter((file) => !file.endsWith('.d.ts'));
const text = (file: string): string => readFileSync(path.join(root, file), 'utf8');

/** A file's top folder in src, or the file itself if it is in none. */
const folderOf = (file: string): string => {
  const [, first = '', ...rest] = file.split('/');
  return rest.length > 0 ? first : first.replace(/\.(ts|js)$/, '');
};

const importsOf = (file: string): readonly string[] =>
  [...text(file).matchAll(/^(?:import|export)[^;']*? from '([^']+)'|^import '([^']+)'|import\('([^']+)'\)/gm)]
    .map((match) => match[1] ?? match[2] ?? match[3] ?? '')
    .filter((specifier) => specifier !== '');

const neighbours = (file: string): readonly string[] =>
  importsOf(file)
    .filter((specifier) => specifier.startsWith('.'))
    .map((specifier) => path.posix.normalize(path.posix.join(path.posix.dirname(file), specifier)));

/**
 * The rooms of src/, lowest first, with the lower ones that each uses. No arrow runs back up. What a room holds is in
 * docs/architecture.md.
 */
const uses: Readonly<Record<string, string>> = {
  masking: '',
  words: '',
  base: 'masking words',
  'site-check': 'base words',
  hosting: 'base words',
  storage: 'base words',
  policy: 'base hosting words',
  commands: 'base hosting masking site-check words',
  language: 'base commands hosting policy storage words',
  access: 'base commands hosting language policy storage words',
  change: 'access base commands hosting language policy site-check storage words',
  post: 'access base change commands policy storage words',
  audit: 'access base change commands hosting policy post storage words',
  send: 'access audit base change commands hosting language policy post storage words',
  decide: 'access base change commands hosting language policy post send storage words',
  waiting: 'access base change commands decide hosting language policy post send site-check storage words',
  talk: 'access audit base change commands decide hosting language policy post send site-check storage waiting words',
  'block-kit': 'base change commands language words',
  'slack-api': 'access base block-kit change policy post talk words',
  api: 'access audit base change commands decide language policy post send storage talk words',
  slack:
    'access base block-kit change commands decide hosting language policy post send slack-api storage talk waiting words',
  program:
    'access api audit base change commands decide hosting language policy post send site-check slack slack-api storage talk waiting words',
  main: 'api audit base post program send slack slack-api storage words',
  playground: '',
  sitehand: 'base main playground policy program',
  'node-version': '',
};
const all = Object.keys(uses);
const usedBy = (room: string): readonly string[] => uses[room]?.split(' ').filter((one) => one !== '') ?? [];

/** The subfolders of the Slack edge; each may import those before it. */
const slackFolders = ['context', 'forms', 'answers', 'incoming'];

/** Files that import each other, directly or through others. */
function circles(): readonly string[] {
  const state = new Map<string, 'open' | 'done'>();
  const found: string[] = [];
  const visit = (file: string, way: readonly string[]): void => {
    if (state.get(file) === 'open') found.push([...way.slice(way.indexOf(file)), file].join(' > '));
    if (state.has(file) || !files.includes(file)) return;
    state.set(file, 'open');
    for (const target of neighbours(file)) visit(target, [...way, file]);
    state.set(file, 'done');
  };
  for (const file of files) visit(file, []);
  return found;
}

describe('the source folders', () => {
  it('have no import cycle, not even of types', () => {
    expect(circles()).toEqual([]);
  });

  it('have subfolders of the Slack edge that import in one direction', () => {
    const room = (file: string): string => file.split('/')[2] ?? '';
    const inside = files.filter((file) => folderOf(file) === 'slack');
    expect(new Set(inside.map(room))).toEqual(new Set(slackFolders));
    const wrong = inside.flatMap((file) =>
      neighbours(file)
        .filter((target) => folderOf(target) === 'slack')
        .filter((target) => slackFolders.indexOf(room(target)) > slackFolders.indexOf(room(file)))
        .map((target) => `${file} imports ${target}`),
    );
    expect(wrong).toEqual([]);
  });

  it('have a command kit that imports no command', () => {
    const wrong = files
      .filter((file) => file.startsWith('src/commands/kit/'))
      .flatMap((file) =>
        neighbours(file)
          .filter((target) => target.startsWith('src/commands/') && !target.startsWith('src/commands/kit/'))
          .map((target) => `${file} imports ${target}`),
      );
    expect(wrong).toEqual([]);
  });

  it('import in one direction only, exactly as listed', () => {
    const arrows = (file: string): readonly string[] =>
      neighbours(file).flatMap((target) =>
        folderOf(target) === folderOf(file) ? [] : [`${folderOf(file)} uses ${folderOf(target)}`],
      );
    const listed = all.flatMap((room) => usedBy(room).map((other) => `${room} uses ${other}`));
    expect([...new Set(files.flatMap(arrows))].toSorted()).toEqual(listed.toSorted());
    expect(new Set(files.map(folderOf))).toEqual(new Set(all));
    const up = all.filter((room, at) => usedBy(room).some((other) => all.indexOf(other) > at));
    expect(up).toEqual([]);
  });

  it('have no room that holds too much, nor one that holds nothing much', () => {
    const own = all.filter((room) => !['main', 'sitehand', 'node-version', 'playground', 'commands'].includes(room));
    const sizes = own.map((room) => {
      const inside = files.filter((file) => folderOf(file) === room);
      return {
        room,
        files: inside.length,
        lines: inside.reduce((sum, file) => sum + text(file).split('\n').length, 0),
      };
    });
    expect(sizes.filter((one) => one.lines > 5_000 || one.files < 4)).toEqual([]);
  });

  it('let commands import only the host’s contract', () => {
    const wrong = files
      .filter((file) => folderOf(file) === 'commands')
      .flatMap((file) =>
        neighbours(file).filter(
          (target) => target.startsWith('src/hosting/') && !target.startsWith('src/hosting/contract/'),
        ),
      );
    expect(wrong).toEqual([]);
  });

  it('read the environment in one place', () => {
    const readers = files.filter((file) => folderOf(file) !== 'playground' && /process\.env\b/.test(text(file)));
    expect(readers).toEqual(['src/base/config.ts']);
  });

  it('write commands as they are typed, with the name of the slash command', () => {
    const paths = [...text('src/commands/index.ts').matchAll(/^  \['([a-z ]+)', /gm)].map(([, name = '']) => name);
    expect(paths.length).toBeGreaterThan(50);
    const asCode = new RegExp(String.raw`\bcode\(['\x60](?:/site|(?:${paths.join('|')})(?=['\x60 ]))`);
    const wrong = files.filter(
      (file) => folderOf(file) !== 'playground' && !file.startsWith('src/base/') && asCode.test(text(file)),
    );
    expect(wrong).toEqual([]);
  });

  it('mark what is bold with two asterisks, the only ones that `say` reads', () => {
    const single = /(?<![*\w/`.)\]\\-])\*(?!\*)[A-Za-z][^*`\n]*[A-Za-z.…]\*(?!\*)/;
    const isComment = (line: string): boolean => /^\s*(?:\/?\*|\/\/)/.test(line);
    const marked = (file: string): readonly string[] =>
      text(file)
        .split('\n')
        .filter((line) => !isComment(line) && single.test(line));
    expect(files.flatMap(marked)).toEqual([]);
  });

  it('have one door for writes: only execute.ts opens a connection', () => {
    const holders = files.filter(
      (file) =>
        folderOf(file) !== 'hosting' &&
        folderOf(file) !== 'playground' &&
        /\.open\(\)|\.write\(callOf/.test(text(file)),
    );
    expect(holders).toEqual(['src/send/execute.ts']);
  });

  it('have one room that posts: what the others below the Slack edge say is a row', () => {
    const below = new Set(all.slice(0, all.indexOf('block-kit')));
    const posters = files.filter((file) => below.has(folderOf(file)) && /\bmessenger\b(?!\.ts')/.test(text(file)));
    expect(posters.filter((file) => !file.startsWith('src/post/'))).toEqual([]);
    expect(posters).toContain('src/post/deliver.ts');
  });

  it('have one file that moves a change', () => {
    const movers = files.filter((file) => folderOf(file) !== 'storage' && /\bupdateChange\(/.test(text(file)));
    expect(movers).toEqual(['src/change/change-store.ts']);
  });

  it('have no file over 300 lines and no generic names', () => {
    expect(files.filter((file) => text(file).split('\n').length > 301)).toEqual([]);
    expect(
      files.filter((file) => /(^|\/)(utils?|helpers?|common|types|services?|managers?)(\/|\.)/i.test(file)),
    ).toEqual([]);
  });

  it('export each name once, so that it means one thing; commands alone are called as they are typed', () => {
    const shape = /^export (?:type|class|const|(?:async )?function\*?) (\w+)(?! = (?:action|builtin|report)\()\b/gm;
    const places = files
      .filter((file) => folderOf(file) !== 'playground')
      .flatMap((file) => [...new Set([...text(file).matchAll(shape)].map(([, name = '']) => name))])
      .sort();
    expect(places.filter((name, index) => name === places[index - 1])).toEqual([]);
  });

  it.each([
    [
      'the bot',
      'src/main.ts',
      ['@slack/bolt', '@slack/web-api', 'fastest-levenshtein', 'ipaddr.js', 'kysely', 'pino', 'undici', 'yaml', 'zod'],
    ],
    ['the thread that analyzes logs', 'src/commands/logs/analysis-thread.ts', ['ipaddr.js']],
  ])('%s loads at its start only the packages that it always needs', (_, main, wanted) => {
    const loaded = (file: string): readonly string[] =>
      [...text(file).matchAll(/^(?:import|export)(?! type)[^;']*? from '([^']+)'/gm)].map(([, from = '']) => from);
    const reached = new Set([main]);
    const packages = new Set<string>();
    for (const file of reached)
      for (const from of loaded(file)) {
        if (from.startsWith('.')) reached.add(path.posix.normalize(path.posix.join(path.posix.dirname(file), from)));
        else if (!from.startsWith('node:')) packages.add(from);
      }
    expect([...packages].toSorted()).toEqual(wanted);
  });

  it('import the protocol of agents only when one asks', () => {
    const early = files.filter((file) => /^import(?! type)[^;]*protocol\.ts'/m.test(text(file)));
    expect(early).toEqual([]);
  });

  it('import only declared packages', () => {
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
            folderOf(file) !== 'playground' &&
            !(name === '@slack/types' && /import type[^;]*'@slack\/types'/.test(text(file))),
        )
        .map((name) => `${file} needs ${name}`),
    );
    expect(wrong).toEqual([]);
  });
});
