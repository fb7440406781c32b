import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Field } from '../../src/commands/kit/fields.ts';
import { catalogue, type Command } from '../../src/commands/index.ts';
import { Refusal } from '../../src/base/errors.ts';
import { createChangeStore } from '../../src/change/change-store.ts';
import type { Authorized } from '../../src/access/access-check.ts';
import type { BindContext } from '../../src/language/bind-arguments.ts';
import { parse } from '../../src/language/parse.ts';
import { resolve } from '../../src/language/resolve.ts';
import { comparableName } from '../../src/policy/pattern.ts';
import type { Evaluated } from '../matrix/outcome-codes.ts';
import { evaluate } from '../../src/talk/conversation.ts';
import { optionName, argsOf } from '../../src/language/usage.ts';
import { join, split } from '../../src/language/tokenize.ts';
import { openDatabase, type Database } from '../../src/storage/database.ts';
import {
  ana,
  company,
  live,
  names,
  noCertificate,
  policyOf,
  rob,
  refusalText,
  staging,
  wordsFor,
  contextWith,
} from '../fixtures.ts';
import { dryRuns, oddWords, quoted } from '../odd-words.ts';
import type { SendContext } from '../../src/send/context.ts';

/** Hostile inputs: each is read correctly or refused in one clear sentence, and never does more than was typed. */

let database: Database;
let pipeline: SendContext;
beforeAll(async () => {
  database = await openDatabase('sqlite::memory:', { now: () => 1_000 });
  const policy = policyOf(
    '{ allow: [read, routine, sensitive, destructive, pause, use, audit], to: [developers, leads] }',
  );
  pipeline = contextWith({
    database,
    changeStore: createChangeStore({
      auditKey: undefined,
      installation: database.installation,
      onEvent: () => undefined,
    }),
    policy: () => policy,
    company: () => company,
    names: () => names,
    membersOf: async () => [],
    personOf: async () => undefined,
    certificate: noCertificate,
    read: () => Promise.reject(new Error('nothing is read of the host to know what words say')),
    freshenNames: async () => 0,
    onSaved: () => undefined,
  });
});
afterAll(() => database.close());

/** The result of a line before anything is read or written; a `Refusal` says that nothing was done. */
function resultOf(line: string, context?: BindContext, person = ana): Evaluated | Refusal {
  try {
    const parsed = parse(line, catalogue, context);
    if (parsed === undefined) throw new Error(`${line} is empty`);
    return evaluate(pipeline, resolve(parsed, names), { person, channel: { id: 'C1', shared: false } });
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    expect(refusalText(error)).toMatch(/Nothing was (?:done|changed|sent)\./);
    expect(refusalText(error).length).toBeLessThan(800);
    return error;
  }
}
const refusedBy = (result: Evaluated | Refusal): string =>
  result instanceof Refusal ? refusalText(result) : `not refused: ${result.kind}`;

const L = 'acme-shop/live';
const S = 'acme-shop/staging';
/**
 * Lines with a placeholder for a word, by the placeholder's kind: a routine, a sensitive and each destructive command.
 */
const places: Readonly<Record<'target' | 'value' | 'reason', readonly ((word: string) => string)[]>> = {
  target: [
    (word) => `cache clear ${word}`,
    (word) => `allowlist add ${word} 198.51.100.4`,
    (word) => `dns set ${word} A @ --add=192.0.2.7`,
    (word) => `delete ${word}`,
    (word) => `push ${word} ${L} --files`,
    (word) => `push ${S} ${word} --files`,
    (word) => `redirects clear ${word}`,
  ],
  value: [
    (word) => `cache clear ${L} --dry-run=${word}`,
    (word) => `cache clear ${L} ${word}`,
    (word) => `cache clear ${L} --${word}=x`,
    (word) => `allowlist add ${L} ${word}`,
    (word) => `allowlist add ${L} 198.51.100.4 --for ${word}`,
    (word) => `clone ${L} ${word}`,
    (word) => `redirects clear ${L} ${word}`,
    (word) => `push ${S} ${L} --files --only ${word}`,
    (word) => `push ${S} ${L} --files --only=${word}`,
    (word) => `push ${S} ${L} --files -- ${word}`,
    (word) => `delete ${L} ${word}`,
  ],
  reason: [
    (word) => `cache clear ${L} --reason ${word}`,
    (word) => `cache clear ${L} --reason=${word}`,
    (word) => `allowlist add ${L} 198.51.100.4 --reason ${word}`,
    (word) => `push ${S} ${L} --files --reason=${word}`,
    (word) => `delete ${L} --reason ${word}`,
  ],
};

