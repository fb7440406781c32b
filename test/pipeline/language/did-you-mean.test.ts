import { globSync, readFileSync } from 'node:fs';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { catalogue } from '../../../src/commands/index.ts';
import { Refusal } from '../../../src/errors.ts';
import type { ParsedCommand } from '../../../src/pipeline/language/parsed-command.ts';
import { parse, parseArgs } from '../../../src/pipeline/language/parse.ts';
import { resolve } from '../../../src/pipeline/language/resolve.ts';
import { names, refusalText } from '../fixtures.ts';

const letter = fc.constantFrom(...'abcdefghijklmnopqrstuvwxyz -'.split(''));

/** A command's path with one typo: a letter missing, added, replaced, or two swapped. */
const slips = fc
  .constantFrom(...catalogue.keys())
  .chain((path) =>
    fc
      .record({ at: fc.nat(path.length - 1), letter, kind: fc.constantFrom('delete', 'insert', 'swap', 'replace') })
      .map(({ at, letter: typed, kind }) => ({ path, typed: withTypo(path, at, typed, kind) })),
  );

function withTypo(path: string, at: number, typed: string, kind: string): string {
  const [before, here, after] = [path.slice(0, at), path.charAt(at), path.slice(at + 1)];
  switch (kind) {
    case 'delete':
      return before + after;
    case 'insert':
      return before + typed + here + after;
    case 'swap':
      return before + after.slice(0, 1) + here + after.slice(1);
    default:
      return before + typed + after;
  }
}

/** The result of parsing a line: the named command, or the refusal. */
function resultOf(line: string): ParsedCommand | Refusal | undefined {
  try {
    return parse(line, catalogue);
  } catch (error) {
    if (error instanceof Refusal) return error;
    throw error;
  }
}

test('two swapped letters are one typo', () => {
  const result = resultOf('puase');
  expect(result instanceof Refusal && result.offers.map(({ args }) => args)).toEqual([['pause']]);
});

test('a short word that shares almost nothing with a command is not called its typo', () => {
  const result = resultOf('is the shop well');
  if (!(result instanceof Refusal)) throw new Error('it was run');
  expect(refusalText(result)).toContain("I don't know is. Nothing was done. help shows");
  expect(result.offers).toEqual([]);
});

test.each(['stop', 'Stop #1042 now'])('%s is a button on a card, and pause for everything', (line) => {
  const result = resultOf(line);
  if (!(result instanceof Refusal)) throw new Error('it was run');
  expect(refusalText(result)).toContain('To stop one change, press the button on its card; pause stops all sending.');
  expect(result.offers.map(({ args }) => args)).toEqual([['pause']]);
});

test.each([
  ['approve 12', "Press the button on the change's card, or on my App Home"],
  ['Decline', "Press the button on the change's card, or on my App Home"],
  ['cancel #12', "Press the button on the change's card; changes --mine lists yours."],
  ['restart php acme-shop/live', "Nothing was done. I can't restart a site: that works only in the host's panel."],
  ['undo', 'the button is under a reply in its thread, for an hour; changes --mine lists yours.'],
])('the nearest match of %s is a button', (line, where) => {
  const result = resultOf(line);
  if (!(result instanceof Refusal)) throw new Error('it was run');
  expect(refusalText(result)).toContain(where);
});

test.each([
  ['restore acme-shop/live', ['backups', 'list', 'acme-shop/live']],
  ['rollback', ['backups', 'list']],
  ['backups restore acme-shop/live', ['backups', 'list', 'acme-shop/live']],
  ['backup create acme-shop/live', ['backups', 'list', 'acme-shop/live']],
])('%s works only at the host', (line, args) => {
  const result = resultOf(line);
  if (!(result instanceof Refusal)) throw new Error('it was run');
  expect(refusalText(result)).toContain(
    "Nothing was done. I can't make a backup or bring one back: that works only in the host's panel. backups list shows",
  );
  expect(result.offers.map((offer) => offer.args)).toEqual([args]);
});

test.each(['colne acme-shop/staging Docs -dry-run', 'lokc acme-shop/live -for 2h deploy', 'pasue -dry-run'])(
  'no button runs %s, which has one hyphen',
  (line) => {
    const result = resultOf(line);
    if (!(result instanceof Refusal)) throw new Error('it was run');
    expect(result.offers).toEqual([]);
  },
);

