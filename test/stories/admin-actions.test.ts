import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text as streamText } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { canaries, openScenario, patienceMs, type Scenario } from './scenario.ts';

/** Ana and Ben are developers, Chi and Dee are leads. Rob may only read the shop. */
const policy = `
version: 1
live: ['*/live']
groups:
  developers: [U01ANA, U02BEN]
  leads: [U03CHI, U04DEE]
  readers: [U06ROB]
sets: { care-plan: ['acme-*/staging', 'acme-shop/live'] }
rules:
  - allow: [read]
    to: [developers, leads]
  - allow: [read]
    to: [readers]
    where: ['acme-shop/*']
  - allow: [routine, sensitive]
    to: [developers]
    where: ['*/staging']
  - allow: [routine]
    to: [developers]
    where: ['acme-blog/live']
    approval: { by: [leads], count: 1, expires: 1h }
  - allow: [lock, unlock]
    to: [developers]
    where: ['*/staging']
  - allow: [lock, unlock, audit, pause, resume]
    to: [leads]
channels:
  C0ACME: { sites: ['acme-*'] }
  ops: C0OPS
`;

let scenario: Scenario;
beforeAll(async () => {
  scenario = await openScenario({ policy });
});
afterAll(() => scenario.close());

const inOps = (words: RegExp): Promise<{ readonly text: string }> =>
  scenario.slack.until(
    () => scenario.slack.messages({ channel: 'C0OPS', as: 'U03CHI' }).find(({ text }) => words.test(text)),
    patienceMs,
  );
const events = (): readonly unknown[] =>
  scenario.rows("select event from audit where event <> 'policy' order by seq").map(({ event }) => event);
const clear = '/site cache clear acme-docs/staging';

test('an admin action without the right is refused and leaves no line in the trail', async () => {
  const ana = scenario.person('ana');
  const tries = [
    ['/site lock acme-shop/live deploying', 'You may not run lock on acme-shop/live'],
    ['/site unlock acme-shop/live', 'You may not run unlock on acme-shop/live'],
    ['/site pause because', 'You may not run pause'],
    ['/site resume', 'You may not run resume'],
    ['/site audit', 'You may not use audit'],
    ['/site audit export csv', 'You may not use audit export'],
  ] as const;
  for (const [line, refused] of tries) {
    const said = await ana.says(line);
    expect((await said.hears(refused)).text).toMatch(/Nothing was done\./);
  }
  const rob = await scenario.person('rob').says('/site lock acme-blog/live why not');
  await rob.hears('You may not use lock. Nothing was done.');
  expect(events()).toEqual([]);
  expect(scenario.rows('select * from locks')).toEqual([]);
});

test('a lock holds a change and names its owner; locking again extends it; the change is sent after unlock', async () => {
  const [ana, ben] = [scenario.person('ana'), scenario.person('ben')];
  const locked = await ben.says('/site lock acme-docs/staging release 42 --for 2h');
  const told = await locked.hears('acme-docs/staging is locked by you');
  expect(told.ephemeral).toBe(true);
  await inOps(/@Ben locked acme-docs\/staging.*“release 42”/);
  await ana.reads(/^@Ben locked acme-docs\/staging until .*: “release 42”\. Changes to it are refused\.$/, 'C0ACME');
  const refused = await ana.says(clear);
  await refused.hears(/acme-docs\/staging is locked by @Ben until .*Nothing was sent\./);
  const taken = await scenario.person('chi').says('/site lock acme-docs/staging mine now');
  await taken.hears(
    /^acme-docs\/staging is locked by @Ben until .*“release 42”.*for .*\. So I didn't lock it\. Nothing was done\./,
  );
  const again = await ben.says('/site lock acme-docs/staging a longer release');
  await again.hears(/is locked by you until it is unlocked[^]*a longer release/);
  expect(scenario.writes('acme-docs/staging')).toEqual([]);

  await ben.clicks(await again.hears('Unlock'), 'Unlock');
  await inOps(/acme-docs\/staging was unlocked by @Ben/);
  await ana.reads('acme-docs/staging was unlocked by @Ben', 'C0ACME');
  const change = await ana.asks(clear);
  await change.tells('the host reports it finished');
  const free = await ben.says('/site unlock acme-docs/staging');
  await free.hears('acme-docs/staging is not locked. Nothing was done.');
});

