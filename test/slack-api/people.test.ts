import { WebClient } from '@slack/web-api';
import { afterEach, describe, expect, test } from 'vitest';
import { SEED, TEAM } from '../../src/playground/slack/seed.ts';
import { startSlack } from '../../src/playground/slack/server.ts';
import type { SlackStandIn } from '../../src/playground/slack/stand-in.ts';
import { clientOptions } from '../../src/slack-api/calls.ts';
import { createPeople, type People } from '../../src/slack-api/people.ts';

/** People and user groups, read from the Slack stand-in with a clock that only the test moves. */

const open: SlackStandIn[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((slack) => slack.close()));
});

type Scene = {
  readonly slack: SlackStandIn;
  readonly people: People;
  readonly pass: (ms: number) => void;
  /** How many requests about this user group, or about all, reached Slack. */
  readonly asked: (group?: string) => number;
  /** What was reported about each group, in order. */
  readonly reported: readonly (readonly [group: string, trouble: string | undefined])[];
};

const many = Array.from({ length: 30 }, (_, at) => `S0G${String(at).padStart(2, '0')}`);

/** Ana's other id is `U06ROB`; `S0G00` to `S0G29` are empty groups. */
async function scene(enterprise?: string, replicas = 1): Promise<Scene> {
  let now = 1_000_000;
  const empty = many.map((id) => ({ id, handle: id, name: id, users: [], updated: 1 }));
  const seed = { ...SEED, groups: [...SEED.groups, ...empty] };
  const slack = await startSlack({ seed, rateLimits: true, now: () => now });
  open.push(slack);
  const reported: [string, string | undefined][] = [];
  const people = createPeople({
    client: new WebClient(slack.tokens.bot, clientOptions(slack.apiUrl)),
    bot: { team: TEAM.id, enterprise },
    idsOf: (id) => (['U01ANA', 'U06ROB'].includes(id) ? ['U01ANA', 'U06ROB'] : [id]),
    lookAt: () => Promise.resolve({ kind: 'no scope' }),
    now: () => now,
    replicas: () => replicas,
    onGroup: (group, trouble) => void reported.push([group, trouble]),
    onMissing: () => undefined,
    onToken: () => undefined,
  });
  const asked: Scene['asked'] = (group) =>
    slack
      .calls()
      .filter(({ method, args }) => method === 'usergroups.users.list' && (!group || args['usergroup'] === group))
      .length;
  return { slack, people, pass: (ms) => (now += ms), asked, reported };
}

const membership = ({ groups, joinedGroups, otherGroups }: NonNullable<Awaited<ReturnType<People['personOf']>>>) => ({
  groups,
  joinedGroups,
  otherGroups,
});
const ana = async (
  people: People,
  groups: readonly string[],
  how: 'asked' | 'fresh' | 'recent' | 'personOf' | 'glanceAt' = 'fresh',
) => {
  const person =
    how === 'personOf' || how === 'glanceAt'
      ? await people[how]('U01ANA', groups)
      : await people.whoIs('U01ANA', groups, undefined, how === 'asked' ? undefined : how);
  if (person === undefined) throw new Error('Slack did not say who she is');
  return membership(person);
};

describe('a user group', () => {
  test('somebody is in it, in it with another id, or not in it; a group that was not requested is unknown', async () => {
    const { slack, people } = await scene();
    await slack.changeGroup('S0LEADS', ['U06ROB']);
    expect(await ana(people, ['S0DEVS', 'S0LEADS', 'S0G00'])).toEqual({
      groups: ['S0DEVS'],
      joinedGroups: ['S0LEADS'],
      otherGroups: ['S0G00'],
    });
    expect(await ana(people, [])).toEqual({ groups: [], joinedGroups: [], otherGroups: [] });
  });

  test.each([
    'missing_scope',
    'paid_teams_only',
    'no_such_subteam',
    'subteam_disabled',
    'plan_upgrade_required',
    'method_deprecated',
  ])('cannot be read (%s): it is unknown, the others are known, and the reason is reported', async (error) => {
    const { slack, people, reported, pass } = await scene();
    slack.faults.add({ method: 'usergroups.users.list', usergroup: 'S0LEADS', kind: 'error', error });
    expect(await ana(people, ['S0DEVS', 'S0LEADS'])).toEqual({ groups: ['S0DEVS'], joinedGroups: [], otherGroups: [] });
    expect([await people.membersOf('S0LEADS'), people.groupTrouble('S0LEADS')]).toEqual([undefined, error]);
    expect(reported.toSorted(([one], [other]) => (one < other ? -1 : 1))).toEqual([
      ['S0DEVS', undefined],
      ['S0LEADS', error],
    ]);
    slack.faults.remove();
    pass(15_001);
    expect(await ana(people, ['S0LEADS'])).toMatchObject({ otherGroups: ['S0LEADS'] });
    expect(reported.at(-1)).toEqual(['S0LEADS', undefined]);
  });

  test.each([
    ['answers 503', { kind: 'status', status: 503 }],
    ['cuts the wire', { kind: 'reset' }],
    ['says internal_error', { kind: 'error', error: 'internal_error' }],
  ] as const)('Slack %s: it is unknown for a moment, and nothing is reported', async (_, fault) => {
    const { slack, people, reported, pass, asked } = await scene();
    slack.faults.add({ method: 'usergroups.users.list', ...fault, times: 1 });
    expect(await ana(people, ['S0DEVS'])).toMatchObject({ groups: [], otherGroups: [] });
    expect(await ana(people, ['S0DEVS'])).toMatchObject({ groups: [] });
    expect([asked(), reported]).toEqual([1, []]);
    pass(3_001);
    expect(await ana(people, ['S0DEVS'])).toMatchObject({ groups: ['S0DEVS'] });
  });

  test('Slack asks for a pause: no group is requested before it ends', async () => {
    const { slack, people, pass, asked } = await scene();
    slack.faults.add({ method: 'usergroups.users.list', kind: 'rate_limited', retryAfter: '20', times: 1 });
    await ana(people, ['S0DEVS']);
    expect(await ana(people, ['S0LEADS'])).toEqual({ groups: [], joinedGroups: [], otherGroups: [] });
    pass(19_999);
    await ana(people, ['S0DEVS', 'S0LEADS']);
    expect([asked(), people.groupTrouble('S0LEADS')]).toEqual([1, 'ratelimited']);
    pass(1);
    expect(await ana(people, ['S0DEVS', 'S0LEADS'])).toMatchObject({ groups: ['S0DEVS'], otherGroups: ['S0LEADS'] });
  });
});

