import { deepStrictEqual, ok, strictEqual } from 'node:assert';
import { existsSync, globSync } from 'node:fs';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { AnyAction } from '../src/commands/action.ts';
import { catalogue } from '../src/commands/index.ts';
import { rightOf, rights } from '../src/commands/rights.ts';
import type { Sources } from '../src/commands/sources.ts';
import { canonicalAddress } from '../src/commands/addresses.ts';
import { catalogue as endpoints } from '../src/hosting/contract/catalogue.ts';
import type { Json, Reader, Write } from '../src/hosting/contract/call.ts';
import { parse, parseWords } from '../src/pipeline/parse.ts';
import { canonicalWords, resolve } from '../src/pipeline/resolve.ts';
import { optionName, takesRest, usage, wordsOf } from '../src/pipeline/usage.ts';
import { join } from '../src/pipeline/words.ts';
import { inline, plain } from '../src/text.ts';
import { address, company, names, noCertificate, wordsFor } from './pipeline/given.ts';

/** One test over everything that people can say: a new command is held to it by its line in the catalogue. */

const commands = [...catalogue].map(([path, command]) => ({ path, command }));
const actions = commands.flatMap(({ path, command }) =>
  command.shape === 'action' ? [{ path, action: command }] : [],
);

describe.each(commands)('$path', ({ path, command }) => {
  test('stands in the file that its words name', () => {
    const file = `${path.replaceAll(' ', '/')}.ts`;
    const place = command.shape === 'desk' ? `desk/${file}` : file;
    expect(existsSync(new URL(`../src/commands/${place}`, import.meta.url))).toBe(true);
  });

  test('is described as help and forms can show it', () => {
    expect(command.summary).toMatch(/^[A-Z][^\n]{9,74}[^.!]$/);
    expect(command.button.length).toBeLessThanOrEqual(24);
    expect(command.button).not.toMatch(/submit|[.!…]$/i);
    const fields = Object.values(command.fields);
    expect(new Set(fields.map(({ label }) => label)).size).toBe(fields.length);
    for (const { label, hint = '' } of fields) expect(label.length + hint.length).toBeLessThanOrEqual(150);
    expect(path).toMatch(/^[a-z]+( [a-z]+)?$/);
  });

  test('has a target that is one of its fields, and fields in an order that can be typed', () => {
    if (command.shape !== 'desk' && command.target !== 'company')
      expect(command.fields[command.target]?.kind).not.toBe('plain');
    const typed = Object.values(command.fields).filter(({ place }) => place === 'word');
    // A field that knows its own words may be passed over.
    const inTurn = typed.filter((field) => field.kind !== 'plain' || field.fits === undefined);
    const optional = inTurn.map((field) => field.optional);
    expect(optional).toEqual(optional.toSorted((one, other) => Number(one) - Number(other)));
    expect(typed.slice(0, -1).some((field) => field.kind === 'plain' && field.many)).toBe(false);
    // A field that takes the rest takes the options too.
    if (takesRest(command)) {
      const fields = Object.values(command.fields);
      expect(fields.map(({ place }) => place)).not.toContain('option');
      expect(fields.at(-1)).toMatchObject({ rest: true });
    }
    expect(Object.keys(command.fields).map(optionName)).not.toContain('reason');
    expect(Object.keys(command.fields).map(optionName)).not.toContain('dry-run');
  });

  test('has a right that a rule can name', () => {
    expect(rights).toContainEqual(rightOf(path, command));
  });

  test('is typed as its usage says', () => {
    const line = usage(path, command);
    const bare = line.replaceAll(/\[[^\]]*\]|<[^>]*>/g, ' ');
    expect(parse(bare, catalogue)).toMatchObject({ path, given: {} });
    for (const option of line.matchAll(/--[\w-]+/g)) {
      const value = line.includes(`[${option[0]}]`) ? '' : '=1';
      expect(parse(`${path} ${option[0]}${value}`, catalogue)).toMatchObject({ path });
    }
  });
});

test('no file of a command is forgotten by the catalogue', () => {
  const files = globSync('src/commands/**/*.ts', { cwd: new URL('..', import.meta.url).pathname });
  const declared = files.map((file) => file.replace(/^src\/commands\/(desk\/)?|\.ts$/g, '').replaceAll('/', ' '));
  for (const { path } of commands) expect(declared).toContain(path);
  const parts = [
    'action',
    'report',
    'desk',
    'fields',
    'index',
    'rights',
    'sources',
    'page',
    'masking',
    'addresses',
    'times',
    'paths',
    'allowlist listing',
    'backups newest',
  ];
  expect(declared.filter((file) => !catalogue.has(file)).sort()).toEqual(parts.sort());
});