/**
 * An accepted line has exactly the typed target; a push has both, in the typed order. A pattern has those that it
 * matches, and is shown before anything is done.
 */
function expectAsTyped(line: string, result: Evaluated | Refusal): void {
  if (result instanceof Refusal || result.kind === 'ask') return;
  const { target, alsoReads, parsed, each } = result.authorized;
  if (each) {
    const pattern = split(line).find(({ text }) => text.includes('*'))?.text ?? 'none';
    const matches = new RegExp(`^${pattern.trim().replaceAll('*', '[^/]*')}$`, 'i');
    const shown = { line, will: result.will, not: alsoReads.filter(({ name }) => !matches.test(name)) };
    return expect(shown).toEqual({ line, will: 'review', not: [] });
  }
  const typed = split(line).map(({ text }) => comparableName(text.trim()));
  const placeOf = ({ id, name }: { id: string; name: string }): number =>
    typed.findIndex((word) => word === comparableName(name) || word === id);
  const named = [...alsoReads, ...(parsed.path === 'clone' || target === undefined ? [] : [target])].map(placeOf);
  const inTurn = named.filter((at) => at !== -1).toSorted((one, other) => one - other);
  expect({ line, named }).toEqual({ line, named: inTurn });
}

test.each([`push ${S} ${L}`, 'push', 'dns set acme.com A www', 'dns set'])(
  '%s opens a form only for people whom a rule allows it',
  (line) => {
    expect(resultOf(line)).toMatchObject({ kind: 'ask' });
    expect(refusedBy(resultOf(line, undefined, rob))).toMatch(/^You may not use (push|dns set)\. Nothing was done\.$/);
  },
);

const namesIn = ({ target, each }: Authorized): readonly string[] =>
  each ? each.flatMap(namesIn) : target ? [target.name] : [];

describe.each(oddWords)('$name', ({ text, target, many = target, refused }) => {
  test('in any field it is refused or read as typed', () => {
    for (const line of Object.values(places).flat()) {
      for (const word of [text, quoted(text), `“${text}”`, `'${text}'`]) {
        expectAsTyped(line(word), resultOf(line(word)));
      }
    }
    for (const line of [...places.value, ...places.reason]) {
      const result = resultOf(line(quoted(text)));
      if (result instanceof Refusal || result.kind === 'ask') continue;
      expect(result.authorized.input[result.authorized.parsed.path === 'push' ? 'onto' : 'env']).toBe(live);
    }
  });

  test('as a target it is found, or refused in one sentence', () => {
    for (const path of ['cache clear', 'delete']) {
      const result = resultOf(`${path} ${quoted(text)}`);
      const named = result instanceof Refusal || result.kind === 'ask' ? [] : namesIn(result.authorized);
      const name = result instanceof Refusal ? refusalText(result) : named.join(', ');
      expect(name).toContain(path === 'cache clear' ? many : target);
      if (!(result instanceof Refusal) && result.kind !== 'ask' && result.authorized.each)
        expect(result.will).toBe('review');
    }
  });

  test('as a reason it is stored as typed, or refused', () => {
    const result = resultOf(`cache clear ${L} --reason ${quoted(text)}`);
    if (refused === undefined)
      expect(result).toMatchObject({ kind: 'ready', authorized: { parsed: { reason: text.trim() } } });
    else expect(refusedBy(result)).toContain(refused);
  });
});

