import fs, { mkdir, mkdtemp, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { maxPolicyBytes } from '../../src/policy/load.ts';
import { PolicyMistakes, mistakeLine } from '../../src/policy/yaml-document.ts';
import { openPolicy, readPolicy, type PolicyEvents, type PolicyFile } from '../../src/policy/watch.ts';
import type { Policy } from '../../src/policy/rules.ts';
import { catalogue, withRules } from './fixtures.ts';

const ONE = withRules('{ allow: [read], to: everyone }');
const TWO = withRules('{ allow: [read], to: everyone }', '{ allow: [routine], to: [developers] }');
const BROKEN = withRules('{ allow: [read], to: [leadz] }');

/** Files are read in pieces of so many bytes, as from a network file system, until all mocks are restored. */
function readInPieces(bytes: number): void {
  const { open } = fs;
  vi.spyOn(fs, 'open').mockImplementation(async (...named) => {
    const file = await open(...named);
    const read = file.read.bind(file);
    vi.spyOn(file, 'read').mockImplementation((how?: object) => read({ ...how, length: bytes }));
    return file;
  });
  syncBuiltinESMExports();
}

let folder: string;
let path: string;
let files: PolicyFile[];
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'policy-'));
  path = join(folder, 'policy.yml');
  files = [];
});
afterEach(async () => {
  vi.restoreAllMocks();
  syncBuiltinESMExports();
  await Promise.all(files.map((file) => file.close()));
  await rm(folder, { recursive: true });
});

/** Opens and follows the file, keeps its events, and lets a test await the next one. `record`: `PolicyEvents.record`. */
async function opened(name = path, record: PolicyEvents['record'] = async () => undefined) {
  const reported: string[] = [];
  let next = Promise.withResolvers<void>();
  const note = (word: string) => {
    reported.push(word);
    next.resolve();
    next = Promise.withResolvers();
  };
  const events: PolicyEvents = {
    record,
    onUnrecorded: (policy) => note(`${policy.rules.length} rules, not recorded`),
    onReload: (policy, before) => note(`${before.rules.length} → ${policy.rules.length} rules`),
    onBroken: (mistakes) => note(mistakes.map(mistakeLine).join()),
  };
  const file = await openPolicy(name, catalogue);
  files.push(file);
  await file.follow(events);
  return { file, reported, next: () => next.promise };
}

describe('at start', () => {
  test('a good file is the policy', async () => {
    await writeFile(path, ONE);
    const { file } = await opened();
    expect(file.current().rules).toHaveLength(1);
  });

  test('a file that comes in small pieces is read to its end', async () => {
    await writeFile(path, TWO);
    readInPieces(7);
    const { file } = await opened();
    expect(file.current().text).toBe(TWO);
  });

  test('a broken file is refused with every mistake', async () => {
    await writeFile(path, BROKEN.replace('[read]', '[reed]'));
    const refused = await opened().catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(PolicyMistakes);
    expect(String(refused)).toMatch(/policy\.yml cannot be used:\n {2}line 8: .*"read"\?\n {2}line 8: .*"leads"\?$/);
  });

  test.each<[string, string | Uint8Array | undefined, RegExp]>([
    ['missing', undefined, /line 1: the file cannot be read: ENOENT/],
    ['not text', new Uint8Array([0x76, 0xff, 0xfe]), /line 1: the file cannot be read: .*utf-8/i],
    ['too large', ' '.repeat(maxPolicyBytes + 1), /line 1: the file is larger than 256 KiB/],
  ])('a file that is %s', async (_, content, expected) => {
    if (content !== undefined) await writeFile(path, content);
    await expect(opened()).rejects.toThrow(expected);
  });
});

describe('on reload', () => {
  test('a changed text is a new policy', async () => {
    await writeFile(path, ONE);
    const { file, reported } = await opened();
    await writeFile(path, TWO);
    await file.reload();
    expect([file.current().rules.length, reported]).toEqual([2, ['1 → 2 rules']]);
  });

  test('the same text is not reported', async () => {
    await writeFile(path, ONE);
    const { file, reported } = await opened();
    await writeFile(path, ONE);
    await file.reload();
    expect(reported).toEqual([]);
  });

  test('a broken file keeps the last good policy, is reported once, and its repair too', async () => {
    await writeFile(path, ONE);
    const { file, reported } = await opened();
    await writeFile(path, BROKEN);
    await Promise.all([file.reload(), file.reload()]);
    expect(file.current().rules).toHaveLength(1);
    await rm(path);
    await file.reload();
    await writeFile(path, ONE);
    await file.reload();
    expect(reported).toEqual([
      'line 8: unknown group "leadz"; did you mean "leads"?',
      expect.stringContaining('ENOENT'),
      '1 → 1 rules',
    ]);
  });
});