test('whoever is relieved of a lock by somebody else reads so directly, once; nobody is told of their own', async () => {
  const [ben, chi] = [scenario.person('ben'), scenario.person('chi')];
  await (await ben.says('/site lock acme-shop/staging release <!here> 43')).hears('acme-shop/staging is locked by you');
  await (await chi.says('/site unlock acme-shop/staging')).hears('acme-shop/staging is unlocked');
  const told = await ben.reads(
    '🔓 @Chi removed your lock of acme-shop/staging (“release <!here> 43”). It no longer keeps changes out.',
  );
  expect(told.notification).not.toContain('<!here>');
  await (await chi.says('/site lock acme-shop/staging mine')).hears('acme-shop/staging is locked by you');
  await (await chi.says('/site unlock acme-shop/staging')).hears('acme-shop/staging is unlocked');
  const direct = scenario.rows("select recipient from messages where kind = 'direct' and key like 'unlocked:%'");
  expect(direct).toEqual([{ recipient: ben.id }]);
});

test('a set is locked in one go where that is allowed and free; the rest is named, everybody is told once, and all is freed together', async () => {
  const [ana, ben, chi] = [scenario.person('ana'), scenario.person('ben'), scenario.person('chi')];
  await (await chi.says('/site lock acme-docs/staging mine')).hears('acme-docs/staging is locked by you');
  const before = events().length;
  // The bot reuses a list of the last seconds.
  scenario.advanceTime(5_000);
  const away = scenario.hosting.faults.add({ kind: 'status', status: 503, path: '/sites', times: 'always' });
  await (
    await chi.says('/site lock nowhere/live mine')
  ).hears("I can't tell whether there is an environment nowhere/live");
  const broken = await ben.says('/site lock set:care-plan the checkout is broken --for 2h');
  const told = await broken.hears(/^2 of 4 environments are locked by you until /);
  expect(told.text).toContain('⚠️ acme-docs/staging is locked by @Chi (“mine”), and has been for ');
  scenario.hosting.faults.remove(away.id);
  expect(told.text).toContain('⚠️ There may be more, which I left as they are: The host');
  expect(told.text).toContain('🚫 acme-shop/live: you may not do that there.');
  expect(told.text).toMatch(/✅ acme-blog\/staging\n.*✅ acme-shop\/staging/);
  const says =
    /^@Ben locked 2 environments until .*: “the checkout is broken”\. Changes to them are refused\. 1 more of them could not be locked\.\nacme-blog\/staging, acme-shop\/staging$/;
  await inOps(says);
  await ana.reads(says, 'C0ACME');
  expect(events().slice(before)).toEqual(['lock', 'lock']);
  const refused = await ana.says('/site cache clear acme-blog/staging');
  await refused.hears(/acme-blog\/staging is locked by @Ben until .*“the checkout is broken”.*Nothing was sent\./);

  const none = await chi.says('/site lock acme-blog/staging, acme-shop/staging mine now');
  await none.hears(
    /^I locked none of them\.\nacme-blog\/staging is locked by @Ben .*\nacme-shop\/staging is .* Nothing was done\./,
  );
  await (
    await ben.clicks(told, 'Unlock')
  ).hears(/^2 environments are unlocked\n[^]*acme-blog\/staging: that was the lock of @Ben/);
  const nothing = await ben.says('/site unlock acme-blog/staging, acme-shop/staging');
  await nothing.hears(/^I unlocked none of them\.\nacme-blog\/staging was not locked\.\n.* Nothing was done\./);

  const form = await ben.opens('/site lock acme-*/staging except acme-docs/staging', 'Reason');
  expect(form.controls.find(({ label }) => label === 'Environment')).toMatchObject({
    value: 'acme-*/staging except acme-docs/staging',
  });
  await ben.submits({ Reason: 'from the form' });
  await inOps(/@Ben locked 2 environments until they are unlocked: “from the form”/);
  const force = await chi.says('/site unlock set:care-plan --force');
  await force.hears(/^You may not run unlock --force on .* Nothing was done\./);
  const all = await (await chi.says('/site unlock set:care-plan')).hears('3 of 4 environments are unlocked');
  expect(all.text).toContain('⚠️ acme-shop/live was not locked.');
  await inOps(/3 environments were unlocked by @Chi: 2 locks of @Ben \(“from the form”\), their own lock \(“mine”\)\./);
  await ben.reads('🔓 @Chi removed your locks of 2 environments (“from the form”). They no longer keep changes out.');
  expect(scenario.rows('select * from locks')).toEqual([]);
});

