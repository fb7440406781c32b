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

const leaves = [
  'addresses',
  'encryption',
  'log-output',
  'contradictions',
  'beside',
  'csv',
  'text',
  'risk',
  'bounded-map',
  'nearest-words',
  'duration',
  'errors',
  'just-begun',
  'secret',
  'semaphore',
  'share',
  'sockets',
  'stream-beginning',
  'time-limit',
  'log',
  'metrics',
  'config',
  'settings',
  'failpoints',
  'regular-file',
];
/** What a folder may import besides itself. */
const mayLeanOn: Readonly<Record<string, readonly string[]>> = {
  main: ['wiring', 'gauges', 'slack', 'pipeline', 'policy', 'commands', 'hosting', 'storage', 'notices', ...leaves],
  wiring: [
    'audit-out',
    'site-check',
    'slack',
    'pipeline',
    'policy',
    'commands',
    'hosting',
    'storage',
    'notices',
    ...leaves,
  ],
  notices: [
    'pipeline',
    'policy',
    'commands',
    'storage',
    'beside',
    'text',
    'config',
    'errors',
    'log',
    'log-output',
    'secret',
  ],
  gauges: ['pipeline', 'policy', 'hosting', 'storage', 'log-output', 'metrics', 'semaphore', 'time-limit'],
  sitehand: ['main', 'program', 'policy', 'playground', 'beside'],
  program: [
    'wiring',
    'audit-out',
    'site-check',
    'slack',
    'pipeline',
    'policy',
    'commands',
    'hosting',
    'storage',
    ...leaves,
  ],
  'audit-out': ['pipeline', 'hosting', 'config', 'errors', 'secret', 'sockets', 'time-limit'],
  slack: ['pipeline', 'policy', 'commands', 'storage', ...leaves],
  pipeline: [
    'policy',
    'commands',
    'site-check',
    'hosting',
    'storage',
    'beside',
    'csv',
    'bounded-map',
    'just-begun',
    'nearest-words',
    'text',
    'risk',
    'duration',
    'time-limit',
    'errors',
    'secret',
    'semaphore',
    'failpoints',
  ],
  commands: [
    'hosting',
    'site-check',
    'beside',
    'nearest-words',
    'text',
    'risk',
    'duration',
    'errors',
    'masking',
    'secret',
    'semaphore',
  ],
  policy: ['hosting', 'storage', 'nearest-words', 'text', 'duration', 'errors', 'regular-file'],
  hosting: ['text', 'duration', 'errors', 'secret', 'semaphore', 'share', 'sockets', 'time-limit'],
  storage: ['bounded-map', 'duration', 'errors', 'regular-file', 'risk'],
  'site-check': ['text', 'duration', 'errors', 'just-begun', 'semaphore', 'sockets', 'stream-beginning', 'time-limit'],
  playground: [],
  addresses: [],
  contradictions: ['addresses'],
  beside: [],
  risk: [],
  csv: ['text'],
  text: [],
  'bounded-map': [],
  'just-begun': ['bounded-map'],
  'nearest-words': ['text'],
  duration: [],
  semaphore: [],
  share: [],
  sockets: [],
  'stream-beginning': [],
  'regular-file': [],
  'time-limit': [],
  errors: ['text'],
  failpoints: [],
  masking: [],
  secret: ['masking'],
  log: ['secret'],
  metrics: ['sockets'],
  encryption: ['addresses'],
  'log-output': [],
  config: ['contradictions', 'encryption', 'secret', 'settings'],
  settings: ['addresses', 'encryption', 'secret'],
  'node-version': [],
};

/** The subfolders of the larger folders; each may import those before it. */
const rooms: Readonly<Record<string, readonly string[]>> = {
  pipeline: ['language', 'access', 'changes', 'messages', 'audit', 'steps', 'conversation'],
  slack: ['draw', 'client', 'context', 'forms', 'answers', 'incoming'],
};

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

  it.each(Object.entries(rooms))('has subfolders in %s that import in one direction', (folder, order) => {
    const room = (file: string): string => file.split('/')[2] ?? '';
    const inside = files.filter((file) => folderOf(file) === folder);
    expect(new Set(inside.map(room))).toEqual(new Set(order));
    const wrong = inside.flatMap((file) =>
      neighbours(file)
        .filter((target) => folderOf(target) === folder && order.indexOf(room(target)) > order.indexOf(room(file)))
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

  it('import in one direction only', () => {
    const wrong = files.flatMap((file) => {
      const folder = folderOf(file);
      const allowed = mayLeanOn[folder];
      if (allowed === undefined) return [`${file}: nobody has said what ${folder} may import`];
      return neighbours(file)
        .filter((target) => folderOf(target) !== folder && !allowed.includes(folderOf(target)))
        .map((target) => `${file} imports ${target}`);
    });
    expect(wrong).toEqual([]);
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
    expect(readers).toEqual(['src/config.ts']);
  });

  it('write commands as they are typed, with the name of the slash command', () => {
    const paths = [...text('src/commands/index.ts').matchAll(/^  \['([a-z ]+)', /gm)].map(([, name = '']) => name);
    expect(paths.length).toBeGreaterThan(50);
    const asCode = new RegExp(String.raw`\bcode\(['\x60](?:/site|(?:${paths.join('|')})(?=['\x60 ]))`);
    const wrong = files.filter((file) => !['playground', 'config'].includes(folderOf(file)) && asCode.test(text(file)));
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
    expect(holders).toEqual(['src/pipeline/steps/execute.ts']);
  });

  it('have one room of the pipeline that posts: what the others say is a row', () => {
    const posters = files.filter((file) => folderOf(file) === 'pipeline' && /\bmessenger\b(?!\.ts')/.test(text(file)));
    expect(posters.filter((file) => !file.startsWith('src/pipeline/messages/'))).toEqual([]);
    expect(posters).toContain('src/pipeline/messages/deliver.ts');
  });

  it('have one file that moves a change', () => {
    const movers = files.filter((file) => folderOf(file) !== 'storage' && /\bupdateChange\(/.test(text(file)));
    expect(movers).toEqual(['src/pipeline/changes/change-store.ts']);
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
