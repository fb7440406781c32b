import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { AnyAction } from '../../src/commands/kit/action.ts';
import { HostTrouble } from '../../src/hosting/client.ts';
import type { Authorized, Person } from '../../src/access/access-check.ts';
import { snapshotOf, callOf, pinnedCardOf, fingerprint, pin, type Pinned } from '../../src/change/pin.ts';
import { recheck } from '../../src/change/recheck.ts';
import { canonicalArgs, resolve } from '../../src/language/resolve.ts';
import { reparse } from '../../src/language/reparse.ts';
import type { Policy } from '../../src/policy/rules.ts';
import type { Change } from '../../src/storage/changes.ts';
import { openDatabase, type Database } from '../../src/storage/database.ts';
import { castVote } from '../../src/storage/votes.ts';
import { plain } from '../../src/words/text.ts';
import {
  ana,
  changeOf,
  chi,
  commandAt,
  company,
  dee,
  live,
  member,
  names,
  noCertificate,
  emptyListing,
  policyFrom,
  policyOf,
  staging,
  parsedFor,
  contextWith,
} from '../fixtures.ts';
import type { ChangeContext } from '../../src/change/context.ts';

function actionAt(path: string): AnyAction {
  const command = commandAt(path);
  if (command.shape !== 'action') throw new Error(`${path} is no action`);
  return command;
}
const add = actionAt('allowlist add');
const parsed = parsedFor('allowlist add', { env: [live.name], addresses: ['198.51.100.4'] });
const authorized: Authorized = {
  ...resolve(parsed, names),
  target: live,
  alsoReads: [],
  authorization: { approval: 'none', rules: [7], policy: 'p' },
};
const pinnedFrom = (list: readonly string[]): Pinned => pin(authorized, add, { list, timed: [] }, { now: 1_000 });

describe('a pinned change', () => {
  const pinned = pinnedFrom(['10.0.0.1']);

  test('holds the call, the card and the snapshot as text', () => {
    expect(callOf(pinned)).toEqual(add.call({ input: authorized.input, snapshot: { list: ['10.0.0.1'], timed: [] } }));
    expect(plain(pinnedCardOf(pinned).title)).toBe('Let 198.51.100.4 in over SSH on acme-shop/live');
    expect(pinnedCardOf(pinned).facts.map(([label]) => label)).toEqual(['List before', 'Adds', 'Ends']);
    expect(snapshotOf({ snapshot: JSON.stringify(pinned.snapshot) })).toEqual({ list: ['10.0.0.1'], timed: [] });
    expect(pinnedFrom(['10.0.0.1'])).toMatchObject({
      call: pinned.call,
      card: pinned.card,
      fingerprint: pinned.fingerprint,
    });
  });

  test('promise 5: any changed byte of the call or the card changes the fingerprint', () => {
    const change = fc.tuple(
      fc.constantFrom('call' as const, 'card' as const),
      fc.nat(),
      fc.string({ minLength: 1, maxLength: 1 }),
    );
    fc.assert(
      fc.property(change, ([what, where, byte]) => {
        const at = where % pinned[what].length;
        const text = pinned[what].slice(0, at) + byte + pinned[what].slice(at + 1);
        const other = { ...pinned, [what]: text };
        expect(fingerprint(other.call, other.card) === pinned.fingerprint).toBe(text === pinned[what]);
      }),
      { numRuns: 300 },
    );
    expect(fingerprint('a', 'b\nc')).toBe(fingerprint('a', 'b\nc'));
    expect(pinned.fingerprint).toMatch(/^[0-9a-f]{64}$/);
  });

  test('compares a list in any order as precondition, and has no precondition without a look', () => {
    expect(pinnedFrom(['10.0.0.1', '10.0.0.2']).preconditions).toBe(pinnedFrom(['10.0.0.2', '10.0.0.1']).preconditions);
    expect(pinnedFrom(['10.0.0.1']).preconditions).not.toBe(pinnedFrom(['10.0.0.2']).preconditions);
    expect(pin(authorized, actionAt('cache clear'), undefined, { now: 0 }).preconditions).toBe('null');
  });
});

const storedChange = (pinned = pinnedFrom(['10.0.0.1']), more: Partial<Change> = {}): Change =>
  changeOf({
    command: 'allowlist add',
    risk: 'sensitive',
    args: JSON.stringify(canonicalArgs(pinned)),
    snapshot: JSON.stringify(pinned.snapshot),
    preconditions: pinned.preconditions,
    call: pinned.call,
    card: pinned.card,
    fingerprint: pinned.fingerprint,
    ...more,
  });

