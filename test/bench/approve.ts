import { testUser, type ChangeThread } from '../stories/people.ts';
import { median, quantile, type Figure, type Scale } from './figures.ts';
import { startBare, startPackage, type Program } from './program.ts';
import { openStage, type Stage } from './stage.ts';

/** No time to stop a change, so that only our own work is measured. */
const policy = `
version: 1
live: ['*/live']
groups: { developers: [U01ANA], leads: [U03CHI] }
rules:
  - { allow: [read, routine], to: [developers, leads] }
  - { allow: [sensitive], to: [developers], approval: { by: [leads], count: 1, expires: 1h } }
channels: { ops: C0OPS }
`;
const [ana, chi] = ['U01ANA', 'U03CHI'];
const patienceMs = 20_000;

/** What a program did between a click and the first byte of its write at the hosting API. */
type Sent = { readonly ms: number; readonly slackReads: number; readonly hostReads: number };

/**
 * From the click on *Approve* to the first byte of the write at the hosting API. The bare app makes as many calls to
 * Slack and the host as Sitehand, one after the other, and decides nothing. Then the calls of one routine change.
 */
export async function measureApprove({ quick }: Scale): Promise<readonly Figure[]> {
  const stage = await openStage(policy, { durations: { 'cache:clear': 0 }, notKnownFor: 0 });
  const { environment } = stage;
  const sitehand = await startPackage(environment);
  const bare = await startBare(environment);
  try {
    // First, while no other messages are under way.
    const called = await calls(stage, sitehand);
    return [...(await clicks(stage, sitehand, bare, quick ? 1 : 12)), ...called];
  } finally {
    await Promise.all([sitehand.stop(), bare.stop()]);
    await stage.close();
  }
}

async function clicks(stage: Stage, sitehand: Program, bare: Program, rounds: number): Promise<readonly Figure[]> {
  const ours: Sent[] = [];
  const theirs: Sent[] = [];
  for (let round = -1; round < rounds; round += 1) {
    stage.slack.deliverTo(`${sitehand.url}/slack/events`);
    const change = await testUser(stage.slack, ana).asks(
      `/site allowlist set acme-shop/staging 198.51.100.${round + 2}`,
    );
    const sent = await clicked(stage, change, 'Approve');
    await change.shows('confirmed');
    stage.slack.deliverTo(`${bare.url}/slack/events`);
    const told = await clicked(stage, await buttonOf(stage, sent), 'Press');
    if (round < 0) continue;
    ours.push(sent);
    theirs.push(told);
  }
  const ms = (of: readonly Sent[]): readonly number[] => of.map((one) => one.ms);
  const more = (what: string, at: number, limit: number): Figure => ({
    what: `click on Approve to the first byte at the host, ${what}: more than the bare app`,
    measured: quantile(ms(ours), at) - quantile(ms(theirs), at),
    unit: 'ms',
    limit,
    raw: {
      sitehand: ms(ours),
      bare: ms(theirs),
      'reads of Slack on the way': median(ours.map((one) => one.slackReads)),
      'reads of the host on the way': median(ours.map((one) => one.hostReads)),
    },
  });
  return [more('p50', 0.5, 10), more('p99', 0.99, 50)];
}

/** Clicks, and waits for the write. */
async function clicked(
  { slack, hosting }: Stage,
  message: Pick<ChangeThread, 'channel' | 'ts'>,
  label: string,
): Promise<Sent> {
  const before = hosting.journal.entries().at(-1)?.seq ?? 0;
  const called = Date.now();
  const began = performance.now();
  const written = hosting.until(
    () => hosting.journal.entries().find(({ seq, method }) => seq > before && method !== 'GET') && performance.now(),
    patienceMs,
  );
  const click = slack.click(chi, message, { label });
  const ms = (await written) - began;
  const until = Date.now();
  await click;
  const reads = slack.calls().filter(({ at, method }) => at >= called && at <= until && /info|list/.test(method));
  return {
    ms,
    slackReads: reads.length,
    hostReads: hosting.journal.entries().filter(({ seq, method }) => seq > before && method === 'GET').length,
  };
}

/** A button of the bare app that makes as many calls as Sitehand did. */
async function buttonOf(
  { slack }: Stage,
  { slackReads, hostReads }: Sent,
): Promise<Pick<ChangeThread, 'channel' | 'ts'>> {
  const known = new Set(slack.messages({ channel: 'C0ACME', as: ana }).map(({ ts }) => ts));
  await slack.command(ana, 'C0ACME', `/site button ${slackReads} ${hostReads}`);
  return slack.until(() => slack.messages({ channel: 'C0ACME', as: ana }).find(({ ts }) => !known.has(ts)), patienceMs);
}

/** How many calls one routine change costs. */
async function calls({ slack, hosting }: Stage, sitehand: Program): Promise<readonly Figure[]> {
  slack.deliverTo(`${sitehand.url}/slack/events`);
  const [calledBefore, before] = [slack.calls().length, hosting.journal.entries().at(-1)?.seq ?? 0];
  const change = await testUser(slack, ana).asks('/site cache clear acme-shop/staging');
  await change.shows('Done after');
  await change.tells('Done after');
  const made = slack.calls().slice(calledBefore);
  const of = (method: string): number => made.filter((call) => call.method === method).length;
  const writes = hosting.journal.entries().filter(({ seq, method }) => seq > before && method !== 'GET').length;
  const reads = hosting.journal.entries().filter(({ seq, method }) => seq > before && method === 'GET').length;
  const count = (what: string, measured: number, limit: number | undefined): Figure => ({
    what: `calls of a routine change: ${what}`,
    measured,
    unit: 'calls',
    limit,
    raw: { measured },
  });
  return [
    count('writes to the host', writes, 1),
    count('reads of the host', reads, undefined),
    count('posts in Slack', of('chat.postMessage'), 3),
    count('edits in Slack', of('chat.update'), 3),
  ];
}
