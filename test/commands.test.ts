import { deepStrictEqual } from 'node:assert';
import { existsSync, globSync, readFileSync } from 'node:fs';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { AnyAction } from '../src/commands/kit/action.ts';
import { catalogue } from '../src/commands/index.ts';
import { rightOf, rights } from '../src/commands/rights.ts';
import { catalogue as endpoints } from './hosting/contract/catalogue.ts';
import { authorize } from '../src/access/access-check.ts';
import { pin } from '../src/change/pin.ts';
import type { Given } from '../src/language/bind-arguments.ts';
import { parse, parseArgs } from '../src/language/parse.ts';
import { renderCard } from '../src/change/card.ts';
import { everything } from '../src/language/many-environments.ts';
import { canonicalArgs, isNamed, resolve } from '../src/language/resolve.ts';
import { optionName, takesRest, usage, argsOf } from '../src/language/usage.ts';
import { join } from '../src/language/tokenize.ts';
import { blockComplaints, viewComplaints } from '../src/playground/slack/block-kit/check.ts';
import { drawCard } from '../src/block-kit/blocks.ts';
import { drawPage } from '../src/block-kit/answer-pages.ts';
import { reviewView } from '../src/slack/forms/views.ts';
import { inline, plain } from '../src/words/text.ts';
import { exampleArguments, InMemoryHost, ownWorld, argumentsFor } from './commands/in-memory-host.ts';
import {
  ana,
  changeOf,
  readEach,
  hostile,
  live,
  member,
  policyOf,
  refusalOf,
  refusalText,
  parsedFor,
  wordsFor,
  reportDefaults,
} from './fixtures.ts';

/** One test over everything people can type. A new command is covered by its line in the catalogue. */

const commands = [...catalogue].map(([path, command]) => ({ path, command }));
const actions = commands.flatMap(({ path, command }) =>
  command.shape === 'action' ? [{ path, action: command }] : [],
);