test('a pause holds what is not sent; changes that are still valid are sent after resume', async () => {
  const chi = scenario.person('chi');
  const paused = await chi.says('/site pause the host is odd');
  await paused.hears('Sending is paused: I send nothing from now on, anywhere, until somebody resumes');
  await inOps(/@Chi paused all sending: “the host is odd”/);
  const before = scenario.writes().length;
  const change = await scenario.person('ana').asks('/site cache clear acme-blog/staging');
  const twice = await scenario.person('dee').says('/site pause me too');
  await twice.hears(/Sending is already paused, by @Chi since .*Nothing was changed\./);
  await change.shows('👍');
  expect(scenario.writes()).toHaveLength(before);
  const resumed = await scenario.person('dee').says('/site resume');
  await resumed.hears('Sending is on again');
  await change.tells('the host reports it finished');
  expect(scenario.writes()).toHaveLength(before + 1);
  const nothing = await chi.says('/site resume');
  await nothing.hears("Sending isn't paused. Nothing was done.");
});

test('two people who resume at once end one pause; the other one is ended by whoever saw it', async () => {
  const [chi, dee] = [scenario.person('chi'), scenario.person('dee')];
  const of = { by: chi.id, name: 'Chi', why: 'night', at: Date.now() - 60_000 };
  const own = { by: 'sitehand', name: 'Sitehand', why: 'It was promoted.', at: Date.now(), earlier: of };
  scenario.runSql("insert into kv (key, value, at) values ('pause', ?, 1)", JSON.stringify(own));
  const both = await Promise.all([chi.says('/site resume'), dee.says('/site resume')]);
  const told = await Promise.all(both.map((said) => said.hears('Sending is still paused')));
  expect(told.filter(({ text }) => /I ended the pause that (?:@Chi|you) started/.test(text))).toHaveLength(1);
  expect(told.filter(({ text }) => text.includes('I ended nothing.'))).toHaveLength(1);
  for (const { text } of told)
    expect(text).toMatch(/There is still the pause that Sitehand started .*“It was promoted\.”/);
  await inOps(/ended the pause of @Chi\. Sending stays paused, because I paused it too/);
  const [, shown] = told;
  if (shown) await (await dee.clicks(shown, 'Resume')).hears('Sending is on again');
  expect(scenario.rows("select * from kv where key = 'pause'")).toEqual([]);
});

test('a lock requested by form is taken once', async () => {
  const chi = scenario.person('chi');
  await chi.says('/site lock acme-shop/staging');
  await chi.form('Keep changes away');
  await chi.submits({ Reason: 'maintenance' });
  await inOps(/@Chi locked acme-shop\/staging until it is unlocked: “maintenance”/);
  expect(scenario.rows("select * from audit where event = 'lock' and details like '%maintenance%'")).toHaveLength(1);
  await (await chi.says('/site unlock acme-shop/staging')).hears('acme-shop/staging is unlocked');
});

test('an admin action that is delivered five times is done, recorded and announced once', async () => {
  const dee = scenario.person('dee');
  scenario.slack.delivery.duplicates = 5;
  await (await dee.says('/site lock acme-blog/staging five times')).hears('acme-blog/staging is locked by you');
  await (await dee.mentions('unlock acme-blog/staging')).hears('acme-blog/staging is unlocked');
  scenario.slack.delivery.duplicates = 1;
  // The two messages are posted independently, in either order.
  await inOps(/@Dee locked acme-blog\/staging/);
  await inOps(/acme-blog\/staging was unlocked by @Dee/);
  const seen = scenario.rows(
    "select event from audit where actor = 'U04DEE' and details like '%five times%' order by seq",
  );
  expect(seen).toEqual([{ event: 'lock' }, { event: 'unlock' }]);
  const ops = scenario.slack.messages({ channel: 'C0OPS', as: 'U03CHI' });
  expect(
    ops.filter(({ text }) => /@Dee locked acme-blog\/staging|acme-blog\/staging was unlocked by @Dee/.test(text)),
  ).toHaveLength(2);
});