describe('the age of an answer', () => {
  test.each([
    ['asked', 0],
    ['fresh', 15_000],
    ['recent', 15_000],
    ['personOf', 60_000],
    ['glanceAt', 600_000],
  ] as const)('%s: at most this many ms from the request: %d', async (how, age) => {
    const { people, pass, asked } = await scene();
    await ana(people, ['S0DEVS'], how);
    pass(age);
    await ana(people, ['S0DEVS'], how);
    expect(asked()).toBe(1);
    pass(1);
    await ana(people, ['S0DEVS'], how);
    expect(asked()).toBe(2);
  });

  test.each([
    ['asked', 0],
    ['fresh', 0],
    ['recent', 15_000],
    ['personOf', 60_000],
    ['glanceAt', 60_000],
  ] as const)('%s: about an account, less than this many ms: %d', async (how, age) => {
    const { slack, people, pass } = await scene();
    const accounts = (): number => slack.calls().filter(({ method }) => method === 'users.info').length;
    await ana(people, [], how);
    pass(Math.max(0, age - 1));
    await ana(people, [], how);
    expect(accounts()).toBe(age === 0 ? 2 : 1);
    pass(1);
    await ana(people, [], how);
    expect(accounts()).toBe(age === 0 ? 3 : 2);
  });

  test('a change of members makes cached and pending answers stale', async () => {
    const { slack, people, asked } = await scene();
    await ana(people, ['S0DEVS']);
    people.groupChanged('S0DEVS');
    await ana(people, ['S0DEVS']);
    expect(asked()).toBe(2);
    slack.faults.add({ method: 'usergroups.users.list', kind: 'delay', delayMs: 200, times: 1 });
    people.groupChanged('S0DEVS');
    const before = ana(people, ['S0DEVS']);
    await slack.changeGroup('S0DEVS', ['U02BEN']);
    people.groupChanged('S0DEVS');
    expect(await ana(people, ['S0DEVS'])).toMatchObject({ groups: [], otherGroups: ['S0DEVS'] });
    await before;
    expect(await ana(people, ['S0DEVS'])).toMatchObject({ otherGroups: ['S0DEVS'] });
    expect(asked()).toBe(4);
  });

  test('a decision joins a pending request, but does not reuse its answer later', async () => {
    const { slack, people, pass, asked } = await scene();
    slack.faults.add({ method: 'usergroups.users.list', kind: 'delay', delayMs: 200, times: 1 });
    const first = ana(people, ['S0DEVS'], 'asked');
    pass(5);
    await Promise.all([first, ana(people, ['S0DEVS'], 'asked')]);
    expect(asked()).toBe(1);
    pass(1);
    await ana(people, ['S0DEVS'], 'asked');
    expect(asked()).toBe(2);
  });

  test('simultaneous callers share one request', async () => {
    const { people, asked } = await scene();
    const ids = ['U01ANA', 'U02BEN', 'U03CHI', 'U04DEE'];
    const all = await Promise.all(
      ids.flatMap((id) => [people.whoIs(id, ['S0DEVS'], undefined, 'fresh'), people.personOf(id, ['S0DEVS'])]),
    );
    expect(all.filter((one) => one?.groups.includes('S0DEVS'))).toHaveLength(4);
    expect(asked()).toBe(1);
  });
});

