import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { Environment } from '../../src/playground/hosting/resources.ts';
import type { VisibleMessage } from '../../src/playground/slack/shapes.ts';
import { expectSoon } from './people.ts';
import { makeDatabase, noPostgres, postgresRuns } from '../postgres.ts';
import { ids, inScenario, openScenario, patienceMs, reloadPolicy, type Scenario } from './scenario.ts';

const [second, minute, hour] = [1_000, 60_000, 3_600_000];

/** Whether Ana and Ben may watch is a matter of Slack's user group. */
const policy = `
version: 1
live: ['*/live']
groups:
  devs: [S0DEVS]
  readers: [U01ANA, U02BEN, U06ROB]
rules:
  - { allow: [read], to: [readers] }
  - { allow: [watch], to: [devs] }
channels:
  C0ACME: { sites: ['acme-*'] }
`;

/** A line of php-fpm, so long ago. */
const entry = (agoMs: number, message: string): string => {
  const at = new Date(Date.now() - agoMs);
  const [, day, month, year, time] = /^\w+, (\d+) (\w+) (\d+) ([\d:]+)/.exec(at.toUTCString()) ?? [];
  return `[${day}-${month}-${year} ${time} UTC] ${message}`;
};
const fatal = (agoMs: number, what: string): string =>
  entry(agoMs, `PHP Fatal error:  Uncaught Error: ${what} in /www/public/a/b.php:3`);
/** Shows that the log goes back more than 24 hours. */
const old = fatal(30 * hour, 'something else');

/** A watch that was started an hour ago, and what its host and its channel hold. */
type Watched = {
  readonly number: number;
  /** Replaces the log. */
  readonly logs: (...lines: readonly string[]) => void;
  readonly fails: () => void;
  /** Makes it due, and resolves when that look is over. */
  readonly looks: () => Promise<void>;
  readonly said: () => readonly string[];
  /** What it told about kinds of errors. */
  readonly told: () => readonly string[];
  readonly says: (words: RegExp) => Promise<VisibleMessage>;
  readonly column: (name: string) => unknown;
};

const logsPath = ({ id }: Environment): string => `/sites/environments/${id}/logs`;

/** The log of an environment, as the stand-in answers from now on. */
function logOf({ hosting }: Scenario, name: string) {
  const env = hosting.world.environmentNamed(name);
  if (env === undefined) throw new Error(`no ${name}`);
  const path = logsPath(env);
  let fault: number | undefined;
  const answers = (with_: { status: number; body?: unknown }): void => {
    if (fault !== undefined) hosting.faults.remove(fault);
    fault = hosting.faults.add({ kind: 'status', method: 'GET', path, times: 'always', ...with_ }).id;
  };
  return {
    logs: (...lines: readonly string[]) =>
      answers({
        status: 200,
        body: { environment: { container_info: { logs: lines.map((line) => `${line}\n`).join('') } } },
      }),
    fails: () => answers({ status: 500 }),
  };
}

