import { expect, test } from 'vitest';
import { ids, inScenario, type Scenario } from './scenario.ts';
import type { ChangeThread } from './people.ts';

/** An approval that escalates: who is asked when, and whose click counts, as people see it. */

const policy = `
version: 1
live: ['*/live']
groups:
  developers: [U01ANA]
  leads: [U03CHI, U04DEE]
  heads: [U05FAY, U06ROB]
rules:
  - { allow: [read], to: everyone }
  - allow: [push]
    to: [developers]
    approval: { by: [leads], then: { after: 15m, by: [heads] } }
`;
const options = { policy, hosting: { durations: { 'environments:push': 0 } } } as const;
const minuteMs = 60_000;

/** So much time passes for a change. */
const passes = ({ runSql }: Scenario, { number }: ChangeThread, ms: number): void => {
  const times = 'created_at = created_at - ?1, expires_at = expires_at - ?1, due_at = due_at - ?1';
  runSql(`update changes set ${times} where number = ?2`, ms, number);
};
const escalations = (change: ChangeThread): readonly string[] =>
  change.replies().flatMap(({ text }) => (text.startsWith('⏫') ? [text] : []));
/** The posts about a change that notified this person. */
const pingsOn = ({ slack }: Scenario, id: string): number =>
  slack.calls().filter(({ method, args, result }) => {
    const isPost = method === 'chat.postMessage' && result === 'ok';
    return isPost && [id, `D0${id}`].includes(String(args['channel']));
  }).length;

test(
  'promise 3: the leads are silent, so the heads are asked after 15 minutes, once, though the bot was down at that moment; a click of theirs counts from then on',
  inScenario(options, async (scenario) => {
    const [ana, chi, fay, rob] = [
      scenario.person('ana'),
      scenario.person('chi'),
      scenario.person('fay'),
      scenario.person('rob'),
    ];
    const change = await ana.requests('/site push acme-shop/live acme-shop/staging --files');
    await change.tells(/^@Chi or @Dee \(from [-\d]+ \d\d:\d\d UTC also heads\): this is waiting for your approval/);
    await change.shows(/Approve {2}@Chi or @Dee \(from .* also heads\), until/);
    const [row] = scenario.rows('select created_at, due_at from changes where number = ?', change.number);
    expect(Number(row?.['due_at']) - Number(row?.['created_at'])).toBe(15 * minuteMs);
    passes(scenario, change, 14 * minuteMs);
    const early = await fay.clicks(change.card(), 'Approve');
    await early.hears(/You're not among the people who can approve it\. You can from .* on, if it still waits then\./);
    expect(escalations(change)).toEqual([]);
    await scenario.stop();
    passes(scenario, change, minuteMs);
    await scenario.start();
    await change.tells(/^⏫ @Fay or @Rob: this is still waiting, and you can approve it too now, until /);
    const asked = /^⏳ Push [^]*Approve {2}@Chi, @Dee, @Fay or @Rob, until /;
    const [copy] = await Promise.all([fay.reads(asked), rob.reads(asked), chi.reads(asked)]);
    await change.shows(asked);
    scenario.makeDue(change.number);
    await change.tells(/^⏳ @Chi, @Dee, @Fay or @Rob: this is still waiting for your approval/);
    await Promise.all([fay.reads(/this is still waiting for your approval/), chi.reads(/this is still waiting/)]);
    expect(escalations(change)).toHaveLength(1);
    expect([ids.chi, ids.dee, ids.fay, ids.rob].map((id) => pingsOn(scenario, id))).toEqual([2, 2, 2, 2]);
    expect(scenario.rows("select 1 from audit where event = 'asked_anew' and change = ?", change.number)).toHaveLength(
      1,
    );
    await fay.clicks(copy, 'Approve');
    await change.tells('Approved by @Fay. Sending it now.');
    await change.tells(/^Sent\.|^✅ Done after /);
    expect(scenario.writes('acme-shop/staging')).toHaveLength(1);
  }),
);