describe('the rate of requests to Slack', () => {
  test('never exceeds Slack’s limit per minute, and reads leave enough for decisions', async () => {
    const { people, pass, asked, slack } = await scene();
    await ana(people, many, 'glanceAt');
    expect(asked()).toBe(9);
    await ana(people, many, 'personOf');
    expect(asked()).toBe(13);
    expect(await ana(people, many)).toEqual({ groups: [], joinedGroups: [], otherGroups: many.slice(0, 18) });
    expect(people.groupTrouble('S0G29')).toBe('asked too often');
    // The minute begins with the first request.
    for (const _ of Array.from({ length: 8 })) {
      pass(15_001);
      await ana(people, many);
    }
    expect(slack.calls().filter(({ result }) => result === 'ratelimited')).toEqual([]);
    expect(slack.problems()).toEqual([]);
  });

  test('by each of three replicas a third as often', async () => {
    const { people, asked } = await scene(undefined, 3);
    await ana(people, many, 'glanceAt');
    expect(asked()).toBe(3);
    await ana(people, many, 'personOf');
    expect(asked()).toBe(4);
    await ana(people, many);
    expect(asked()).toBe(6);
  });

  test('four approvals within a minute, of a change that depends on three groups, are all checked', async () => {
    const { people, pass, asked } = await scene();
    for (const approver of ['U01ANA', 'U02BEN', 'U03CHI', 'U04DEE']) {
      const [requester, voter] = await Promise.all([
        people.whoIs('U05FAY', ['S0DEVS', 'S0LEADS', 'S0G00'], undefined, 'fresh'),
        people.whoIs(approver, ['S0DEVS', 'S0LEADS', 'S0G00'], undefined, 'fresh'),
      ]);
      for (const one of [requester, voter]) {
        expect([...(one?.groups ?? []), ...(one?.otherGroups ?? [])].toSorted()).toEqual([
          'S0DEVS',
          'S0G00',
          'S0LEADS',
        ]);
      }
      pass(14_000);
    }
    expect(asked()).toBeLessThanOrEqual(18);
  });
});

describe('somebody of an Enterprise Grid', () => {
  const grid = (teams: readonly string[]) => ({
    id: 'W1',
    enterprise_id: 'E0OTHER',
    enterprise_name: 'Other',
    is_admin: false,
    is_owner: false,
    teams,
  });

  test.each<[string, object, string | undefined, string]>([
    ['of ours', {}, TEAM.id, 'member'],
    ['of ours, although Slack does not say so', {}, undefined, 'member'],
    ['of another company', { team_id: 'T0OTHER', enterprise_user: grid(['T0OTHER']) }, undefined, 'stranger'],
    [
      'of another company, who says to be of ours',
      { team_id: 'T0OTHER', enterprise_user: grid(['T0OTHER']) },
      TEAM.id,
      'stranger',
    ],
    [
      'of another company, in no workspace of it',
      { team_id: 'E0OTHER', enterprise_user: grid([]) },
      undefined,
      'stranger',
    ],
    [
      'of our Grid, from another workspace',
      { team_id: 'T0OTHER', enterprise_user: grid(['T0OTHER']) },
      undefined,
      'stranger',
    ],
    [
      'of our Grid and in our workspace',
      { team_id: 'T0OTHER', enterprise_user: grid(['T0OTHER', TEAM.id]) },
      undefined,
      'member',
    ],
    [
      'of our Grid and in our workspace, as a guest',
      { team_id: 'E0OURS', is_restricted: true, enterprise_user: grid([TEAM.id]) },
      undefined,
      'guest',
    ],
    ['of ours, whom a delivery calls another’s', {}, 'T0OTHER', 'stranger'],
    ['of ours, whom a delivery calls another Grid’s', {}, 'E0OTHER', 'stranger'],
  ])('%s: %o, delivered as %s: a %s', async (_, change, from, standing) => {
    const { slack, people } = await scene();
    slack.changePerson('U01ANA', change);
    expect(await people.personOf('U01ANA', [], from)).toMatchObject({ standing });
  });

  test('a delivery that names another Grid is from there, whatever team it names', async () => {
    const [grid, alone] = [(await scene('E0OURS')).people, (await scene()).people];
    const named = { team: TEAM.id, enterprise: 'E0OURS' };
    expect([grid.originOf(named), alone.originOf(named)]).toEqual([TEAM.id, 'E0OURS']);
    expect(grid.originOf({ team: undefined, enterprise: undefined })).toBeUndefined();
    for (const { originOf } of [grid, alone]) {
      expect(originOf({ team: TEAM.id, enterprise: '' })).toBe(TEAM.id);
      expect(originOf({ team: '', enterprise: '' })).toBeUndefined();
    }
    expect(grid.originOf({ team: TEAM.id, enterprise: 'E0OTHER' })).toBe('E0OTHER');
  });

  test('without a team in Slack’s answer is a stranger', async () => {
    const { slack, people } = await scene();
    slack.changePerson('U01ANA', { team_id: '' });
    expect(await people.personOf('U01ANA', [])).toMatchObject({ standing: 'stranger' });
  });
});