async function watched(
  scenario: Scenario,
  {
    who = 'ana',
    name = 'acme-shop/live',
    channel = 'C0ACME',
    options = '',
  }: { who?: keyof typeof ids; name?: string; channel?: string; options?: string } = {},
): Promise<Watched> {
  const log = logOf(scenario, name);
  const answer = await scenario.person(who).says(`/site watch ${name} error ${options}`, channel);
  const { text } = await answer.hears(new RegExp(`Watch #\\d+ of ${name} is on`));
  const number = Number(/#(\d+)/.exec(text)?.[1]);
  const column = (of: string): unknown =>
    scenario.rows(`select ${of} as it from waiting where id = ?`, number)[0]?.['it'];
  const began = Date.now() - hour;
  scenario.runSql(
    "update waiting set created_at = ?, data = json_set(data, '$.read_to', ?) where id = ?",
    began,
    began,
    number,
  );
  const heard = (): readonly VisibleMessage[] =>
    scenario.slack.messages({ channel, as: ids.ana }).filter((one) => !one.ephemeral);
  const context = (): unknown => [
    heard().map((one) => one.text),
    scenario.rows('select * from waiting where id = ?', number),
  ];
  return {
    number,
    ...log,
    column,
    looks: async () => {
      // As if a minute had passed: only so many looks begin in one.
      scenario.runSql('update waiting set tried_at = null');
      scenario.runSql('update waiting set due_at = 1 where id = ? and ended_at is null', number);
      await vi.waitFor(() => expect([column('due_at'), column('owner')]).not.toEqual([1, null]), waiting);
      await vi.waitFor(() => expect(column('owner')).toBeNull(), waiting);
    },
    said: () => heard().map((one) => one.text),
    told: () =>
      heard().flatMap(({ text }) => (text.includes(`Watch #${number} of`) && text.includes('• ') ? [text] : [])),
    says: (words) => expectSoon(scenario.slack, `${words}`, () => heard().find((one) => words.test(one.text)), context),
  };
}
const waiting = { timeout: patienceMs, interval: 50 };

let scenario: Scenario;
beforeAll(async () => {
  scenario = await openScenario({ policy });
});
afterAll(() => scenario.close());

/** Four hours around this moment by Lisbon's clock, by which Ana lives. */
function quietNow(): string {
  const clock = (at: number): string =>
    new Intl.DateTimeFormat('en-GB', { timeZone: 'Europe/Lisbon', hour: '2-digit', minute: '2-digit' }).format(at);
  const now = Date.now();
  return `${clock(now - 2 * hour)}-${clock(now + 2 * hour)}`;
}

describe.concurrent('a watch', () => {
  test('tells a new kind once, with its count and first line, and is silent about known ones', async () => {
    const watch = await watched(scenario);
    await watch.says(/Ana watches the error log of acme-shop\/live here/);
    watch.logs(
      old,
      fatal(20 * hour, 'known'),
      fatal(5 * minute, 'known'),
      fatal(4 * minute, 'order 7 lost'),
      fatal(3 * minute, 'order 8 lost'),
    );
    await watch.looks();
    const told = await watch.says(/1 new kind of errors in acme-shop\/live, not seen in the 24 hours before/);
    expect(told.text).toContain('2×');
    expect(told.text).toContain('order 7 lost');
    expect(told.text).not.toContain('known in');
    watch.logs(
      old,
      fatal(4 * minute, 'order 7 lost'),
      fatal(30 * second, 'order 9 lost'),
      entry(20 * second, 'PHP Warning:  quiet in /www/a/b.php'),
    );
    await watch.looks();
    watch.logs(old, fatal(4 * minute, 'order 7 lost'), fatal(10 * second, 'entirely other'));
    await watch.looks();
    expect((await watch.says(/entirely other/)).text).not.toContain('no time zone');
    watch.logs(old, fatal(5 * second, 'zoneless').replace(' UTC]', ']'));
    await watch.looks();
    expect((await watch.says(/zoneless/)).text).toContain('Times in this log have no time zone, so I read them as UTC');
    expect(watch.said().filter((text) => /new kind/.test(text) && text.includes('#' + watch.number))).toHaveLength(3);
    expect(watch.said().join('\n')).not.toContain('quiet in');
  });

  test('calls a kind new only if the lines that it could read show that', async () => {
    const watch = await watched(scenario, { name: 'acme-blog/live', options: '--match Checkout' });
    watch.logs(
      fatal(3 * hour, 'whatever'),
      fatal(4 * minute, 'checkout is closed'),
      fatal(3 * minute, 'not asked for'),
    );
    await watch.looks();
    const { text } = await watch.says(
      /1 kind of errors in acme-blog\/live, first seen in the lines I could read since/,
    );
    expect(text).toContain("They don't go back 24 hours, so I can't say that it is new.");
    expect(text).toContain('checkout is closed');
    expect(text).not.toContain('not asked for');
    expect(text).toContain('only “Checkout”');
    // Told once within a day, although no read shows that it was there before.
    watch.logs(fatal(2 * minute, 'whatever'), fatal(minute, 'checkout is closed'));
    await watch.looks();
    expect(watch.told()).toHaveLength(1);
  });

  test('says once that the log cannot be read, and once that it can again, with the errors of that time', async () => {
    const watch = await watched(scenario, { who: 'ben', name: 'acme-docs/live', channel: 'C0GENERAL' });
    watch.fails();
    for (const look of [1, 2, 3, 4]) {
      await watch.looks();
      if (look >= 3) await watch.says(/The host answered 500.*doesn't mean that there are no errors/s);
      expect(watch.said().filter((text) => text.includes("I can't read all of"))).toHaveLength(look < 3 ? 0 : 1);
    }
    watch.logs(old, fatal(5 * minute, 'meanwhile'));
    await watch.looks();
    await watch.says(/I can read the error log of acme-docs\/live again/);
    await watch.says(/meanwhile/);
    watch.logs('no time', 'nor here: PHP Fatal error: x');
    for (const _ of [1, 2, 3]) await watch.looks();
    await watch.says(/Its lines have no times/);
  });

  test('says at once that lines were lost between two looks, and nothing more about them once it reads everything again', async () => {
    const watch = await watched(scenario, { who: 'ben', name: 'north-bakery/staging', channel: 'C0OPS' });
    watch.logs(...Array.from({ length: 20_000 }, () => entry(4 * minute, 'flood')));
    await watch.looks();
    const { text } = await watch.says(/I can't read all of the error log of north-bakery\/staging/);
    expect(text).toMatch(/Its newest 20,000 lines only go back to .*What was written before that is lost to me/s);
    watch.logs(old);
    await watch.looks();
    const again = await watch.says(/I can read all of the error log of north-bakery\/staging again/);
    expect(again.text).toMatch(/I missed a part of what was written since /);
    expect(again.text).not.toContain('looked at');
  });

  test('shows hostile lines as text, without credentials, and notifies nobody', async () => {
    const watch = await watched(scenario, { name: 'north-bakery/live', channel: 'G0BAKERY' });
    const hostile =
      '<!channel> <@U02BEN> @here <https://evil.example|click> `*_~ DB_PASSWORD=hunter2-and-more user@example.com 203.0.113.9';
    watch.logs(old, fatal(4 * minute, hostile));
    await watch.looks();
    const { text } = await watch.says(/evil\.example/);
    expect(text).toContain('<!channel>');
    expect(text).not.toMatch(/hunter2|user@example|203\.0\.113\.9/);
    expect(text).not.toContain('@Ana');
    const sent = scenario.slack.calls().filter(({ args }) => JSON.stringify(args).includes('evil.example'));
    expect(sent).not.toHaveLength(0);
    for (const { args } of sent) {
      expect(JSON.stringify(args)).not.toMatch(/"type":"(?:user|usergroup|broadcast|link)"/);
      expect(String(args['text'])).not.toMatch(/<(?!!date)[!@#h]/);
    }
  });

  test('tells five kinds in a message and three messages in an hour, and the rest when the hour is over', async () => {
    const watch = await watched(scenario, { name: 'acme-shop/staging', channel: 'C0GENERAL' });
    const letters = 'abcdefghijkl'.split('');
    watch.logs(old, ...letters.map((letter) => fatal(4 * minute, `kind ${letter.repeat(3)}`)));
    await watch.looks();
    const first = await watch.says(/12 new kinds|And 7 more kinds/);
    expect(first.text.split('• ')).toHaveLength(6);
    for (const what of ['second', 'third', 'fourth', 'fifth']) {
      watch.logs(old, fatal(2 * minute, what));
      await watch.looks();
    }
    await watch.says(/That's 3 messages within an hour, so I'll hold further ones back until/);
    expect(watch.told()).toHaveLength(3);
    expect(watch.said().join('\n')).not.toContain('fourth');
    scenario.runSql(
      `update waiting set data = json_set(data, '$.progress', json_set(data ->> '$.progress', '$.hour.from', 1) || '') where id = ?`,
      watch.number,
    );
    watch.logs(old);
    await watch.looks();
    const rest = await watch.says(/fourth/);
    expect(rest.text).toContain('fifth');
    expect(rest.text).toContain('held back until now');
  });

  test('collects in the quiet hours of its owner, and tells it after', async () => {
    const quiet = quietNow();
    const watch = await watched(scenario, {
      name: 'harbor-events/live',
      channel: 'C0OPS',
      options: `--quiet ${quiet}`,
    });
    await watch.says(/\(Europe\/Lisbon\) I hold messages back, and post them afterwards/);
    watch.logs(old, fatal(4 * minute, 'by night'));
    await watch.looks();
    expect(watch.column('data')).toContain('by night');
    const listed = await scenario.person('ana').says('/site watches', 'C0OPS');
    await listed.hears(/harbor-events\/live.*1 held back/s);
    scenario.runSql("update waiting set data = json_set(data, '$.quiet', null) where id = ?", watch.number);
    watch.logs(old);
    await watch.looks();
    await watch.says(/by night/);
  });

  test('that ends in its quiet hours tells what it held back after them, if it still may', async () => {
    const watch = await watched(scenario, {
      name: 'harbor-events/staging',
      channel: 'D0U01ANA',
      options: `--quiet ${quietNow()}`,
    });
    watch.logs(old, fatal(4 * minute, 'held by night'));
    await watch.looks();
    scenario.runSql('update waiting set expires_at = 2 where id = ?', watch.number);
    await watch.looks();
    expect([watch.column('ended_at'), Number(watch.column('due_at')) > Date.now()]).toEqual([null, true]);
    const waiting = scenario.rows(`select 1 from messages where body like '%held by night%'`);
    expect(waiting).toEqual([]);
    scenario.runSql("update waiting set data = json_set(data, '$.quiet', null) where id = ?", watch.number);
    await watch.looks();
    await watch.says(/held by night.*is over: its time is up/s);
  });

  test('is stopped with a button by whoever may watch there, and by nobody else', async () => {
    const watch = await watched(scenario, { name: 'acme-blog/staging' });
    const begun = await watch.says(/Ana watches the error log of acme-blog\/staging here/);
    await (await scenario.person('rob').clicks(begun, 'Stop')).hears(/Only Ana, and people who may watch/);
    await (
      await scenario.person('rob').says('/site watch acme-blog/staging error')
    ).hears(/You may not (?:use|run) watch/);
    const stopped = await scenario.person('ben').clicks(begun, 'Stop');
    await stopped.hears(new RegExp(`Watch #${watch.number} of acme-blog/staging is over`));
    await watch.says(/was stopped by Ben/);
    await (await scenario.person('ana').says(`/site watch stop ${watch.number}`)).hears(/I can't find a watch/);
    const events = scenario.rows(
      `select event from audit where event like 'watch%' and json_extract(details, '$.watch') = ? order by seq`,
      watch.number,
    );
    expect(events.map(({ event }) => event)).toEqual(['watch_start', 'watch_stop']);
  });

  test('ends in time, and says so', async () => {
    const watch = await watched(scenario, { name: 'acme-docs/staging', options: '--for 2h' });
    scenario.runSql('update waiting set expires_at = 2 where id = ?', watch.number);
    await watch.looks();
    await watch.says(/of acme-docs\/staging is over: its time is up\. I read the log up to .+\. \/site watch acme/);
    expect(watch.column('ended_at')).not.toBeNull();
  });

  test.each([
    ['C0RANDOM', /doesn't have me as a member, so I can't tell it anything.*\/invite/s],
    ['C0SHARED', /is shared with another organisation/],
    ['C0ACME', /This channel is for other sites/, 'north-bakery/staging'],
  ])('is not started in %s', async (channel, words, name = 'acme-shop/live') => {
    const said = await scenario.person('ana').says(`/site watch ${name} error`, channel);
    expect((await said.hears(words)).text).toMatch(words);
  });

  test.each([
    ['--quiet 9-17', /Quiet hours are like 22:00-07:00/],
    ['--for 90d', /For: type from 5m to 30d/],
    ['--match "password=correct-horse-9"', /looks like a credential/],
  ])('is not started with %s', async (option, words) => {
    const said = await scenario.person('ana').says(`/site watch acme-shop/live error ${option}`, 'D0U01ANA');
    expect((await said.hears(words)).text).toMatch(words);
  });
});

describe('a watch whose permissions change', () => {
  test(
    'ends when its owner may no longer watch, reads nothing more, and says so',
    inScenario({ policy }, async (own) => {
      const watch = await watched(own, {});
      watch.logs(old, fatal(4 * minute, 'secret news'));
      await reloadPolicy(own, policy.replace('allow: [watch]', 'allow: [use]'));
      await vi.waitFor(async () => {
        await watch.looks();
        expect(watch.column('ended_at')).not.toBeNull();
      }, waiting);
      await watch.says(/has ended: Ana is no longer allowed to watch it/);
      expect(watch.said().join('\n')).not.toContain('secret news');
    }),
  );

  test(
    'tells only its owner when its channel may not see the site any more',
    inScenario({ policy }, async (own) => {
      const watch = await watched(own, {});
      watch.logs(old);
      await own.writePolicy(policy.replace("['acme-*']", "['other']"));
      await vi.waitFor(async () => {
        await watch.looks();
        expect(watch.column('ended_at')).not.toBeNull();
      }, waiting);
      const direct = () =>
        own.slack.messages({ channel: 'D0U01ANA', as: ids.ana }).find(({ text }) => text.includes('has ended'));
      expect((await own.slack.until(direct, patienceMs)).text).toMatch(/acme-shop\/live can't be discussed in/);
      expect(watch.said().join('\n')).not.toContain('has ended');
    }),
  );

  test.each<[string, (own: Scenario, number: number) => Promise<unknown>, string, RegExp]>([
    [
      'its owner may no longer watch it, either',
      async () => undefined,
      policy.replace('allow: [watch]', 'allow: [use]'),
      /Watch #1 of acme-shop\/live has ended: Ana is no longer allowed to watch it/,
    ],
    [
      'its owner may no longer see it, either, and is not told what it was about',
      async () => undefined,
      policy.replace('[U01ANA, U02BEN, U06ROB]', '[U02BEN, U06ROB]'),
      /^Watch #1 has ended\. You may no longer see what it was about\.$/,
    ],
    [
      'somebody stops it',
      async (own, number) => own.person('ben').says(`/site watch stop ${number}`),
      policy,
      /Watch #1 of acme-shop\/live was stopped by Ben/,
    ],
  ])('does not name it in a channel that is for other sites now, where %s', async (_, acts, rules, words) => {
    await inScenario({ policy }, async (own) => {
      const watch = await watched(own, {});
      watch.logs(old);
      await watch.says(/watches the error log of/);
      await reloadPolicy(own, rules.replace("['acme-*']", "['other']"));
      const before = watch.said().length;
      await acts(own, watch.number);
      await watch.looks();
      await own.person('ana').reads(words);
      expect(watch.said().slice(before)).toEqual([]);
    })();
  });

  test(
    'pauses while Slack does not say who is in its group, says so once, and goes on where it was',
    inScenario({ policy }, async (own) => {
      const watch = await watched(own, {});
      watch.fails();
      for (const _ of [1, 2, 3]) await watch.looks();
      await watch.says(/I can't read all of the error log/);
      watch.logs(old, fatal(4 * minute, 'in between'));
      own.slack.disableGroup('S0DEVS');
      own.advanceTime(2 * minute);
      for (const _ of [1, 2, 3]) await watch.looks();
      await watch.says(/is paused: I can't tell whether Ana may still read it/);
      expect(watch.said().filter((text) => text.includes('is paused'))).toHaveLength(1);
      expect(watch.said().join('\n')).not.toContain('in between');
      own.slack.disableGroup('S0DEVS', false);
      await own.slack.changeGroup('S0DEVS', ['U01ANA', 'U02BEN']);
      own.advanceTime(2 * minute);
      await watch.looks();
      await watch.says(/goes on: Ana may still read it/);
      await watch.says(/I can read the error log of acme-shop\/live again, and looked at what/);
      await watch.says(/in between/);
    }),
  );

  test(
    'that ends while Slack does not say who is in its group tells what it held back once Slack does',
    inScenario({ policy }, async (own) => {
      const watch = await watched(own, { channel: 'D0U01ANA', options: `--quiet ${quietNow()}` });
      watch.logs(old, fatal(4 * minute, 'held by night'));
      await watch.looks();
      own.slack.disableGroup('S0DEVS');
      own.advanceTime(2 * minute);
      own.runSql(
        "update waiting set data = json_set(data, '$.quiet', null), expires_at = ? where id = ?",
        Date.now(),
        watch.number,
      );
      await watch.looks();
      expect(watch.column('ended_at')).toBeNull();
      expect(watch.said().join()).not.toContain('is over');
      own.slack.disableGroup('S0DEVS', false);
      await own.slack.changeGroup('S0DEVS', ['U01ANA', 'U02BEN']);
      own.advanceTime(2 * minute);
      await watch.looks();
      await watch.says(/held by night.*is over: its time is up/s);
    }),
  );

  test(
    'that is over but still holds something back does not keep anybody from starting it again',
    inScenario({ policy }, async (own) => {
      const watch = await watched(own, { channel: 'D0U01ANA', options: `--quiet ${quietNow()}` });
      watch.logs(old, fatal(4 * minute, 'held by night'));
      await watch.looks();
      own.runSql('update waiting set expires_at = ? where id = ?', Date.now(), watch.number);
      await watch.looks();
      expect(watch.column('ended_at')).toBeNull();
      const again = await own.person('ana').says('/site watch acme-shop/live error', 'D0U01ANA');
      await again.hears(`Watch #${watch.number + 1} of acme-shop/live is on`);
    }),
  );

  test(
    'is not started beyond ten for a person, ten for a channel and a hundred in all',
    inScenario({ policy }, async (own) => {
      const env = own.hosting.world.environmentNamed('acme-shop/live');
      const targets = JSON.stringify([{ ...env, kind: 'environment' }]);
      const data = {
        requester_name: 'Zoe',
        targets,
        match: null,
        quiet: null,
        zone: 'UTC',
        read_to: 1,
        progress: '{}',
      };
      const fill = (many: number, requester: string, channel: string): void =>
        own.runSql(
          `with recursive n(i) as (select 1 union all select i + 1 from n where i < ?)
          insert into waiting (kind, target, requester, created_at, expires_at, due_at, data)
            select 'watch', 'environment:other', ?, 1, 9e15, 9e15, ? from n`,
          many,
          requester,
          JSON.stringify({ ...data, channel }),
        );
      const refused = async (words: RegExp): Promise<void> => {
        const said = await own.person('ana').says('/site watch acme-blog/live error');
        expect((await said.hears(words)).text).toMatch(/and that is the most\. Nothing was done\..*Stop another one/s);
      };
      fill(9, ids.ana, 'C0OTHER');
      fill(60, 'U0ZOE', 'C0OTHER');
      own.runSql(
        `update waiting set kind = 'digest', data = json_set(data, '$.sites', '[]') where requester = 'U0ZOE'`,
      );
      const first = await own.person('ana').says('/site watch acme-shop/live error');
      await first.hears(/is on/);
      // Digests read no log, so they don't make the first look later.
      const began = own.rows(`select due_at - created_at as after from waiting where target <> 'environment:other'`);
      expect(began).toEqual([{ after: 5 * minute }]);
      await refused(/You already have 10 watches/);
      own.runSql('delete from waiting');
      fill(10, 'U0ZOE', 'C0ACME');
      await refused(/There are already 10 watches here/);
      fill(90, 'U0ZOE', 'C0OTHER');
      own.runSql(`update waiting set data = json_set(data, '$.channel', 'C0OTHER')`);
      await refused(/There are already 100 watches in all/);
      expect(own.rows('select count(*) as n from waiting')).toEqual([{ n: 100 }]);
    }),
  );

  test(
    'survives a restart, and tells nothing twice',
    inScenario({ policy }, async (own) => {
      const watch = await watched(own, {});
      watch.logs(old, fatal(4 * minute, 'before'));
      await watch.looks();
      await watch.says(/before/);
      await own.stop();
      await own.start();
      watch.logs(old, fatal(4 * minute, 'before'), fatal(second, 'after'));
      await watch.looks();
      await watch.says(/after in/);
      expect(watch.told().filter((text) => text.includes('before in'))).toHaveLength(1);
    }),
  );
});

describe.skipIf(!postgresRuns)(`watches of two replicas on one PostgreSQL${noPostgres}`, () => {
  test('are polled once, and report once', async () => {
    const url = (await makeDatabase()).href;
    const sql = new Client({ connectionString: url });
    await sql.connect();
    const environment = { DATABASE_URL: url };
    const story = inScenario({ policy, environment, start: false }, async (own) => {
      await Promise.all([own.start(), own.start()]);
      const log = logOf(own, 'acme-shop/live');
      await (await own.person('ana').says('/site watch acme-shop/live error')).hears(/is on/);
      log.logs(old, fatal(minute, 'once'));
      const reads = (): number => own.hosting.journal.entries().filter(({ path }) => path.endsWith('/logs')).length;
      const began = Date.now() - hour;
      for (const look of [1, 2, 3]) {
        await sql.query(
          "update waiting set created_at = $1, data = jsonb_set(data::jsonb, '{read_to}', to_jsonb($1::bigint))::text, tried_at = null, due_at = 1",
          [began],
        );
        const isOver = async () =>
          (await sql.query('select 1 from waiting where due_at > 1 and owner is null')).rowCount;
        await vi.waitFor(async () => expect(await isOver()).toBe(1), waiting);
        expect(reads()).toBe(look);
      }
      const told = () =>
        own.slack.messages({ channel: 'C0ACME', as: ids.ana }).filter(({ text }) => text.includes('once in'));
      await own.slack.until(() => told()[0], patienceMs);
      const { rows } = await sql.query(`select 1 from messages where body like '%once in%'`);
      expect(rows).toHaveLength(1);
    });
    try {
      await story();
    } finally {
      await sql.end();
    }
  });
});
