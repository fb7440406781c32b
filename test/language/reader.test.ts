import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { cannotDo } from '../../src/commands/cannot.ts';
import { catalogue } from '../../src/commands/index.ts';
import { attempt } from '../../src/base/errors.ts';
import type { Domain, Environment } from '../../src/hosting/contract/target.ts';
import { isSmall, sameMeaning } from '../../src/language/lexicon.ts';
import { parse, parseArgs } from '../../src/language/parse.ts';
import type { Reading } from '../../src/language/guesses.ts';
import { likelyCommand, namesNoCommand, read } from '../../src/language/reader.ts';
import { resolve } from '../../src/language/resolve.ts';
import { keyOf } from '../../src/language/spoken.ts';
import type { Place } from '../../src/language/things.ts';
import { asides, chatter, firstWords, turned, unsure } from './first-words.ts';
import { strangers } from './strangers.ts';

const sites = ['acme-shop', 'acme-blog', 'acme-docs', 'harbour-hotel'];
const siteNamed = (name: string) => ({ id: `site-${name}`, name });
const environments = sites.flatMap((name, at) =>
  ['live', name === 'harbour-hotel' ? 'dev' : 'staging'].map((own, index): Environment => ({
    kind: 'environment',
    id: `00000000-0000-4000-8000-00000000${at}00${index}`,
    name: `${name}/${own}`,
    live: own === 'live',
    site: siteNamed(name),
  })),
);
const domains = ['acme-shop', 'acme-blog'].map((name, at): Domain => ({
  kind: 'domain',
  id: `00000000-0000-4000-8000-00000001${at}000`,
  name: `${name}.example`,
  site: siteNamed(name),
}));
const names = { environments, domains };
const said: Place = { isAddressed: true };

/** How a reading is written in the table: a command with `…` if something is missing, several with `|`. */
function shown(reading: Reading | undefined): string {
  if (reading === undefined) return '—';
  const guesses = reading.kind === 'clear' ? [reading.guess] : reading.guesses;
  const lines = guesses.map(({ line, isComplete }) => (isComplete ? line : `${line} …`)).join(' | ');
  return reading.kind === 'clear' ? lines : `${reading.kind}: ${lines}`;
}

describe.each(Object.entries(firstWords))('%s', (_, lines) => {
  test.each(lines)('%s', (typed, means) => {
    expect(shown(read(typed, names, said))).toBe(means);
  });
});

test.each(turned)('%s: nothing is guessed, at most help', (line) => {
  expect(shown(read(line, names, said))).toMatch(/^(?:—|unclear: help [a-z ]+)$/);
});

test.each(chatter)('in a mention, %s is left alone', (line) => {
  expect(read(line, names)).toBeUndefined();
});

test.each(['approved', 'lgtm', 'yes', ':+1:', 'ok go', 'Yes please!', 'no', 'stop', 'STOP IT', 'cancel'])(
  'in the thread of a change that is not sent yet, %s is told to press a button',
  (line) => {
    expect(shown(read(line, names, { isUnsent: true }))).toBe('cannot: ');
    expect(shown(read(line, names, said))).not.toMatch(/push|unlock/);
  },
);

const sample: Readonly<Record<string, readonly string[]>> = {
  '<environment>': ['acme-shop/live', 'acme-shop/staging'],
  '<address>': ['203.0.113.7'],
  '<path>': ['/old', '/new'],
  '<host>': ['acme-shop.example', 'acme-blog.example'],
  '<person>': ['@U01ANA'],
  '<visitor>': ['client-3f2a1c'],
  '<time>': ['7d'],
  '<text>': ['"v=spf1 -all"'],
  '<number>': ['12'],
  '<change>': ['#12'],
};
const phrases = [...catalogue].flatMap(([path, { also = '' }]) =>
  also
    .split(',')
    .map((phrase) => phrase.trim().split(/\s+/))
    .map((words): [string, string] => {
      const taken = new Map<string, number>();
      const line = words.map((word) => {
        const at = taken.get(word) ?? 0;
        taken.set(word, at + 1);
        return sample[word]?.[at] ?? word;
      });
      return [line.join(' '), path];
    }),
);

test('no command is called twice by the same words, nor by a kind of thing that is not counted', () => {
  const keyIn = (words: readonly string[]): string => {
    const keys = words.map((word) => (word.startsWith('<') ? word : sameMeaning(keyOf(word))));
    // Only small words have a place in their phrase.
    return words.some((text) => isSmall({ key: keyOf(text), quoted: false }))
      ? keys.join(' ')
      : keys.toSorted().join(' ');
  };
  const called = [
    ...[...catalogue].map(([path, { also = '' }]) => [path, also]),
    ...cannotDo.map(({ also }) => ['', also]),
  ];
  for (const [path = '', also = ''] of called) {
    const all = [path, ...also.split(',')].map((phrase) => phrase.trim().split(/\s+/)).filter(([word]) => word !== '');
    const keys = all.map(keyIn);
    expect(keys.filter((key, at) => keys.indexOf(key) !== at)).toEqual([]);
    expect(all.flat().filter((word) => word.startsWith('<') && sample[word] === undefined)).toEqual([]);
  }
});

