import { describe, expect, test } from 'vitest';
import { help } from '../../../src/commands/builtin/help.ts';
import { stateLabel, states } from '../../../src/commands/builtin/states.ts';
import type { QueryService } from '../../../src/commands/kit/builtin.ts';
import type { Page } from '../../../src/commands/kit/page.ts';
import { catalogue } from '../../../src/commands/index.ts';
import { usage } from '../../../src/pipeline/language/usage.ts';
import type { State } from '../../../src/storage/schema.ts';
import { plain } from '../../../src/text.ts';
import { refusalOf, refusalText } from '../../pipeline/fixtures.ts';

const nobody = (): never => {
  throw new Error('help asks for commands alone');
};
/** A query service that only knows which commands a person may run. */
const queryService = (may: (path: string) => boolean = () => true): QueryService => ({
  person: { id: 'U01ANA', name: 'Ana', groups: [], zone: 'UTC' },
  now: 0,
  commands: () =>
    [...catalogue].map(([path, command]) => ({
      path,
      summary: command.summary,
      usage: usage(path, command),
      example: command.shape === 'builtin' ? undefined : `${path} ${command.examples[0]}`,
      mayRun: may(path),
      unknown: [],
    })),
  names: nobody,
  change: nobody,
  changes: nobody,
  timers: nobody,
  timer: nobody,
  status: nobody,
  briefStatus: nobody,
  mayRunOn: nobody,
  recent: nobody,
  can: nobody,
  trail: nobody,
  verify: nobody,
  exportTrail: nobody,
  timeLine: nobody,
  exportTimeLine: nobody,
  standing: nobody,
  lock: nobody,
  unlock: nobody,
  forceUnlock: nobody,
  queue: nobody,
  leaveQueue: nobody,
  pause: nobody,
  resume: nobody,
  health: nobody,
  buildInfo: nobody,
  bound: nobody,
  use: nobody,
  forget: nobody,
  watch: nobody,
  watches: nobody,
  stopWatch: nobody,
  digest: nobody,
});

const asked = async (command: string, may?: (path: string) => boolean): Promise<Page> => {
  const answer = await help.answer({ input: { command }, queryService: queryService(may) });
  if ('instead' in answer) throw new Error('help runs nothing');
  return answer;
};
const textOf = ({ title, parts }: Page): string =>
  [plain(title), ...parts.map((part) => (part.kind === 'text' ? plain(part.text) : ''))].join('\n');
const offered = ({ offers = [] }: Pick<Page, 'offers'>): readonly string[] => offers.map(({ args }) => args.join(' '));

describe('help without a topic', () => {
  const page = async (may?: (path: string) => boolean): Promise<Page> => {
    const answer = await help.answer({ input: { command: undefined }, queryService: queryService(may) });
    if ('instead' in answer) throw new Error('help runs nothing');
    return answer;
  };
  const listed = ({ parts }: Page): readonly string[] =>
    parts.flatMap((part) =>
      part.kind === 'list' ? part.entries.map((entry) => plain(entry).split('  ')[0] ?? '') : [],
    );

  test('begins with the eight most used commands, and lists all others by noun', async () => {
    const whole = await page();
    expect(listed(whole)).toHaveLength(8);
    expect(listed(whole)[0]).toBe('status');
    expect(textOf(whole)).toContain('redirects  list · add · edit · remove · clear');
    const nouns = [...catalogue.keys()]
      .filter((path) => !listed(whole).includes(path))
      .map((path) => path.split(' ')[0]);
    for (const noun of nouns) expect(textOf(whole)).toMatch(new RegExp(`(^|· )${noun}( |$)`, 'm'));
  });

  test('lists only commands that the person may run', async () => {
    const little = await page((path) => ['logs', 'redirects list'].includes(path));
    expect(listed(little)).toEqual(['logs']);
    expect(textOf(little).trim().split('\n').slice(1).filter(Boolean)).toEqual(['redirects list']);
    expect((await page((path) => path === 'logs')).parts).toHaveLength(1);
    expect(listed(await page((path) => path === 'redirects list'))).toEqual([]);
  });

  test('about a command: its usage, what it does and an example', async () => {
    const about = textOf(await asked('cache clear'));
    expect(about).toContain('For example: cache clear acme-shop/live');
  });
});

describe('help about something that is not a command', () => {
  test('unknown: what it means, what to do, and where to read more', async () => {
    const page = await asked('unknown');
    expect(textOf(page)).toContain('It happened or It did not happen');
    expect(textOf(page)).toContain('unlock with --force');
    expect(offered(page)).toEqual(['help change', 'help changes', 'help unlock']);
    expect(offered(await asked('Outcome UNKNOWN'))).toContain('help unlock');
  });

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
    const refused = (words: string, may?: (path: string) => boolean) =>
      refusalOf(() => help.answer({ input: { command: words }, queryService: queryService(may) }));
    const refusal = refused('cahce clear');
    expect(refusalText(refusal)).toBe(
      "I can't find cahce clear among the commands you can run. Nothing was done. Did you mean cache clear?",
    );
    expect(offered(refusal)).toEqual(['help cache clear', 'help']);
    expect(refusalText(refused('cahce clear', (path) => path === 'help'))).not.toContain('cache clear');
    expect(offered(refused('xyzzy'))).toEqual(['help']);
  });
});