test.each<[string, string, string]>([
  ['40,000 characters', `cache clear ${'x'.repeat(40_000)}`, 'That is 40012 characters'],
  ['40,000 characters of reason', `cache clear ${L} --reason "${'x '.repeat(20_000)}"`, 'at most 4000'],
  ['501 characters of reason', `cache clear ${L} --reason ${'x'.repeat(501)}`, 'A reason has at most 500'],
  ['a quotation that is not closed', `delete "${L}`, 'never closed'],
  ['a curly one', `delete “${L}`, 'never closed'],
  ['a reason that is not closed', `cache clear ${L} --reason="release`, 'never closed'],
  ['a force that there is not', `delete ${L} —force`, 'has no option --force'],
  ['a prototype as an option', `delete ${L} --__proto__=x`, 'has no option --__proto__'],
  ['a prototype as an option without a value', `delete ${L} --__proto__ x`, 'has no option'],
  ['a constructor as an option', `push ${S} ${L} --files --constructor`, 'has no option'],
  ['a duplicate option', `allowlist add ${L} 1.1.1.1 --for 2h --for 4h`, '--for appears twice'],
  ['a duplicate flag', `push ${S} ${L} --files --files`, '--files appears twice'],
  ['a flag set to yes and no', `push ${S} ${L} --files --files=no`, '--files appears twice'],
  ['a duplicate reason', `delete ${L} --reason a --reason b`, '--reason appears twice'],
  ['a duplicate dry run', `cache clear ${L} --dry-run --dry-run=no`, '--dry-run appears twice'],
  ['options after --', `push ${S} ${L} -- --files`, 'what to do with “--files”'],
  ['a dry run after --', `cache clear ${L} -- --dry-run`, 'what to do with “--dry-run”'],
  ['a second target', `delete ${L} ${S}`, `what to do with “${S}”`],
  ['a third target', `push ${S} ${L} acme-blog/live --files`, 'what to do with “acme-blog/live”'],
  ['an empty command', '"" clear acme-shop/live', 'The first word is empty.'],
])('%s is refused', (_, line, why) => {
  expect(refusedBy(resultOf(line))).toContain(why);
});

describe('an empty value never means everything', () => {
  test.each<[string, string]>([
    [`push ${S} ${L} --files --only ""`, '--only needs a value.'],
    [`push ${S} ${L} --files --only "\u00A0"`, '--only needs a value.'],
    [`push ${S} ${L} --files --only=`, '--only needs a value.'],
    [`push ${S} ${L} --files --only=''`, '--only needs a value.'],
    [`push ${S} ${L} --files —only=“ ”`, '--only needs a value.'],
    [`push ${S} ${L} --files --only`, '--only needs a value.'],
    [`push ${S} ${L} --only --files`, '--only needs a value.'],
    [`push ${S} ${L} --files --only wp-content --only ""`, '--only needs a value.'],
    [`push ${S} ${L} --files --only ,`, 'No path was given.'],
    [`push ${S} ${L} --files= --database`, '--files needs a value.'],
    [`redirects clear ${L} ""`, 'Search is empty.'],
    [`redirects clear ${L} "\u00A0 "`, 'Search is empty.'],
    [`redirects clear ${L} «»`, 'Search is empty.'],
    [`redirects remove ${L} /old --domain ""`, '--domain needs a value.'],
    [`allowlist add ${L} 1.1.1.1 --for=`, '--for needs a value.'],
    [`allowlist remove ${L} ,`, 'I found no address in this.'],
    [`allowlist remove ${L} 1.1.1.1 --empty=`, '--empty needs a value.'],
    [`allowlist set ${L} ";"`, 'I found no address in this.'],
    [`themes update ${L} ,`, 'No theme was given.'],
    [`dns set acme.com A @ --remove ""`, '--remove needs a value.'],
    [`cache clear ${L} --dry-run=`, '--dry-run needs a value.'],
    ['use ""', 'Site is empty.'],
    ['changes " "', 'Environment is empty.'],
  ])('%s', (line, why) => {
    expect(refusedBy(resultOf(line))).toContain(why);
  });

  const optionals = [...catalogue].flatMap(([path, { fields }]) =>
    Object.entries(fields).flatMap(([name, field]): readonly [string, string, string, Field][] =>
      field.optional ? [[path, name, field.label, field]] : [],
    ),
  );
  test.each(optionals)('%s: an empty %s', (path, name, label, field) => {
    const words = Object.entries(catalogue.get(path)?.fields ?? {}).filter(([, { place }]) => place === 'word');
    const own = words.findIndex(([other]) => other === name);
    const before = words.slice(0, own === -1 ? words.length : own).flatMap(([, { kind, optional }]) => {
      if (optional) return [];
      return [kind === 'domain' ? 'acme.com' : kind === 'plain' ? 'x' : L];
    });
    for (const empty of ['""', '“”', "' '", '"\u00A0"']) {
      const after = field.kind !== 'plain' && field.after !== undefined ? `${field.after} ` : '';
      const word = field.place === 'word' ? `${after}${empty}` : `--${optionName(name)}=${empty}`;
      const why = field.place === 'word' ? `${label} is empty.` : `--${optionName(name)} needs a value.`;
      expect(refusedBy(resultOf(`${path} ${[...before, word].join(' ')}`))).toContain(why);
    }
  });

  test.each([
    ['delete ""', 'env'],
    ['cache clear " "', 'env'],
    [`allowlist remove ${L}`, 'addresses'],
    [`allowlist remove ${L} ""`, 'addresses'],
    [`allowlist set ${L} "" “ ”`, 'addresses'],
    [`themes update ${L} ""`, 'themes'],
    [`push "" ${L} --files`, 'from'],
    [`push ${S} "" --files`, 'onto'],
    [`redirects remove ${L} ""`, 'from'],
  ])('%s asks for what is missing', (line, field) => {
    expect(resultOf(line)).toMatchObject({ kind: 'ask', resolved: { missing: [field] } });
  });

  test('in a thread it does not mean the thread’s target', () => {
    const inThread: BindContext = { target: live.id, sibling: (word) => (word === 'staging' ? staging.id : undefined) };
    for (const path of ['delete', 'cache clear', 'redirects clear', 'changes'])
      expect(refusedBy(resultOf(`${path} ""`, inThread))).toMatch(/what to do with “”|is empty/);
  });

  test('a push keeps its typed direction, also with a bare name in a thread', () => {
    const inThread: BindContext = { target: live.id, sibling: (word) => (word === 'staging' ? staging.id : undefined) };
    const given = (line: string) => parse(line, catalogue, inThread)?.given;
    expect(given(`push staging ${L} --files`)).toMatchObject({ from: [staging.id], onto: [L] });
    expect(given(`push ${L} staging --files`)).toMatchObject({ from: [L], onto: [staging.id] });
    expect(given(`push ${S} --files`)).toMatchObject({ from: [S], onto: [live.id] });
    expect(refusedBy(resultOf(`push stagin ${L} --files`, inThread))).toContain('“stagin”');
    expect(refusedBy(resultOf(`push staging ${L} --files`, { ...inThread, isLoose: true }))).toContain('the full name');
    expect(refusedBy(resultOf(`push shop ${L} --files`))).toContain('shop could be acme-shop/staging');
  });
});