test('changes are listed for people who may read them', async () => {
  const all = await (await scenario.person('ben').says('/site changes')).hears('Changes · 2 changes');
  expect(all.text).toContain('acme-docs/staging');
  expect(all.text).toContain('acme-blog/staging');
  const one = await (
    await scenario.person('ben').says('/site changes acme-docs/staging')
  ).hears('Changes of acme-docs/staging');
  expect(one.text).not.toContain('acme-blog');
  const mine = await scenario.person('ben').says('/site changes --mine');
  await mine.hears('Your changes · 0 changes');
  const rob = await scenario.person('rob').says('/site changes');
  await rob.hears('There are none yet that you can see.');
  const waiting = await scenario.person('ana').says('/site changes --waiting');
  await waiting.hears('Changes waiting for approval');
});

test('the trail shows names, rules and policy changes, and only to people who may audit', async () => {
  const chi = scenario.person('chi');
  const read = await (await chi.says('/site audit acme-docs/staging')).hears('Audit trail of acme-docs/staging');
  expect(read.text).toMatch(
    /Ben U02BEN \| locked it \(“release 42”\) \| .*acme-docs\/staging \| rule in line \d+ · policy [\da-f]{8}/,
  );
  expect(read.text).toMatch(
    /Ana U01ANA \| asked for it \| #\d+ cache clear acme-docs\/staging \| rule in line \d+ · policy [\da-f]{8} · fingerprint [\da-f]{8}/,
  );
  expect(read.text).toContain('host: accepted 202');
  expect(read.text).not.toContain('acme-blog');
  const hers = await (await chi.says('/site audit --by <@U02BEN|ben> --since 1h')).hears('Audit trail by @Ben since');
  expect(hers.text).not.toContain('Ana');
});

test('an export goes to the requester alone, is safe for spreadsheets, and is itself in the trail', async () => {
  const [ben, chi] = [scenario.person('ben'), scenario.person('chi')];
  await (await ben.says('/site lock acme-docs/staging "=HYPERLINK(1), \\"quoted\\""')).hears('is locked by you');
  await (await ben.says('/site unlock acme-docs/staging')).hears('is unlocked');
  const said = await chi.says('/site audit export csv --since 1h');
  await said.hears('Audit trail as a file');
  const fileOf = (): { name: string; text: string; channels: readonly string[] } | undefined =>
    scenario.slack.files(chi.id)[0];
  const file = await scenario.slack.until(fileOf, patienceMs);
  expect(file.name).toMatch(/^audit-trail-\d{4}-\d\d-\d\d\.csv$/);
  expect(file.channels).toEqual([chi.direct]);
  expect(scenario.slack.files('U02BEN')).toEqual([]);
  expect(file.text).toMatch(/^"line","at","actor","name","caller","event","what","change","target","reason",/);
  expect(file.text).toContain(`,"'=HYPERLINK(1), ""quoted""",`);
  const [taken] = scenario.rows("select actor, details from audit where event = 'audit_export'");
  expect(taken).toMatchObject({ actor: chi.id });
  expect(String(taken?.['details'])).toContain('"format":"csv"');
});