describe('a typo in the name of a command', () => {
  test('never runs a command that was not typed exactly', () => {
    fc.assert(
      fc.property(
        slips,
        fc.constantFrom('', ' acme-shop/live', ' acme-shop/staging acme-shop/live'),
        ({ typed }, rest) => {
          const result = resultOf(`${typed}${rest}`);
          if (result === undefined) return;
          if (result instanceof Refusal) {
            expect(refusalText(result)).toContain('Nothing was done.');
            // The line behind an offered button.
            for (const { args } of result.offers) {
              const meant = resultOf(args.map((word) => word).join(' '));
              if (!(meant instanceof Refusal)) expect(parseArgs(args, catalogue)).toEqual(meant);
            }
            return;
          }
          expect(`${typed.trim().split(/\s+/).join(' ')} `).toMatch(new RegExp(`^${result.path} `));
        },
      ),
      { numRuns: 2_000 },
    );
  });

  test('is answered with the right command as a button, at least nine times in ten', () => {
    const refused = fc
      .sample(slips, 3_000)
      .filter(({ path, typed }) => typed.trim().split(/\s+/).join(' ') !== path)
      .flatMap(({ path, typed }) => {
        const result = resultOf(typed);
        return result instanceof Refusal ? [{ path, typed, result }] : [];
      });
    const missed = refused.filter(
      ({ path, result }) =>
        !result.offers.some(({ args }) => args.join(' ') === path || args.join(' ').startsWith(`${path} `)),
    );
    expect(refused.length).toBeGreaterThan(2_000);
    // The first few, so that a failure shows them.
    expect(missed.length / refused.length < 0.1 ? [] : missed.slice(0, 20).map(({ typed }) => typed)).toEqual([]);
    for (const { result } of refused) {
      for (const { args } of result.offers) expect(parseArgs(args, catalogue).command).toBeDefined();
    }
  });

  test('that leaves a shorter command means that one, and the rest is refused', () => {
    const shorter = fc.sample(slips, 3_000).flatMap(({ path, typed }) => {
      const result = resultOf(typed);
      const isOther = result !== undefined && !(result instanceof Refusal) && result.path !== path;
      return isOther && typed.trim().includes(' ') ? [{ typed, result }] : [];
    });
    expect(shorter.length).toBeGreaterThan(10);
    for (const { typed, result } of shorter) {
      if (typed.trim().split(/\s+/).length === result.path.split(' ').length) continue;
      const { problems, input } = resolve(result, names);
      const isText = JSON.stringify(input).includes(typed.trim().split(/\s+/).at(-1) ?? '');
      expect([typed, problems.length > 0 || isText]).toEqual([typed, true]);
    }
  });
});

describe('every refusal', () => {
  /** The arguments of `new Refusal(` in the sources that do not say what was not done, each with the reason. */
  const exempt: Readonly<Record<string, string>> = {
    'wrong.says, wrong': 'what a command refuses; test/commands.test.ts holds those to it',
    'words.says, words': 'what a command refuses of many environments; many-environments.test.ts holds those to it',
    "nothing[0]?.why ?? [], { hint: 'The same goes for all of them.' }": 'what a command refuses, for each of many',
    "say`**${one.target?.name ?? ''}:** ${says}`, { hint, isLater }":
      'another refusal, with the environment it is about',
    "error.says, { hint: 'The same goes for all of them.' }": 'another refusal, which all of them would repeat',
    'mayNotUse(path)': 'says so itself',
    'mayNotUse(path), { hint }': 'says so itself',
    'says, { hint }': 'what the rules do not allow, which says what was not done',
    'says, { hint, offers }': 'another refusal, with the note that was not posted',
    "says, { hint, field: 'command' }": 'another refusal without its buttons',
    'notTaken(context)': 'says so itself',
    'says, { hint: joined([named && say`Not run: ${named}.`, hint]) }': 'names the command that was not run',
    '"I couldn\'t ask the host what there is to choose from."': 'stands above a form that can still be filled in',
  };

  test('says what was not done', () => {
    const files = globSync('src/{commands,pipeline,slack}/**/*.ts');
    const all = files.flatMap((file) => refusalsIn(readFileSync(file, 'utf8')).map((given) => ({ file, given })));
    const silent = all.filter(({ given }) => !/othing was |was not |were not |\$\{nothing\}/.test(given));
    expect(all.length).toBeGreaterThan(80);
    expect(silent.filter(({ given }) => !Object.hasOwn(exempt, given))).toEqual([]);
    expect(Object.keys(exempt).filter((one) => !silent.some(({ given }) => given === one))).toEqual([]);
  });
});

/** The text between the parentheses of each `new Refusal(…)`, on one line. */
function refusalsIn(source: string): readonly string[] {
  return source
    .split('new Refusal(')
    .slice(1)
    .map((after) => after.slice(0, endOf(after)).replaceAll(/\s+/g, ' ').replace(/,? $/, '').trim());
}

/** The index of the parenthesis that closes the one opened before this text. */
function endOf(text: string): number {
  let depth = 1;
  for (const { 0: bracket, index } of text.matchAll(/[()]/g)) {
    depth += bracket === '(' ? 1 : -1;
    if (depth === 0) return index;
  }
  return text.length;
}