/** A host that knows one allowlist and one backup, as plainly as can be: what a write makes of it, and what a read shows. */
class Host {
  list: readonly string[];
  constructor(list: readonly string[]) {
    this.list = list;
  }
  read: Reader = async (call) => {
    strictEqual(call.kind, 'read');
    return call.reply.parse({
      environment: {
        active_container: { ssh_ip_allowlist: this.list, sftp_ip_allowlist: this.list },
        backups: [{ id: 1, name: 'b', note: null, type: 'scheduled', created_at: 1_000 }],
      },
    });
  };
  write(call: Write): void {
    const body: Json = call.body ?? {};
    if (typeof body === 'object' && body !== null && 'ip_allowlist' in body) this.list = listIn(body.ip_allowlist);
  }
}
const sources = ({ read }: Host): Sources => ({ read, company, certificate: noCertificate });
const listIn = (value: Json | undefined): readonly string[] => (Array.isArray(value) ? value.map(String) : []);
const sameList = (list: readonly string[]): readonly string[] => [...new Set(list.map(canonicalAddress))].sort();

/** What a host may list: also what nobody here may let in, in spellings of its own. */
const listed = fc.uniqueArray(
  fc.oneof(address, fc.constantFrom('0.0.0.0/0', '10.0.0.5/32', '2001:DB8:0::7', 'office')),
  { maxLength: 8 },
);
const inputsOf = (action: AnyAction) =>
  fc.record(Object.fromEntries(Object.entries(action.fields).map(([name, field]) => [name, wordsFor(field, name)])), {
    requiredKeys: Object.entries(action.fields)
      .filter(([, field]) => !field.optional && field.place === 'word')
      .map(([name]) => name),
  });

/** Words said to a host: what the action sees, and whether it may go on. */
async function look(path: string, action: AnyAction, said: Readonly<Record<string, readonly string[]>>, host: Host) {
  const { input, problems, missing } = resolve(
    { path, command: action, given: said, reason: undefined, dryRun: false },
    names,
  );
  deepStrictEqual({ problems, missing }, { problems: [], missing: [] });
  const before: unknown = JSON.parse(JSON.stringify((await action.look?.({ input, ...sources(host) })) ?? null));
  return { input, before, wrong: action.valid?.(input) ?? action.possible?.({ input, before }) };
}