describe('a stored change', () => {
  test('is parsed to what was stored', () => {
    expect(reparse(storedChange(), names)?.resolved.input).toEqual(authorized.input);
  });
  test('is parsed also with very many arguments', () => {
    const addresses = Array.from(
      { length: 50 },
      (_, index) => `2001:db8:aaaa:bbbb:cccc:dddd:eeee:${(index + 4096).toString(16)}`,
    );
    const args = JSON.stringify(['allowlist', 'add', live.id, ...addresses]);
    expect(reparse({ args }, names)?.resolved.input['addresses']).toEqual(addresses);
  });
  test.each<[string, readonly string[]]>([
    ['a command that is gone', ['frobnicate', live.id]],
    ['an option that is gone', ['cache', 'clear', live.id, '--soft']],
    ['a target that is gone', ['cache', 'clear', '00000000-0000-4000-8000-00000000dead']],
    ['a value that is not taken any more', ['allowlist', 'add', live.id, '0.0.0.0/0']],
    ['a report', ['logs', live.id]],
    ['nothing', []],
  ])('%s is undefined', (_, args) => {
    expect(reparse({ args: JSON.stringify(args) }, names)).toBeUndefined();
  });
});

describe('promise 4: the checks just before the write', () => {
  const rules = ['{ allow: [read], to: [developers, leads] }', '{ allow: [sensitive], to: [developers] }'];
  const byLeads = (count: number): string =>
    `{ allow: [sensitive], to: [developers], approval: { by: [leads], count: ${count} } }`;
  /** These rules in addition, and a user group whose members are unknown. */
  const policyOfGuides = (...more: readonly string[]): Policy => {
    const texts = [...rules.slice(0, 1), ...more].map((rule) => `  - ${rule}\n`).join('');
    return policyFrom(policyOf(...rules).text.replace(/rules:[^]*/, `  guides: [S0GUIDES]\nrules:\n${texts}`));
  };
  let database: Database;
  beforeAll(async () => {
    database = await openDatabase('sqlite::memory:', { now: () => 1_000 });
    await database.db.insertInto('changes').values(storedChange()).execute();
    await database.transaction((tx) => castVote(tx, { change: 1042, person: chi.id, at: 1 }));
  });
  afterAll(() => database.close());
  const unlisted = { names: () => ({ environments: [staging], domains: [] }) };
  const context = (more: Partial<ChangeContext> & { list?: readonly string[] } = {}): ChangeContext =>
    contextWith({
      database,
      policy: () => policyOf(...rules),
      company: () => company,
      names: () => names,
      whoIs: async (id) => [ana, chi, dee].find((one) => one.id === id),
      freshenNames: async () => 0,
      presenceOf: () => 'listed',
      rulesDiffer: () => false,
      listing: () => emptyListing,
      certificate: noCertificate,
      read: async (call) =>
        call.reply.parse({
          environment: {
            active_container: {
              ssh_ip_allowlist: more.list ?? ['10.0.0.1'],
              sftp_ip_allowlist: more.list ?? ['10.0.0.1'],
            },
          },
        }),
      ...more,
    });
  const wanting = (count: number, more: Partial<Change> = {}): Change =>
    storedChange(undefined, {
      authorization: JSON.stringify({
        approval: { requirements: [{ by: ['leads'], count }], expires: 3_600_000, reason: 'optional' },
        rules: [],
        policy: 'p',
      }),
      ...more,
    });
  const wants = (count: number): Partial<ChangeContext> => ({
    policy: () => policyOf(rules[0] ?? '', byLeads(count)),
  });
  const chiIs = (more: Partial<Person>): Partial<ChangeContext> => ({
    ...wants(1),
    whoIs: async (id) => (id === ana.id ? ana : member(chi.id, chi.name, more)),
  });
  const differ: Partial<ChangeContext> = { rulesDiffer: () => true };
  const is = (standing: Person['standing']): Partial<ChangeContext> => ({ whoIs: async () => ({ ...ana, standing }) });

  test.each<[string, Change, Parameters<typeof context>[0], string, string?]>([
    ['no difference', storedChange(), {}, 'as it was'],
    [
      'the list in another order',
      storedChange(pinnedFrom(['1.1.1.1', '2.2.2.2'])),
      { list: ['2.2.2.2', '1.1.1.1'] },
      'as it was',
    ],
    ['a list that somebody has changed', storedChange(), { list: [] }, 'drifted', 'Somebody changed acme-shop/live'],
    [
      'a call that was tampered with',
      storedChange(undefined, { call: '{}' }),
      {},
      'invalidated',
      'not what was agreed on',
    ],
    [
      'words that were tampered with',
      storedChange(undefined, { card: '{}' }),
      {},
      'invalidated',
      'not what was agreed on',
    ],
    ['Slack does not answer', storedChange(), { whoIs: async () => undefined }, 'later', "Slack doesn't tell me"],
    ['the requester became a guest', storedChange(), is('guest'), 'invalidated', 'Ana is no longer allowed to do this'],
    [
      'the requester was deactivated',
      storedChange(),
      is('deactivated'),
      'invalidated',
      'Ana is no longer allowed to do this',
    ],
    [
      'the rule is gone',
      storedChange(),
      { policy: () => policyOf('{ allow: [read], to: [developers] }') },
      'invalidated',
      'is no longer allowed to do this',
    ],
    ['an approval is asked for now', storedChange(), wants(2), 'invalidated', 'now ask for another approval'],
    [
      'an approval is asked for now, and it waits',
      storedChange(undefined, { state: 'waiting' }),
      wants(2),
      'as it was',
    ],
    ['it has the approval it needs', wanting(1), wants(1), 'as it was'],
    ['it has the approval that is asked for only now', storedChange(), wants(1), 'as it was'],
    ['one more approval is asked for now', wanting(1), wants(2), 'invalidated', 'now ask for another approval'],
    ['no approval is asked for any more, and the one of then is there', wanting(1), {}, 'as it was'],
    [
      'no approval is asked for any more, and one of then is missing',
      wanting(2),
      {},
      'invalidated',
      'Somebody who approved',
    ],
    ['who approved became a guest', wanting(1), chiIs({ standing: 'guest' }), 'invalidated', 'Somebody who approved'],
    [
      'who approved was deactivated',
      wanting(1),
      chiIs({ standing: 'deactivated' }),
      'invalidated',
      'Somebody who approved',
    ],
    [
      'who approved is denied it now',
      wanting(1),
      {
        policy: () =>
          policyOf(rules[0] ?? '', byLeads(1), '{ deny: [sensitive], to: [leads], where: ["acme-shop/live"] }'),
      },
      'invalidated',
      'Somebody who approved',
    ],
    [
      'Slack does not tell of who approved',
      wanting(1),
      { ...wants(1), whoIs: async (id) => (id === ana.id ? ana : undefined) },
      'later',
      "Slack doesn't tell me",
    ],
    [
      'Slack does not tell whether the requester is denied it',
      storedChange(),
      { policy: () => policyOfGuides(rules[1] ?? '', '{ deny: [sensitive], to: [guides] }') },
      'later',
      'who is in the user group S0GUIDES',
    ],
    [
      'Slack does not tell whether who approved is denied it',
      wanting(1),
      {
        policy: () => policyOfGuides(byLeads(1), '{ deny: [sensitive], to: [guides] }'),
        whoIs: async (id) => (id === ana.id ? { ...ana, otherGroups: ['S0GUIDES'] } : chi),
      },
      'later',
      'who is in the user group S0GUIDES',
    ],
    [
      'unknown whether another approval is required now',
      wanting(1),
      { policy: () => policyOfGuides(byLeads(1), byLeads(2).replace('[developers]', '[guides]')) },
      'later',
      'who is in the user group S0GUIDES',
    ],
    [
      'the members of an irrelevant user group are unknown',
      wanting(1),
      { policy: () => policyOfGuides(byLeads(1), '{ deny: [destructive], to: [guides] }') },
      'as it was',
    ],
    [
      'it waits, and the approver is a guest by now',
      wanting(1, { state: 'waiting' }),
      chiIs({ standing: 'guest' }),
      'as it was',
    ],
    ['replicas go by different rules, and it needs no approval', storedChange(), differ, 'as it was'],
    [
      'replicas go by different rules, and it was approved',
      wanting(1),
      { ...chiIs({}), ...differ },
      'later',
      'replicas',
    ],
    [
      'replicas go by different rules, and it waits',
      wanting(1, { state: 'waiting' }),
      { ...chiIs({}), ...differ },
      'later',
      'this waits until the same policy file is everywhere',
    ],
    [
      'replicas go by different rules, and these ask for an approval now',
      storedChange(),
      { ...wants(2), ...differ },
      'later',
      'replicas',
    ],
    ['the target is gone', storedChange(), { ...unlisted, presenceOf: () => 'gone' }, 'invalidated', 'is gone'],
    [
      'the host does not tell whether the target is there',
      storedChange(),
      { ...unlisted, presenceOf: () => 'unknown' },
      'later',
      "The host hasn't given me a complete list of its sites yet. So I can't check that acme-shop/live is still there.",
    ],
    [
      'the newest lists of the host lack the target',
      storedChange(),
      { ...unlisted, presenceOf: () => 'missing' },
      'later',
      "acme-shop/live isn't on the host's newest list",
    ],
    [
      'the target has another name',
      storedChange(),
      { names: () => ({ environments: [{ ...live, name: 'acme-shop/old' }], domains: [] }) },
      'invalidated',
      'is called acme-shop/old now',
    ],
    [
      'a timer has no requester to check',
      storedChange(undefined, {
        authorization: JSON.stringify({ approval: 'none', rules: [], policy: 'p', timerOf: 7 }),
      }),
      { whoIs: async () => undefined },
      'as it was',
    ],
    [
      'the host does not answer',
      storedChange(),
      {
        read: async () =>
          Promise.reject(new HostTrouble({ kind: 'unreachable', says: 'no answer' }, { attempts: 1, elapsedMs: 1 })),
      },
      'host trouble',
    ],
  ])('%s', async (_, change, more, kind, why) => {
    const checked = await recheck(context(more), change);
    expect(checked.kind).toBe(kind);
    if (why !== undefined && 'why' in checked) expect(plain(checked.why)).toContain(why);
  });

  test('an error of our own code is thrown, not taken for an answer', async () => {
    await expect(
      recheck(context({ read: async () => Promise.reject(new TypeError('x')) }), storedChange()),
    ).rejects.toThrow(TypeError);
  });
});
