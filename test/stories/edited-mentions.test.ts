import { expect, test } from 'vitest';
import { ids, inScenario } from './scenario.ts';

const bot = '<@U0SITEHAND>';
const clear = 'cache clear acme-shop/staging';

test(
  'a message that mentioned the bot is edited, again and again: nothing runs again, and its author is told why',
  inScenario({}, async (scenario) => {
    const { slack } = scenario;
    const ana = scenario.person('ana');
    const { ts } = await slack.mention(ids.ana, 'C0ACME', clear);
    const change = await scenario.change(1);
    await change.tells('the host reports it finished');
    for (const words of [`${clear} --reason "typo"`, 'cache clear acme-blog/staging']) {
      const said = await ana.edits('C0ACME', ts, `${bot} ${words}`);
      await said.hears("I don't run edited messages. Nothing was done. Send it as a new message.");
    }
    expect(scenario.rows('select number from changes')).toHaveLength(1);
    expect(scenario.writes()).toHaveLength(1);
  }),
);

test(
  'a message is edited that mentions the bot only now, or its mention was never delivered: nothing runs either',
  inScenario({}, async (scenario) => {
    const ana = scenario.person('ana');
    const { ts } = await scenario.slack.say(ids.ana, 'C0ACME', clear);
    scenario.slack.delivery.duplicates = 3;
    const said = await ana.edits('C0ACME', ts, `${bot} ${clear}`);
    await said.hears("I don't run edited messages. Nothing was done. Send it as a new message.");
    // Reports do not run either: the report of the first version may be posted already.
    const read = await ana.edits('C0ACME', ts, `${bot} whoami`);
    await read.hears("I don't run edited messages");
    expect([...said.answers(), ...read.answers()].filter(({ text }) => text.includes(ids.ana))).toEqual([]);
    expect(scenario.rows('select number from changes')).toEqual([]);
    expect(scenario.writes()).toEqual([]);
  }),
);

test(
  'a message that mentions the bot twice is read like one that mentions it once',
  inScenario({}, async (scenario) => {
    const said = await scenario.person('ana').mentions(`${bot} whoami`);
    expect((await said.hears('The policy knows you as')).text).toContain(ids.ana);
  }),
);

test(
  'Slack delivers the same mention once more, under another event id: it is the same mention',
  inScenario({}, async (scenario) => {
    const { slack } = scenario;
    const first = await slack.mention(ids.ana, 'C0ACME', clear);
    const change = await scenario.change(1);
    await change.tells('the host reports it finished');
    // The previous mention again, with another event id.
    scenario.runSql("update inbox set key = replace(key, 'Ev', 'Ex') where kind = 'mention'");
    await slack.redeliver(first.envelope ?? '');
    const after = await scenario.person('ana').asks('/site cache clear acme-blog/staging', 'C0GENERAL');
    await after.tells('the host reports it finished');
    expect(scenario.rows('select number from changes')).toHaveLength(2);
  }),
);

test(
  'a report is also answered once, however often it is delivered',
  inScenario({}, async (scenario) => {
    const ana = scenario.person('ana');
    const first = await ana.mentions('backups list acme-shop/live');
    await first.hears('acme-shop/live · backups');
    for (let again = 0; again < 3; again += 1)
      expect((await scenario.slack.redeliver(first.outcome.envelope ?? '')).acked).toBe(true);
    await (await ana.mentions('backups list acme-blog/live')).hears('acme-blog/live · backups');
    expect(first.answers().filter(({ text }) => text.includes('acme-shop/live · backups'))).toHaveLength(1);
  }),
);