describe('a dry run', () => {
  const actions = [...catalogue].filter(([, { shape }]) => shape === 'action');
  test.each(actions)('of %s never sends, however it is spelled', (path, { fields }: Command) => {
    const given = fc.record(
      Object.fromEntries(
        Object.entries(fields).flatMap(([name, field]) => (field.optional ? [] : [[name, wordsFor(field, name)]])),
      ),
    );
    fc.assert(
      fc.property(given, (words) => {
        const line = join(argsOf(path, fields, (name) => words[name] ?? []));
        // After `--`, the text is an argument, as intended.
        if (/(?:^| )--(?: |$)/.test(line)) return;
        for (const spelled of dryRuns) {
          const result = resultOf(`${line} ${spelled}`);
          if (result instanceof Refusal || result.kind === 'ask') continue;
          expect([spelled, result.kind, result.authorized.parsed.dryRun]).toEqual([spelled, 'ready', true]);
        }
      }),
      { numRuns: 5 },
    );
  });

  test('is recognised with the dashes of phones and word processors', () => {
    for (const spelled of dryRuns.slice(0, 15)) {
      expect([spelled, resultOf(`cache clear ${L} ${spelled}`)]).toMatchObject([
        spelled,
        { authorized: { parsed: { dryRun: true } } },
      ]);
    }
    expect(refusedBy(resultOf(`clone ${L} Docs -dry-run`))).toContain('-dry-run begins with one hyphen.');
    expect(refusedBy(resultOf(`lock ${L} -force deploy`))).toContain('-force begins with one hyphen.');
    expect(resultOf(`clone ${L} Docs --reason "-dry-run"`)).toMatchObject({
      authorized: { parsed: { dryRun: false } },
    });
    expect(resultOf(`clone ${L} Docs "-dry-run"`)).toMatchObject({
      authorized: { input: { displayName: 'Docs -dry-run' } },
    });
  });
});