describe.each(commands)('$path', ({ path, command }) => {
  test('is in the file that its path names', () => {
    const file = `${path.replaceAll(' ', '/')}.ts`;
    const place = command.shape === 'builtin' ? `builtin/${file}` : file;
    expect(existsSync(new URL(`../src/commands/${place}`, import.meta.url))).toBe(true);
  });

  test('has a description that help and forms can show', () => {
    expect(command.summary).toMatch(/^[A-Z][^\n]{9,74}[^.!]$/);
    expect(command.button.length).toBeLessThanOrEqual(24);
    expect(command.button).not.toMatch(/submit|[.!…]$/i);
    const fields = Object.values(command.fields);
    expect(new Set(fields.map(({ label }) => label)).size).toBe(fields.length);
    for (const { label, hint = '' } of fields) expect(label.length + hint.length).toBeLessThanOrEqual(150);
    expect(path).toMatch(/^[a-z]+( [a-z]+)?$/);
  });

  test('has one of its fields as target, and fields in an order that can be typed', () => {
    if (command.shape !== 'builtin' && command.target !== 'company')
      expect(command.fields[command.target]?.kind).not.toBe('plain');
    const typed = Object.values(command.fields).filter(({ place }) => place === 'word');
    // A field that recognises its own words may be skipped.
    const inTurn = typed.filter((field) => field.kind !== 'plain' || field.fits === undefined);
    const optional = inTurn.map((field) => field.optional);
    expect(optional).toEqual(optional.toSorted((one, other) => Number(one) - Number(other)));
    expect(typed.slice(0, -1).some((field) => field.kind === 'plain' && field.many)).toBe(false);
    // A field that takes the rest also takes the options.
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

  test('has examples for its words, which a world that has their targets can read', () => {
    const read = exampleArguments(path).map((example) => resolve(parsedFor(path, example), new InMemoryHost().names()));
    expect(read.length > 0).toBe(Object.keys(command.fields).length > 0);
    expect(read.map(({ problems, missing }) => [...problems, ...missing])).toEqual(read.map(() => []));
  });

  test('can be typed as its usage says', () => {
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
  const declared = files.map((file) => file.replace(/^src\/commands\/(builtin\/)?|\.ts$/g, '').replaceAll('/', ' '));
  for (const { path } of commands) expect(declared).toContain(path);
  const forgotten = files
    .filter((_, at) => !catalogue.has(declared[at] ?? ''))
    .filter((file) =>
      /= (action|report|builtin)\(\{/.test(readFileSync(new URL(`../${file}`, import.meta.url), 'utf8')),
    )
    .map((file) => `${file}: add its line to src/commands/index.ts`);
  expect(forgotten, `Nobody can say ${forgotten.join()}`).toEqual([]);
});

/** A request at a host: what the action reads, and whether it is accepted. */
async function look(path: string, action: AnyAction, said: Given, host: InMemoryHost) {
  const parsed = { path, command: action, given: said, reason: undefined, dryRun: false };
  const { input, problems, missing } = resolve(parsed, host.names());
  deepStrictEqual({ problems, missing }, { problems: [], missing: [] });
  const seen = async (): Promise<unknown> => parseStored(await action.look?.({ input, ...host.sources() }));
  const snapshot = await seen();
  return { input, snapshot, seen, wrong: action.invalid?.(input) ?? action.impossible?.({ input, snapshot }) };
}
/** As stored and read back. */
const parseStored = (value: unknown): unknown => JSON.parse(JSON.stringify(value ?? null));

test('what can break a site says so, and names an environment or a domain whose site can be read', () => {
  const declared = actions.filter(({ action }) => action.mayBreakSite);
  expect(declared.map(({ path }) => path).toSorted()).toEqual([
    'cache clear',
    'dns set',
    'domains add',
    'push',
    'redirects add',
    'redirects clear',
    'redirects edit',
    'redirects remove',
    'themes update',
  ]);
  for (const { action } of declared) expect(['environment', 'domain']).toContain(action.fields[action.target]?.kind);
});

describe.each(actions)('$path as an action', ({ path, action }) => {
  /** Checks an accepted action with `holds`; a refused one must say why. */
  const always = async (
    holds: (seen: Awaited<ReturnType<typeof look>>, host: InMemoryHost) => Promise<void> | void,
    numRuns = 12,
  ): Promise<void> => {
    await fc.assert(
      fc.asyncProperty(argumentsFor(path, new InMemoryHost()), async (said) => {
        const host = new InMemoryHost();
        const seen = await look(path, action, said, host);
        const refused = seen.wrong && plain(inline(seen.wrong.says));
        if (refused !== undefined) expect(refused).toMatch(/Nothing was (changed|done|asked)\.$/);
        fc.pre(refused === undefined);
        await holds(seen, host);
      }),
      { numRuns },
    );
  };

  test('runs its examples in a world that has their targets', async () => {
    for (const given of exampleArguments(path)) {
      const host = new InMemoryHost();
      const { input, snapshot, wrong } = await look(path, action, given, host);
      expect(wrong && plain(inline(wrong.says))).toBeUndefined();
      expect(host.write(action.call({ input, snapshot }))).toBeLessThan(300);
    }
  });

  test('makes a call of its section that survives storing', () =>
    always(({ input, snapshot }) => {
      const call = action.call({ input, snapshot });
      const about = endpoints.find(({ section, method }) => section === call.section && method === call.method);
      expect(call.kind).toBe('write');
      expect(about).toBeDefined();
      expect(call.path).toMatch(new RegExp(`^${about?.path.replaceAll(/\{\w+\}/g, '[^/]+')}$`));
      expect(about?.body).toEqual(
        expect.arrayContaining(typeof call.body === 'object' ? Object.keys(call.body ?? {}) : []),
      );
      expect(JSON.parse(JSON.stringify(call))).toEqual(call);
      expect(action.call({ input, snapshot })).toEqual(call);
    }));

  test('makes a call that the host accepts, and that is then no longer needed', () =>
    always(async ({ input, snapshot, seen }, host) => {
      expect(host.write(action.call({ input, snapshot }))).toBeLessThan(300);
      if (action.look === undefined || action.proof === undefined) return;
      const now = await seen();
      expect(action.invalid?.(input) ?? action.impossible?.({ input, snapshot: now })).toBeDefined();
    }));

  test('has a card for before and after', () =>
    always(({ input, snapshot }) => {
      const card = action.card({ input, snapshot, now: 1_000 });
      expect(plain(card.title)).toMatch(/^[A-Z].*[^.!]$/);
      expect(plain(card.done)).toMatch(/^[A-Z].*[^.!]$/);
      const target = input[action.target];
      const name = typeof target === 'object' && target !== null && 'name' in target ? String(target.name) : '';
      expect(plain(card.title)).toContain(name);
      expect(parseStored(card)).toEqual(parseStored(action.card({ input, snapshot, now: 1_000 })));
    }));

  test('is not proven by the state before the write', () =>
    always(({ input, snapshot }) => {
      const verdict = action.proof?.({ input, snapshot, current: snapshot }).verdict;
      expect(
        verdict,
        'proof says yes before anything was sent: it must tell the state before from the one after',
      ).not.toBe('yes');
    }));

  test('is proven by the effect of its call, and proves it only by reading', () =>
    always(async ({ input, snapshot, seen }, host) => {
      const world = JSON.stringify(host.world);
      await seen();
      expect(JSON.stringify(host.world)).toBe(world);
      host.write(action.call({ input, snapshot }));
      if (action.proof) expect(action.proof({ input, snapshot, current: await seen() }).verdict).toBe('yes');
    }));

  test('has an undo that is another command’s arguments, with ids', () =>
    always(async ({ input, snapshot }, host) => {
      const undo = action.undo?.({ input, snapshot });
      if (undo === undefined) return;
      const was = host.seen();
      host.write(action.call({ input, snapshot }));
      const parsed = parse(join(undo), catalogue);
      expect(parseArgs(undo, catalogue)).toEqual(parsed);
      if (parsed?.command.shape !== 'action') throw new Error(`${undo.join(' ')} is no action`);
      const back = await look(parsed.path, parsed.command, parsed.given, host);
      expect(back.wrong, 'undo does not bring back what was there: its words are refused').toBeUndefined();
      host.write(parsed.command.call(back));
      expect(
        host.seen(),
        'undo does not bring back what was there: its words take away too little, or too much',
      ).toEqual(was);
    }));

  test('can be repeated by a button with a readable line', () =>
    always(({ input, snapshot }) => {
      const all = (action.next?.({ input, snapshot, sentAt: 0 }) ?? []).map(({ args }) => args);
      for (const words of all) expect(parse(join(words), catalogue)?.command).toBeDefined();
    }));

  test('is stored as arguments with the same meaning', () =>
    always(({ input }, host) => {
      const parsed = { path, command: action, given: {}, reason: undefined, dryRun: false };
      const words = canonicalArgs({ parsed, input });
      const again = resolve(parseArgs(words, catalogue), host.names());
      expect(again.input).toEqual(input);
      expect(argsOf(path, action.fields, (name) => again.parsed.given[name] ?? [])).toEqual(words);
    }));

  test('offers choices from the host that its fields can parse', () =>
    always(async ({ input }, host) => {
      for (const [name, dependent] of Object.entries(action.dependent ?? {})) {
        for (const on of dependent?.on ?? []) expect(Object.keys(action.fields)).toContain(on);
        const field = action.fields[name];
        const choices = (await dependent?.choices?.({ input, ...host.sources() })) ?? [];
        for (const choice of choices.slice(0, 20)) {
          if (field?.kind === 'plain') expect(field.show(field.read([choice]))).toEqual([choice]);
        }
      }
    }));

  test('is refused without the right, before anything is read', () => {
    const policy = policyOf('{ allow: [read], to: [developers] }');
    return always(({ input }, host) => {
      const resolved = { parsed: parsedFor(path, {}), input, missing: [], problems: [] };
      const refused = refusalOf(() => authorize(policy, ana, resolved, host.company()));
      expect(refusalText(refused)).toMatch(/You may not run .* Nothing was sent\./);
      const stranger = member('U99', 'Nobody');
      expect(refusalText(refusalOf(() => authorize(policy, stranger, resolved, host.company())))).toMatch(
        /(I can't find .* among the (environment|domain)s you can see|You may not use .*)\..*Nothing was done\./,
      );
    });
  });

  test('has a card and a review within Slack’s limits, for any names', () =>
    always(async ({ input, snapshot }) => {
      const strange = fc.sample(hostile, 5);
      for (const name of [...strange, '𝕏'.repeat(300), '*_~`<!here>'.repeat(40)]) {
        const renamed = Object.fromEntries(
          Object.entries(input).map(([field, value]) => [field, isNamed(value) ? { ...value, name } : value]),
        );
        const resolved = { parsed: parsedFor(path, {}), input: renamed, missing: [], problems: [] };
        const authorization = { approval: 'none', rules: [], policy: '' } as const;
        const authorized = { ...resolved, target: live, alsoReads: [], authorization } as const;
        const pinned = pin(authorized, action, snapshot, { now: 0 });
        expect(viewComplaints(reviewView(pinned, { origin: { channel: 'C1' } }), 'modal')).toEqual([]);
        const change = changeOf({ card: pinned.card, state: 'waiting', target_name: name });
        const { blocks } = drawCard(renderCard(change, [], 'i'));
        expect(blockComplaints(blocks, 'message')).toEqual([]);
        expect(JSON.stringify(blocks).length).toBeLessThan(12_000);
      }
    }, 6));
});

/** Strange and large data that every report must be able to show. */
function crowdedHost(): InMemoryHost {
  const host = new InMemoryHost(ownWorld());
  const odd = fc.sample(hostile, 40);
  const oddAt = (at: number): string => odd[at % odd.length] ?? '';
  const { themes } = host.world;
  host.world.themes = Array.from({ length: 120 }, (_, at) => ({
    ...ofFirst(themes),
    name: `theme-${at}`,
    title: oddAt(at),
  }));
  for (const env of host.world.environments()) {
    env.themes = Array.from({ length: 120 }, (_, at) => ({ ...ofFirst(env.themes), name: `theme-${at}` }));
    env.redirects = Array.from({ length: 2_000 }, (_, at) => ({
      ...ofFirst(env.redirects),
      from: `/${at}/${oddAt(at)}`,
      to: oddAt(at + 1),
    }));
    env.files = Array.from({ length: 5_000 }, (_, at) => ({ name: `${at} ${oddAt(at)}`, path: `${at} ${oddAt(at)}` }));
    env.allowlist = Array.from({ length: 300 }, (_, at) => `2001:db8::${at.toString(16)}`);
    env.backups = Array.from({ length: 60 }, (_, at) => ({ ...ofFirst(env.backups), note: oddAt(at) }));
  }
  for (const domain of host.world.domains) {
    domain.dns = Array.from({ length: 100 }, (_, at) => ({
      type: 'TXT',
      name: `${at}.example`,
      ttl: 60,
      resource_records: [{ value: oddAt(at) }, { value: 'v=DKIM1; p='.padEnd(2_000, 'A') }],
    }));
  }
  return host;
}
function ofFirst<T>([first]: readonly T[]): T {
  if (first === undefined) throw new Error('the world is empty');
  return first;
}

describe.each(commands.filter(({ command }) => command.shape === 'report'))(
  '$path as a report',
  ({ path, command }) => {
    const host = crowdedHost();
    const { environments, domains } = host.names();
    const given: Given = Object.fromEntries(
      Object.entries(command.fields)
        .filter(([, field]) => !field.optional && field.place === 'word')
        .map(([name, field]) => {
          if (field.kind === 'plain') return [name, ofFirst(fc.sample(wordsFor(field, name), 1))];
          return [name, [ofFirst<{ id: string }>(field.kind === 'domain' ? domains : environments).id]];
        }),
    );

    test('shows large and strange data in pages within Slack’s limits, each line once', async () => {
      if (command.shape !== 'report') throw new Error('no report');
      const { input, problems } = resolve(parsedFor(path, given), host.names());
      expect(problems).toEqual([]);
      const page = await command.show({
        input,
        ...host.sources(),
        ...reportDefaults,
        each: readEach(host.sources().read),
        everything: () => everything(host.names()),
        now: Date.UTC(2026, 2, 1),
        zone: 'Europe/Berlin',
      });
      expect(plain(page.title)).not.toBe('');
      for (const offer of page.offers ?? []) expect(parse(join(offer.args), catalogue)?.command).toBeDefined();
      let shown = 0;
      let from = 0;
      for (let next: string | undefined = '0'; next !== undefined; shown += 1) {
        from = Number(next);
        const { blocks, text } = drawPage(page, { id: 'kept', shareable: true }, from);
        expect(blockComplaints(blocks, 'message')).toEqual([]);
        expect(JSON.stringify(blocks).length).toBeLessThan(12_000);
        expect(text.length).toBeLessThan(4_000);
        next = /"value":"(\d+) kept"/.exec(JSON.stringify(blocks))?.[1];
        if (next !== undefined) expect(Number(next)).toBeGreaterThan(from);
      }
      const rows = page.parts.flatMap((part) =>
        part.kind === 'table' ? part.rows : part.kind === 'list' ? part.entries : [],
      );
      expect(shown).toBeGreaterThanOrEqual(rows.length / 30);
    });
  },
);

/** A host whose first environment has this allowlist, and the answer about that environment. */
function listing(...list: readonly string[]) {
  const host = new InMemoryHost(ownWorld());
  const [env] = host.names().environments;
  if (env === undefined) throw new Error('there is no environment');
  host.world.environment(env.id).allowlist = [...list];
  return { host, said: { env: [env.id], addresses: ['1.1.1.1'] } };
}

test('an allowlist is never emptied, or opened to everybody, unless asked explicitly', async () => {
  const remove = catalogue.get('allowlist remove');
  if (remove?.shape !== 'action') throw new Error('no such action');
  const { host, said } = listing('1.1.1.1');
  expect((await look('allowlist remove', remove, said, host)).wrong?.field).toBe('empty');
  expect((await look('allowlist remove', remove, { ...said, empty: ['yes'] }, host)).wrong).toBeUndefined();
  const everybody = listing('0.0.0.0/0', '1.1.1.1');
  const wide = await look('allowlist remove', remove, { ...said, addresses: ['0.0.0.0/0'] }, everybody.host);
  expect(wide.wrong).toBeUndefined();
  expect(remove.call(wide).body).toEqual({ ip_allowlist: ['1.1.1.1'] });
  expect(remove.undo?.(wide)).toBeUndefined();
});

test('undo of an addition empties the list only if it was empty before', async () => {
  const add = catalogue.get('allowlist add');
  if (add?.shape !== 'action') throw new Error('no such action');
  const [onEmpty, onMore] = await Promise.all(
    [listing(), listing('2.2.2.2')].map(({ host, said }) => look('allowlist add', add, { ...said, for: ['2h'] }, host)),
  );
  if (onEmpty === undefined || onMore === undefined) throw new Error('nothing was seen');
  expect([onEmpty, onMore].map((seen) => add.undo?.(seen)?.includes('--empty'))).toEqual([true, false]);
  expect([onEmpty, onMore].map((seen) => add.access?.(seen)?.mayEmpty)).toEqual([true, false]);
  expect(add.access?.(onEmpty)).toMatchObject({ lets: ['1.1.1.1'], forMs: 7_200_000, takes: [] });
});
