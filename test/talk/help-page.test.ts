import { describe, expect, test } from 'vitest';
import { stateLabel, states, type State } from '../../src/words/states.ts';
import type { Ability } from '../../src/access/ability.ts';
import type { Page } from '../../src/commands/kit/page.ts';
import { catalogue } from '../../src/commands/index.ts';
import { commandsFor, helpPage } from '../../src/talk/help-page.ts';
import { parse } from '../../src/language/parse.ts';
import { join } from '../../src/language/tokenize.ts';
import { optionName, takesValue } from '../../src/language/usage.ts';
import { blockComplaints } from '../../src/playground/slack/block-kit/check.ts';
import { drawPage } from '../../src/block-kit/answer-pages.ts';
import { inline, plain, say } from '../../src/words/text.ts';
import { ana, member, policyOf, refusalOf, refusalText } from '../fixtures.ts';

type Somewhere = Extract<Ability['answer'], { kind: 'allowed somewhere' }>['approval'];
/** For somebody who may run the commands that `may` names, which need this approval. */
const asked = (
  command: string | undefined,
  may: (path: string) => boolean = () => true,
  approval: Somewhere = 'none',
): Promise<Page> | Page =>
  helpPage(
    {
      commands: commandsFor(policyOf('{ allow: [read], to: everyone }'), ana).map((one) => ({
        ...one,
        mayRun: may(one.path),
        unknown: [],
      })),
      can: async ([path = '']) => ({
        person: ana,
        path,
        risk: 'routine',
        target: '3 of the 5 environments you can see',
        answer: { kind: 'allowed somewhere', rules: [], approval },
      }),
      isProgram: false,
    },
    command,
  );
const linesOf = ({ title, parts }: Page): readonly string[] => [
  plain(title),
  ...parts.flatMap((part) =>
    part.kind === 'list' ? part.entries.map(plain) : part.kind === 'text' ? plain(part.text).split('\n') : [],
  ),
];
const textOf = (page: Page): string => linesOf(page).join('\n');
const offered = ({ offers = [] }: Pick<Page, 'offers'>): readonly string[] =>
  offers.map(({ args, opens }) => `${args.join(' ')}${opens ? '…' : ''}`);

describe('help without a topic', () => {
  const listed = ({ parts }: Page): readonly string[] =>
    parts.flatMap((part) =>
      part.kind === 'list' ? part.entries.map((entry) => plain(entry).split('\n')[0] ?? '') : [],
    );

  test('is one screen: the eight most used commands, each as it is typed, and a button for the rest', async () => {
    const whole = await asked(undefined);
    expect(listed(whole)).toHaveLength(8);
    expect(listed(whole).slice(0, 2)).toEqual(['/site status acme-shop/live', '/site cache clear acme-shop/live']);
    expect(offered(whole)).toEqual(['help all']);
    // A phone shows about 43 characters in a line, and some 25 lines.
    const lines = [...linesOf(whole).flatMap((line) => line.split('\n')), plain(inline(whole.source))];
    expect(lines.reduce((sum, line) => sum + Math.ceil(line.length / 43), 0)).toBeLessThanOrEqual(22);
  });

  test('has others of theirs in place of those that somebody may not run, and says nothing of those', async () => {
    const little = await asked(undefined, (path) => ['logs', 'redirects list', 'whoami'].includes(path));
    expect(listed(little)).toEqual([
      '/site logs acme-shop/live --since 1h',
      '/site redirects list acme-shop/live /blog --sort from',
      '/site whoami',
    ]);
  });

  test('all: every command of theirs by noun', async () => {
    const whole = textOf(await asked('all'));
    expect(whole).toContain('redirects  list · add · edit · remove · clear');
    for (const path of catalogue.keys())
      expect(whole).toMatch(new RegExp(`(^|· )${path.split(' ')[0] ?? ''}( |$)`, 'm'));
    const little = await asked('all', (path) => ['logs', 'redirects list'].includes(path));
    expect(linesOf(little).filter(Boolean).slice(1)).toEqual(['redirects list · logs']);
  });
});