test('can names the rule and the approvers, and runs nothing', async () => {
  const before = scenario.writes().length;
  const ana = scenario.person('ana');
  const mine = await ana.says('/site can cache clear acme-docs/staging');
  const may = await mine.hears('You may run cache clear on acme-docs/staging');
  expect(may.text).toMatch(
    /It needs no approval\.[^]*Allowed by line \d+ of the policy: allow routine, sensitive to developers where \*\/staging/,
  );
  const live = await ana.says('/site can cache clear acme-shop/live --reason "release 42"');
  const not = await live.hears('You may not run cache clear on acme-shop/live');
  expect(not.text).toMatch(/No rule allows anybody to run it there\.[^]*name cache clear or its class, routine/);
  const asked = await ana.says('/site can <@U02BEN|ben> cache clear acme-blog/live');
  const ben = await asked.hears('@Ben may run cache clear on acme-blog/live');
  expect(ben.text).toMatch(/It needs approval by @Chi or @Dee \(leads: 2 people who could\), within 1h\./);
  const rob = await (
    await ana.says('/site can <@U06ROB> logs acme-blog/live')
  ).hears('may not run logs on acme-blog/live');
  expect(rob.text).toContain('acme-blog/live is hidden from Rob');
  const guest = await (await ana.says('/site can <@U07GUS> pause')).hears('@Gus may not run pause');
  expect(guest.text).toContain('Guests of this workspace may not use Sitehand.');
  const mistyped = await ana.says('/site can cahce clear acme-docs/staging');
  await mistyped.hears('You may run cache clear on acme-docs/staging');
  expect(scenario.writes()).toHaveLength(before);
});

/** Runs the audit program beside the bot, to its end. */
async function cli(...words: readonly string[]): Promise<{ code: number | null; out: string; said: string }> {
  const env = { DATABASE_URL: scenario.databaseUrl, AUDIT_KEY: canaries.audit };
  const child = spawn(process.execPath, ['--import', './src/node-version.js', 'src/sitehand.ts', 'audit', ...words], {
    env,
  });
  const [out, said] = await Promise.all([streamText(child.stdout), streamText(child.stderr), once(child, 'close')]);
  return { code: child.exitCode, out, said };
}

test('an operator reads the trail on the machine while the bot runs, without Slack', async () => {
  const [verified, csv, jsonl, wrong] = [
    await cli('verify'),
    await cli('export', 'csv'),
    await cli('export', 'jsonl', '--since', '1h'),
    await cli('export', 'xml'),
  ];
  expect(verified).toMatchObject({ code: 0, said: '' });
  expect(verified.out).toMatch(/^All \d+ lines of the audit trail are unaltered since .*\.\n/);
  expect(csv).toMatchObject({ code: 0, said: '' });
  const lines = scenario.rows('select seq from audit').length;
  expect(csv.out.split('\r\n')).toHaveLength(lines + 2);
  expect(jsonl.out.trimEnd().split('\n')).toHaveLength(lines);
  expect(JSON.parse(jsonl.out.split('\n')[0] ?? '')).toMatchObject({ line: 1, actor: 'sitehand' });
  expect(wrong).toMatchObject({ code: 2, out: '' });
  expect(wrong.said).toContain('Format has to be one of csv, jsonl, not “xml”.');
  expect((await cli()).said).toContain('Use verify, confirm, export csv or export jsonl');
});

test('promise 7: the trail is verified; an altered line is found, also by the next check of the head', async () => {
  const chi = scenario.person('chi');
  const whole = await chi.says('/site audit verify');
  const fine = await whole.hears(/All \d+ lines of the audit trail are unaltered since/);
  expect(fine.text).toContain('The chain is keyed');
  scenario.runSql('drop trigger audit_no_update');
  scenario.runSql("update audit set actor = 'U09EVE' where seq = 2");
  const altered = await chi.says('/site audit verify');
  await altered.hears('The audit trail was altered: line 2 is wrong. It was altered.');
  const outside = await cli('verify');
  expect(outside.code).toBe(1);
  expect(outside.out).toContain('line 2 is wrong');

  // The bot compares the published head with the trail at its start, and every hour.
  const told = JSON.stringify({ seq: 2, hash: 'f00d'.repeat(16) });
  scenario.runSql("update kv set value = ? where key = 'published_head'", told);
  await scenario.stop();
  await scenario.start();
  await inOps(/The audit trail was altered: line 2 is wrong\. .*sitehand audit confirm/);
  expect(scenario.log()).toContain('the audit trail was altered');
  await scenario.stop();
  expect((await cli('confirm')).out).toContain('You have confirmed it as it stands.');
  await scenario.start();
  await inOps(/confirmed the audit trail as it stands, although: “⚠️ The audit trail was altered: line 2/);
  const after = await chi.says('/site audit verify');
  await after.hears(/The audit trail is unaltered from line \d+ on\./);
});