describe('a policy applies only once it is recorded', () => {
  /** Records like a database that is away while `isAway`. */
  function trail() {
    const recorded: number[] = [];
    const state = { isAway: false, file: (): PolicyFile | undefined => undefined };
    const record = async ({ rules }: Policy): Promise<void> => {
      recorded.push(state.file()?.current().rules.length ?? 0, rules.length);
      if (state.isAway) throw new Error('no database');
    };
    return { recorded, state, record };
  }

  test('also the first one, and while that is recorded the file may change', async () => {
    await writeFile(path, ONE);
    const { reported, file } = await opened(path, async ({ rules }) => {
      if (rules.length === 1) await writeFile(path, TWO);
    });
    expect([file.current().rules.length, reported]).toEqual([2, ['1 → 2 rules']]);
  });

  test('it is recorded while the former one applies', async () => {
    await writeFile(path, ONE);
    const { recorded, state, record } = trail();
    const { file } = await opened(path, record);
    state.file = () => file;
    await writeFile(path, TWO);
    await file.reload();
    expect(recorded).toEqual([0, 1, 1, 2]);
    expect(file.current().rules).toHaveLength(2);
  });

  test('if it cannot be recorded, the former one applies; that is said once, and it is tried again by itself', async () => {
    await writeFile(path, ONE);
    const { state, record } = trail();
    const { file, reported, next } = await opened(path, record);
    state.isAway = true;
    await writeFile(path, TWO);
    await Promise.all([file.reload(), file.reload()]);
    expect([file.current().rules.length, reported]).toEqual([1, ['2 rules, not recorded']]);
    const seen = next();
    state.isAway = false;
    await seen;
    expect([file.current().rules.length, reported]).toEqual([2, ['2 rules, not recorded', '1 → 2 rules']]);
  });

  test('one that is taken back before it could be recorded leaves the former one, recorded once more', async () => {
    await writeFile(path, ONE);
    const { recorded, state, record } = trail();
    const { file, reported } = await opened(path, record);
    state.isAway = true;
    await writeFile(path, TWO);
    await file.reload();
    state.isAway = false;
    await writeFile(path, ONE);
    await file.reload();
    await file.reload();
    expect(recorded).toEqual([0, 1, 0, 2, 0, 1]);
    expect(reported).toEqual(['2 rules, not recorded']);
  });
});

describe('a change is noticed automatically', () => {
  test('written in place', async () => {
    await writeFile(path, ONE);
    const { next, reported } = await opened();
    const seen = next();
    await writeFile(path, TWO);
    await seen;
    expect(reported).toEqual(['1 → 2 rules']);
  });

  test('saved by renaming, and then once more', async () => {
    await writeFile(path, ONE);
    const { next, reported } = await opened();
    for (const text of [TWO, BROKEN]) {
      const seen = next();
      await writeFile(`${path}.new`, text);
      await rename(`${path}.new`, path);
      await seen;
    }
    expect(reported).toEqual(['1 → 2 rules', expect.stringContaining('leadz')]);
  });

  test('behind a link to a folder that is swapped', async () => {
    for (const [name, text] of [
      ['first', ONE],
      ['second', TWO],
    ] as const) {
      await mkdir(join(folder, name));
      await writeFile(join(folder, name, 'policy.yml'), text);
    }
    await symlink('first', join(folder, '..data'));
    await symlink('..data/policy.yml', path);
    const { next, reported } = await opened();
    const seen = next();
    await symlink('second', join(folder, 'new'));
    await rename(join(folder, 'new'), join(folder, '..data'));
    await seen;
    expect(reported).toEqual(['1 → 2 rules']);
  });

  test('but not after closing', async () => {
    await writeFile(path, ONE);
    const [closed, open] = [await opened(), await opened()];
    await closed.file.close();
    const seen = open.next();
    await writeFile(path, TWO);
    await seen;
    expect([closed.reported, open.reported.length]).toEqual([[], 1]);
  });
});

test('the engine of regular expressions is loaded for a file that has a `match`, however the key is written', async () => {
  const looking = (key: string): string =>
    withRules(`{ allow: [push], to: [leads], approval: { by: [leads], reason: { ${key}: a } } }`);
  const read = async (text: string): Promise<string> => {
    await writeFile(path, text);
    return (await readPolicy(path, catalogue)).kind;
  };
  expect(await read(ONE)).toBe('policy');
  expect(await read(looking('"mat\\x63h"'))).toBe('policy');
});