describe('help on a command', () => {
  test.each([...catalogue])('%s: every word of it, within the limits of a message', async (path, command) => {
    const page = await asked(path);
    const lines = linesOf(page);
    expect(lines[0]).toBe(`/site ${path} · ${command.summary}`);
    const examples = lines.filter((line) => line.startsWith(`/site ${path}`)).slice(1);
    expect(examples.length).toBeGreaterThanOrEqual(1);
    expect(examples.length).toBeLessThanOrEqual(3);
    for (const example of examples) expect(parse(example.replace('/site ', ''), catalogue)).toMatchObject({ path });
    const options = Object.entries(command.fields).flatMap(([name, field]) =>
      field.place === 'option' ? [`--${optionName(name)}${takesValue(field) ? ` ${field.shown}` : ''}`] : [],
    );
    const common =
      command.shape === 'action'
        ? ['--reason "…"', '--dry-run', '--queue', '--at "tomorrow 02:00"', '--within 1h']
        : [];
    const canary = command.shape === 'action' && command.batch ? ['--canary site/environment'] : [];
    const told = lines.filter((line) => line.startsWith('--')).map((line) => line.split('  ')[0]);
    expect(told).toEqual([...options, ...common, ...canary]);
    for (const { kind, label, hint } of Object.values(command.fields))
      if (kind === 'plain') expect(hint, `${label} has a hint that says what it means`).toBeDefined();
    expect(lines.some((line) => line.includes('It needs no approval.'))).toBe(command.shape === 'action');
    expect(page.offers?.[0]).toMatchObject({ label: command.button, args: path.split(' ') });
    for (const { args } of page.offers ?? []) expect(parse(join(args), catalogue)).toBeDefined();
    const { blocks } = drawPage(page, undefined);
    expect(blockComplaints(blocks, 'message')).toEqual([]);
    expect(JSON.stringify(blocks)).not.toMatch(/more characters|Next page/);
  });

  test('says who approves, as far as that does not depend on the target, and where it does', async () => {
    const approval = async (of: Somewhere, may?: (path: string) => boolean) => {
      const page = await asked('push', may, of);
      return [linesOf(page).at(-1), offered(page)];
    };
    const somewhere = 'You may run it on 3 of the 5 environments you can see.';
    expect(await approval('none')).toEqual([`${somewhere} It needs no approval.`, ['push…']]);
    const leads = { who: say`somebody else in **leads**`, expires: 3_600_000, reason: 'required' } as const;
    expect(await approval(leads)).toEqual([
      `${somewhere} It needs approval by somebody else in leads, within 1h. It needs a reason.`,
      ['push…', 'can push…'],
    ]);
    const ticket = { ...leads, reason: [{ match: '[A-Z]+' }, { match: '`<!here>' }] };
    expect((await approval(ticket))[0]).toContain('within 1h. It needs a reason with a match of [A-Z]+ and `<!here>.');
    const depends = `${somewhere} Whether it needs approval, and whose, depends on the target.`;
    expect(await approval('depends on the target')).toEqual([depends, ['push…', 'can push…']]);
    expect(await approval('depends on the target', (path) => path !== 'can')).toEqual([depends, ['push…']]);
  });

  test.each<[string, string, readonly string[]]>([
    ['the only one that begins so', 'cache', ['cache clear…']],
    ['one that others continue', 'logs', ['logs…', 'help logs reveal']],
    ['several that begin so', 'dns', ['help dns list', 'help dns set']],
  ])('by its first word: %s', async (_, words, offers) => {
    expect(offered(await asked(words))).toEqual(offers);
  });

  test('that nobody overwrites what is live by the first example', async () => {
    expect(linesOf(await asked('push'))[1]).not.toContain('--database');
  });
});

describe('help about something that is not a command', () => {
  test('unknown: what it means, what to do, and where to read more', async () => {
    const page = await asked('unknown');
    expect(textOf(page)).toContain('It happened or It did not happen');
    expect(textOf(page)).toContain('/site unlock site/environment --force');
    expect(offered(page)).toEqual(['help change', 'help changes', 'help unlock']);
    expect(offered(await asked('Outcome UNKNOWN'))).toContain('help unlock');
  });

  test.each(['break-glass', 'emergency', 'Break glass', 'force', 'skip approval', 'hotfix'])(
    '%s: what --break-glass is, which the help of a command names to whom a rule lets use it',
    async (words) => {
      expect(textOf(await asked(words))).toMatch(/--break-glass --reason "…" after a command skips its approval/);
      const named = (person: string, path: string): boolean =>
        commandsFor(
          policyOf(`{ allow: [push], to: [developers], approval: { by: [leads] }, breakGlass: true }`),
          member(person, person),
        )
          .filter((one) => one.path === path)
          .some(({ words: all }) => all.some(([option]) => option === '--break-glass'));
      expect([named('U01ANA', 'push'), named('U02BEN', 'push'), named('U01ANA', 'clone')]).toEqual([
        true,
        false,
        false,
      ]);
    },
  );

  test('every state is explained, without help on commands that the person may not run', async () => {
    const every: Readonly<Record<State, true>> = {
      waiting: true,
      approved: true,
      sending: true,
      accepted: true,
      done: true,
      failed: true,
      rejected: true,
      unknown: true,
      happened: true,
      did_not_happen: true,
      declined: true,
      cancelled: true,
      expired: true,
      invalidated: true,
      superseded: true,
      running: true,
      stopped: true,
      ended: true,
    };
    expect(Object.keys(states).sort()).toEqual(Object.keys(every).sort());
    for (const state of Object.keys(every)) {
      const page = await asked(stateLabel(state), (path) => path === 'change');
      expect(textOf(page)).toContain(`${stateLabel(state)} · not a command, but a state of a change`);
      expect(offered(page)).toEqual(['help change']);
    }
  });

  test('plain words suggest a command that the person may run, and nothing is run', () => {
    const refused = (words: string, may?: (path: string) => boolean) => refusalOf(() => asked(words, may));
    const refusal = refused('cahce clear');
    expect(refusalText(refusal)).toBe(
      "There's no command cahce clear that you can run. Nothing was done. Did you mean /site cache clear?",
    );
    expect(offered(refusal)).toEqual(['help cache clear', 'help all']);
    expect(refusalText(refused('cahce clear', (path) => path === 'help'))).not.toContain('/site');
    expect(offered(refused('xyzzy'))).toEqual(['help all']);
    expect(offered(refused('set'))).toEqual(['help allowlist set', 'help dns set', 'help all']);
  });
});