test('whatever a command is called leads to it', () => {
  const missed = phrases.filter(([line, path]) => {
    const reading = read(line, names, said);
    const guesses = reading?.kind === 'clear' ? [reading.guess] : (reading?.guesses ?? []);
    return line !== '' && !guesses.some(({ parsed }) => parsed.path === path);
  });
  expect(missed).toEqual([]);
});

const words = fc.oneof(
  fc.constantFrom(...[...catalogue.keys()].flatMap((path) => path.split(' '))),
  fc.constantFrom(...phrases.flatMap(([line]) => line.split(' '))),
  fc.constantFrom(...environments.map(({ name }) => name), ...sites, 'live', 'staging', 'dev', 'production'),
  fc.constantFrom(
    'to',
    'from',
    'onto',
    '->',
    'for 2h',
    'since yesterday',
    'last 50 lines',
    '/old',
    '/new',
    '#12',
    '12',
  ),
  fc.constantFrom('--files', '--db', '--reason because', '--lines 5', '--for', '"a text"', '203.0.113.7', '10.0.0.0/8'),
  fc.string({ maxLength: 12 }),
);
const lines = fc.array(words, { minLength: 1, maxLength: 9 }).map((all) => all.join(' '));

test('what is left of a line is told from the guess that it is about', () => {
  const reading = read('who can push to acme-shop/live', names, said);
  expect(reading).toMatchObject({ kind: 'clear', guess: { isWhole: true } });
});

test.each([
  ['tail acme-shop/live', 'logs'],
  ['is the shop down', 'status'],
  ['xyzzy', undefined],
])('%s probably asks for %s, whatever the names', (line, path) => {
  expect(likelyCommand(line)).toBe(path === undefined ? undefined : catalogue.get(path));
});

test.each(['help redirects', 'help expired', 'help push'])('%s names something', (line) => {
  expect(namesNoCommand(parse(line, catalogue) ?? raise())).toBe(false);
});

function raise(): never {
  throw new Error('it is empty');
}

test.each(unsure)('%s: it is not answered at once', (line) => {
  const reading = read(line, names, said);
  expect(reading?.kind === 'clear' && reading.guess.isWhole ? shown(reading) : '').toBe('');
});

test.each(asides)('%s: what else it says is left aside', (line, means) => {
  expect(shown(read(line, names, said))).toBe(means);
});

describe('for any line', () => {
  test('whatever is offered is understood as it stands, with nothing wrong', () => {
    fc.assert(
      fc.property(lines, fc.boolean(), (line, isAddressed) => {
        const reading = read(line, names, { isAddressed });
        const guesses = reading?.kind === 'clear' ? [reading.guess] : (reading?.guesses ?? []);
        for (const { args, parsed, isComplete } of guesses) {
          const again = parseArgs(args, catalogue);
          expect(again).toEqual(parsed);
          const { problems, missing } = resolve(again, names);
          expect(problems).toEqual([]);
          if (isComplete) expect(missing).toEqual([]);
        }
      }),
    );
  });
});

describe('lines of people who had read no more than the README', () => {
  const isLed = ([line, isMention, means]: (typeof strangers)[number]): boolean => {
    const typed = attempt(() => parse(line, catalogue));
    if (typed && !namesNoCommand(typed) && resolve(typed, names).problems.length === 0)
      return means.split(' | ').includes(typed.path);
    const reading = read(line, names, { isAddressed: !isMention });
    const guesses = reading?.kind === 'clear' ? [reading.guess] : (reading?.guesses ?? []);
    if (means === 'nothing') return reading === undefined;
    return means.split(' | ').some((one) => one === reading?.kind || guesses.some(({ parsed }) => parsed.path === one));
  };

  test('at least nine of ten lead there, at once or by a button', () => {
    const meant = strangers.filter(([, , means]) => means !== 'nothing');
    expect(meant.filter((one) => !isLed(one)).slice(Math.floor(meant.length / 10))).toEqual([]);
  });

  test('chatter gets no answer, but for one of twenty', () => {
    const chat = strangers.filter(([, , means]) => means === 'nothing');
    expect(chat.filter((one) => !isLed(one)).slice(Math.floor(chat.length / 20))).toEqual([]);
  });
});
