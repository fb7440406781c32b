import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { inScenario, locksOf, stateOf, type Scenario } from './scenario.ts';

/** Changes that are to be sent at a time: asked for and approved now, checked and sent then, or ended and told. */

const minute = 60_000;
const hour = 60 * minute;
const inUtc = (at: number): string => new Date(at).toISOString().slice(0, 16);

test('promise 1: what has a time is sent once, in its window, or ended and told; nothing is locked before, and everything is checked then', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'sitehand-clock-'));
  const file = join(folder, 'off');
  writeFileSync(file, '0');
  const from = Date.now();
  /** As it is typed. */
  const after = (ms: number): string => `--at=${inUtc(from + ms)}Z`;
  const policy = `version: 1
live: ['*/live']
groups:
  developers: [U01ANA, U02BEN, U05FAY]
  leads: [U03CHI]
sets: { blogs: ["acme-blog/*"] }
rules:
  - { allow: [read], to: everyone }
  - { allow: [routine], to: [developers] }
  - { allow: [push], to: [developers], approval: { by: [leads], expires: 10m } }
  - { allow: [lock], to: [leads] }
freezes:
  - { name: launch, where: ["acme-docs/live"], from: ${inUtc(from - hour).replace('T', ' ')}, to: ${inUtc(from + 2 * hour).replace('T', ' ')}, zone: UTC }
`;
  const environment = { NODE_OPTIONS: `--import ./test/prove/jumping-clock.ts?file=${encodeURIComponent(file)}` };
  const hosting = { durations: { 'environments:push': 0 } };
  try {
    let states: readonly unknown[] = [];
    const options = { ownProcess: 'all', policy, environment, hosting } as const;
    await inScenario(options, async (scenario) => void (states = await story(scenario, after, file)))();
    expect(states).toEqual(['done', 'done', 'done', 'done', 'expired', 'cancelled', 'cancelled', 'cancelled']);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

async function story(scenario: Scenario, after: (ms: number) => string, file: string): Promise<readonly unknown[]> {
  const [ana, ben, fay, chi] = [
    scenario.person('ana'),
    scenario.person('ben'),
    scenario.person('fay'),
    scenario.person('chi'),
  ];
  const pushed = await ana.requests(`/site push acme-shop/staging acme-shop/live --files ${after(3 * hour)}`);
  await pushed.shows(/When {2}.*\(\d\d:\d\d in \w+\/\w+\), by/);
  await chi.clicks(pushed.card(), 'Approve');
  await pushed.tells(/^Approved by @Chi\. It is to be sent from .* on, after I have checked everything again\./);
  const [clears, forgotten, late] = [
    await ben.asks(`/site cache clear acme-shop/staging ${after(3 * hour)}`),
    await fay.asks(`/site cache clear acme-blog/staging ${after(3 * hour)}`),
    await ben.asks(`/site cache clear acme-blog/staging ${after(hour)}`),
  ];
  await (
    await ben.says(`/site cache clear acme-docs/live ${after(hour)}`)
  ).hears(/acme-docs\/live will be in a freeze then/);
  const thawed = await ben.asks(`/site cache clear acme-docs/live ${after(3 * hour)}`);
  await clears.tells(/^No approval is needed\. It is to be sent from /);
  const stopped = await ana.requests(`/site push acme-blog/staging acme-blog/live --files ${after(3 * hour)}`);
  await chi.clicks(stopped.card(), 'Approve');
  await stopped.tells(/^Approved by @Chi/);
  await fay.clicks(await stopped.shows(/\[Stop\]/), 'Stop');
  await stopped.tells(/Stopped by @Fay\. Nothing was sent/);
  expect([pushed, clears, late].map((one) => locksOf(scenario, one))).toEqual([[], [], []]);
  await fay.opens(`/site cache clear set:blogs ${after(3 * hour)}`, /Clear the cache of 2 environments[^]*When: /);
  const batch = await fay.confirms();
  const listed = await (await ana.says('/site changes --scheduled')).hears(/Changes to be sent later · 6 changes/);
  // What is to be sent next comes first.
  const inOrder = [late, batch, thawed, forgotten, clears, pushed].map(({ number }) => `#${number} [^]* to be sent `);
  expect(listed.text).toMatch(new RegExp(inOrder.join('[^]*')));
  const blog = await (await ana.says('/site changes acme-blog/staging --scheduled')).hears('3 changes');
  expect(blog.text).toMatch(new RegExp(`#${late.number} [^]*#${batch.number} `));
  await fay.clicks(forgotten.card(), 'Cancel');
  await fay.clicks(await forgotten.tells(/Cancelled by @Fay\. Nothing was sent/), 'Ask again');
  const again = await scenario.change(batch.number + 1);
  const [then, now] = scenario.rows(
    'select scheduled_at, expires_at from changes where number in (?, ?)',
    forgotten.number,
    again.number,
  );
  expect(now).toEqual(then);
  // Who may not is offered no way to hand on what has a time; and it is no request that waits in a queue.
  const handed = await (
    await chi.says(`/site cache clear acme-shop/staging ${after(3 * hour)}`)
  ).hears('You may not run');
  expect(handed.controls).toEqual([]);
  await (await chi.says(`/site cache clear acme-shop/staging --hand-on ${after(3 * hour)}`)).hears('You may not run');
  await (await chi.says('/site lock north-bakery/live a release')).hears('is locked by you');
  const clear = '/site cache clear north-bakery/live';
  const place = await (await ben.says(`${clear} --queue`)).hears('number 1');
  const apart = await ben.asks(`${clear} ${after(3 * hour)}`);
  await apart.tells(/^No approval is needed/);
  const own = await (await ben.says('/site changes --scheduled')).hears(`[Cancel #${apart.number}]`);
  expect(own.text).not.toContain(`[Cancel #${pushed.number}]`);
  await (await ana.says(`/site change ${apart.number}`)).hears(/^(?!.*\[(Cancel|Stop) #)/s);
  await ben.clicks(
    await (await ben.says(`/site change ${apart.number}`)).hears('[Cancel #'),
    `Cancel #${apart.number}`,
  );
  await apart.tells(/Cancelled by @Ben/);
  // It has no place in a queue, and takes none from its person.
  await (await ben.clicks(place, 'Leave the queue')).hears("You've left the queue");
  await (
    await ben.says(`/site cache clear acme-shop/staging --queue ${after(3 * hour)}`)
  ).hears("--queue and --at don't go together");
  await scenario.slack.home(ben.id);
  await scenario.slack.until(
    () => (scenario.slack.views(ben.id).home?.text.match(/ · to be sent /g)?.length ?? 0) > 4 || undefined,
  );
  // Nobody sends it earlier, not even a worker that is told it is due.
  scenario.makeDue(clears.number);
  expect(scenario.writes()).toEqual([]);

  await scenario.stop();
  writeFileSync(file, String(3 * hour + minute));
  await scenario.start();
  await pushed.tells(/^✅/);
  await clears.tells(/^✅/);
  await thawed.tells(/^✅/);
  await batch.tells(/^✅/);
  await again.tells(/^✅/);
  const missed = await late.tells(/⛔ Nothing was sent\. It was not sent in time\./);
  await (await fay.clicks(missed, 'Ask again')).hears(/is over: type another time/);
  expect(scenario.writes()).toHaveLength(6);
  return [pushed, clears, thawed, batch, late, forgotten, stopped, apart].map((one) => stateOf(scenario, one));
}
