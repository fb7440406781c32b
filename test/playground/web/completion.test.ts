import { describe, expect, it } from 'vitest';
import { catalogue } from '../../../src/commands/index.ts';
import { usage } from '../../../src/language/usage.ts';
import { type Vocabulary, complete } from '../../../src/playground/web/completion.ts';
import { slotsOf } from '../../../src/playground/web/usage.ts';

const commands = [...catalogue].map(([path, command]) => ({
  path,
  usage: usage(path, command),
  summary: command.summary,
  class: 'any',
}));
const known: Vocabulary = {
  commands,
  names: {
    'site/environment': [
      { name: 'acme-shop/live', note: 'acme.example' },
      { name: 'acme-shop/staging' },
      { name: 'bakery/live' },
    ],
    site: [{ name: 'acme-shop' }, { name: 'bakery' }],
    domain: [{ name: 'acme.example' }],
    '@person': [{ name: '@ana' }, { name: '@chi' }],
  },
};
const environments = ['acme-shop/live', 'acme-shop/staging', 'bakery/live'];
const shown = (line: string): readonly string[] =>
  complete(line, known).suggestions.map((suggestion) => suggestion.shown);
const lines = (line: string): readonly string[] =>
  complete(line, known).suggestions.map((suggestion) => suggestion.line);
const now = (line: string): string | undefined => complete(line, known).usage.find((part) => part.now)?.text;
const alwaysOptions = ['--reason "…"', '--dry-run', '--at "…"'];

describe('completion of a typed command', () => {
  it.each<[line: string, offers: readonly string[], now?: string]>([
    ['', []],
    ['hello', []],
    ['/logs ', []],
    ['/siteh', []],
    ['/site cac', ['cache clear']],
    ['/site CAC', ['cache clear']],
    ['/site cache cl', ['cache clear']],
    ['/site log', ['logs', 'logs reveal']],
    ['/site clear', ['cache clear', 'redirects clear']],
    ['/site nothing', []],
    ['/site nothing like ', []],
    ['/site whoami ', []],
    ['/site delete ', environments, '<site/environment>'],
    ['/site   delete  ', environments, '<site/environment>'],
    ['/site logs ', [...environments, 'logs reveal'], '<site/environment>'],
    ['/site logs r', ['logs reveal'], '<site/environment>'],
    ['/site logs live', ['acme-shop/live', 'bakery/live'], '<site/environment>'],
    ['/site logs b', ['bakery/live'], '<site/environment>'],
    ['/site logs s', ['acme-shop/live', 'acme-shop/staging'], '<site/environment>'],
    ['/site logs shop/st', ['acme-shop/staging'], '<site/environment>'],
    ['/site logs acme-shop/live e', ['error'], '[error|access|cache]'],
    ['/site logs acme-shop/live --s', ['--since 1h', '--search search']],
    ['/site logs acme-shop/live --since', ['--since 1h'], '[--since 1h]'],
    ['/site logs acme-shop/live --since ', [], '[--since 1h]'],
    ['/site logs acme-shop/live --since 2h --s', ['--search search']],
    ['/site push acme-shop/live ', ['acme-shop/staging', 'bakery/live'], '<onto site/environment>'],
    ['/site push bakery/staging ', ['bakery/live', 'acme-shop/live', 'acme-shop/staging'], '<onto site/environment>'],
    ['/site push acme-shop/live acme-shop/staging --fi', ['--files']],
    ['/site clone acme-shop/live New ', alwaysOptions, '<display name…>'],
    ['/site clone acme-shop/live ', [], '<display name…>'],
    ['/site images acme-shop/live lo', ['lossy', 'lossless'], '<off|lossy|lossless>'],
    ['/site redirects add acme-shop/live /a /b --type ', ['permanent', 'redirect'], '[--type permanent|redirect]'],
    ['/site redirects add acme-shop/live /a /b --type=p', ['permanent'], '[--type permanent|redirect]'],
    ['/site redirects add acme-shop/live /a /b --domain a', ['acme.example'], '[--domain domain]'],
    ['/site redirects add acme-shop/live "/a b', []],
    ['/site redirects add acme-shop/live "/a b" ', [], '<to>'],
    ['/site redirects add acme-shop/live /a /b --type permanent --t', []],
    ['/site dns set acme.example c', ['CNAME', 'CAA'], '<A|AAAA|CNAME|MX|TXT|NS|CAA|SRV>'],
    ['/site dns list ', ['acme.example'], '<domain>'],
    ['/site domains add acme-shop/live ', [], '<domain>'],
    ['/site use b', ['bakery'], '[site]'],
    ['/site help cache', ['cache clear'], '[command…]'],
    ['/site help cache clear ', [], '[command…]'],
    ['/site can @c', ['@chi'], '[@person]'],
    ['/site can whoa', ['whoami'], '[@person]'],
    ['/site can @chi cache c', ['cache clear'], '<command…>'],
    ['/site can @chi cache clear b', ['bakery/live'], '<site/environment>'],
    ['/site can cache clear bakery/live --d', ['--dry-run']],
  ])('%s', (line, offers, place) => {
    expect({ offers: shown(line), now: now(line) }).toEqual({ offers, now: place });
  });

  it.each(['/', '/si', '/site', '/site '])('offers everything after %s', (line) => {
    expect(shown(line)).toEqual(commands.map(({ path }) => path));
    expect(lines(line)[0]).toBe(`/site ${commands[0]?.path} `);
  });

  it.each([
    ['/site clear', '/site cache clear '],
    ['/site  cache  cl', '/site  cache  clear '],
    ['/site logs acme', '/site logs acme-shop/live '],
    ['/site can @chi logs rev', '/site can @chi logs reveal '],
    ['/site redirects list acme-shop/live --sort=fr', '/site redirects list acme-shop/live --sort=from '],
    ['/site logs acme-shop/live --sin', '/site logs acme-shop/live --since '],
  ])('%s becomes %s', (line, taken) => {
    expect(lines(line)[0]).toBe(taken);
  });

  it('offers what may follow only if no required word is missing', () => {
    expect(shown('/site cache clear ')).toEqual(environments);
    expect(shown('/site cache clear bakery/live ')).toEqual(alwaysOptions);
    expect(shown('/site audit ')).toEqual([
      ...environments,
      '--since 7d',
      '--by @person',
      'audit verify',
      'audit export',
    ]);
  });

  it('describes each suggestion', () => {
    expect(complete('/site cac', known).suggestions[0]?.note).toBe('any · Clear the page cache of an environment');
    expect(complete('/site files acme-shop/l', known).suggestions[0]?.note).toBe('acme.example');
  });
});

describe('a usage', () => {
  it.each(commands)('$path is parsed completely', (command) => {
    const parts = [command.path, ...slotsOf(command).map(({ text }) => text)];
    expect(parts.join(' ')).toBe(command.usage);
  });
});