describe.each(actions)('$path as an action', ({ path, action }) => {
  /** Holds for whatever may go on; what may not says so. */
  const always = async (
    holds: (seen: Awaited<ReturnType<typeof look>>, host: Host) => Promise<void> | void,
  ): Promise<void> => {
    let went = 0;
    const overlapping = fc.tuple(inputsOf(action), listed, fc.boolean()).map(([said, list, overlap]) => ({
      said,
      list: overlap ? [...list, ...(said['addresses'] ?? []).slice(0, 2)] : list,
    }));
    await fc.assert(
      fc.asyncProperty(overlapping, async ({ said, list }) => {
        const host = new Host(list);
        const seen = await look(path, action, said, host);
        if (seen.wrong) {
          ok(/Nothing was (changed|done)\.$/.test(plain(inline(seen.wrong.says))));
          return;
        }
        went += 1;
        await holds(seen, host);
      }),
    );
    ok(went > 0);
  };

  test('makes a call of its section that survives being kept', () =>
    always(({ input, before }) => {
      const call = action.call({ input, before });
      const about = endpoints.find(({ section, method }) => section === call.section && method === call.method);
      expect(call.kind).toBe('write');
      expect(about).toBeDefined();
      expect(call.path).toMatch(new RegExp(`^${about?.path.replaceAll(/\{\w+\}/g, '[^/]+')}$`));
      expect(about?.body).toEqual(
        expect.arrayContaining(typeof call.body === 'object' ? Object.keys(call.body ?? {}) : []),
      );
      expect(JSON.parse(JSON.stringify(call))).toEqual(call);
      expect(action.call({ input, before })).toEqual(call);
    }));

  test('says what it will do and what it did', () =>
    always(({ input, before }) => {
      const card = action.card({ input, before, now: 1_000 });
      expect(plain(card.title)).toMatch(/^[A-Z].*[^.!]$/);
      expect(plain(card.done)).toMatch(/^[A-Z].*[^.!]$/);
      const target = input[action.target];
      const name = typeof target === 'object' && target !== null && 'name' in target ? String(target.name) : '';
      expect(plain(card.title)).toContain(name);
      expect(JSON.parse(JSON.stringify(card))).toEqual(
        JSON.parse(JSON.stringify(action.card({ input, before, now: 1_000 }))),
      );
    }));

  test('is never proven by what was there before', () =>
    always(({ input, before }) => {
      expect(action.proof?.({ input, before, now: before }).verdict).not.toBe('yes');
    }));

  test('is proven by what its call makes of the host, and only reads to see it', () =>
    always(async ({ input, before }, host) => {
      host.write(action.call({ input, before }));
      const now: unknown = await action.look?.({ input, ...sources(host) });
      if (action.proof) expect(action.proof({ input, before, now }).verdict).toBe('yes');
    }));

  test('is taken back by words of another command, with ids in them', () =>
    always(async ({ input, before }, host) => {
      const undo = action.undo?.({ input, before });
      if (undo === undefined) return;
      const was = sameList(host.list);
      host.write(action.call({ input, before }));
      const wish = parse(join(undo), catalogue);
      expect(parseWords(undo, catalogue)).toEqual(wish);
      if (wish?.command.shape !== 'action') throw new Error(`${undo.join(' ')} is no action`);
      const back = await look(wish.path, wish.command, wish.given, host);
      expect(back.wrong).toBeUndefined();
      expect(canonicalWords({ wish, input: back.input })).toEqual(undo);
      host.write(wish.command.call(back));
      expect(sameList(host.list)).toEqual(was);
    }));

  test('is said again, later or by a button, in words that can be read', () =>
    always(({ input, before }) => {
      const later = action.later?.({ input, before });
      const all = [later?.run, ...(action.next?.({ input, before }) ?? []).map(({ words }) => words)].filter(
        (words) => words !== undefined,
      );
      for (const words of all) expect(parse(join(words), catalogue)?.command).toBeDefined();
      if (later === undefined) return;
      expect(later.after).toBeGreaterThan(0);
      expect(parse(join(later.run), catalogue)?.command.shape).toBe('action');
    }));

  test('is kept as words that say the same', () =>
    always(({ input }) => {
      const wish = { path, command: action, given: {}, reason: undefined, dryRun: false };
      const words = canonicalWords({ wish, input });
      const again = resolve(parseWords(words, catalogue), names);
      expect(again.input).toEqual(input);
      expect(wordsOf(path, action.fields, (name) => again.wish.given[name] ?? [])).toEqual(words);
    }));
});

test('an allowlist is never emptied, or opened to everybody, but by name', async () => {
  const host = new Host(['1.1.1.1']);
  const remove = catalogue.get('allowlist remove');
  if (remove?.shape !== 'action') throw new Error('no such action');
  const said = { env: [names.environments[0]?.id ?? ''], addresses: ['1.1.1.1'] };
  expect((await look('allowlist remove', remove, said, host)).wrong?.field).toBe('empty');
  expect((await look('allowlist remove', remove, { ...said, empty: ['yes'] }, host)).wrong).toBeUndefined();
  const wide = await look(
    'allowlist remove',
    remove,
    { ...said, addresses: ['0.0.0.0/0'] },
    new Host(['0.0.0.0/0', '1.1.1.1']),
  );
  expect(wide.wrong).toBeUndefined();
  expect(remove.call(wide).body).toEqual({ ip_allowlist: ['1.1.1.1'] });
  expect(remove.undo?.(wide)).toBeUndefined();
});

test('what was added is taken away down to an empty list only where that is what was before', async () => {
  const add = catalogue.get('allowlist add');
  if (add?.shape !== 'action') throw new Error('no such action');
  const said = { env: [names.environments[0]?.id ?? ''], addresses: ['1.1.1.1'], for: ['2h'] };
  const onEmpty = await look('allowlist add', add, said, new Host([]));
  const onMore = await look('allowlist add', add, said, new Host(['2.2.2.2']));
  expect([onEmpty, onMore].map((seen) => add.undo?.(seen)?.includes('--empty'))).toEqual([true, false]);
  expect([onEmpty, onMore].map((seen) => add.later?.(seen)?.run.includes('--empty'))).toEqual([true, false]);
  expect(add.later?.(onEmpty)?.after).toBe(7_200_000);
});
