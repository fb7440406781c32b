import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { VisibleView } from '../../src/playground/slack/shapes.ts';
import { readBack } from '../read-back.ts';
import { inScenario, openScenario, patienceMs, type Scenario, reloadPolicy } from './scenario.ts';
import type { TestUser } from './people.ts';

/** Approvers see what they approve: the whole request is one click away from every copy of a card. */

const policy = `
version: 1
live: ['*/live']
groups:
  developers: [U01ANA, U02BEN]
  leads: [U03CHI, U04DEE]
  readers: [U06ROB]
rules:
  - { allow: [read], to: [developers, leads] }
  - { allow: [read], to: [readers], where: ['lumen-studio/*'] }
  - { allow: [push, redirects clear], to: [developers], approval: { by: [leads], count: 1, expires: 1h } }
  - { allow: ['allowlist set'], to: [developers] }
`;
const everything = 'Everything that will be sent';
const durations = { 'environments:push': 0 } as const;

/** The lines of a view's preformatted text. */
function exactIn(value: unknown): readonly string[] {
  if (typeof value !== 'object' || value === null) return [];
  const isExact = 'type' in value && value.type === 'rich_text_preformatted' && 'elements' in value;
  return isExact ? textIn(value.elements).split('\n') : Object.values(value).flatMap(exactIn);
}
const textIn = (value: unknown): string =>
  typeof value !== 'object' || value === null
    ? ''
    : Object.entries(value)
        .map(([key, one]) => (key === 'text' && typeof one === 'string' ? one : textIn(one)))
        .join('');

/** All pages of the topmost view, from the current one to the last. */
async function allPages(scenario: Scenario, reader: TestUser): Promise<readonly VisibleView[]> {
  const pages = [await reader.form(/Page \d+ of \d+/)];
  for (let page = pages.at(-1); page?.controls.some(({ label }) => label === 'Next'); page = pages.at(-1)) {
    await scenario.slack.click(reader.id, 'modal', { label: 'Next' });
    pages.push(await reader.form(`Page ${pages.length + 1} of `));
  }
  return pages;
}

/** The request body that these lines show. */
function requestIn(lines: readonly string[]): string {
  const request = readBack(lines.slice(lines.findIndex((line) => /^(?:PUT|POST|DELETE) \//.test(line))));
  return request.slice(request.indexOf('{'));
}

/** Redirects of an environment. The eighth leads to a look-alike of our host; its path has a hidden direction mark. */
function redirected(scenario: Scenario, name: string, count: number): void {
  const environment = scenario.hosting.world.environmentNamed(name);
  const [one] = environment?.redirects ?? [];
  if (environment === undefined || one === undefined) throw new Error(`${name} has no redirects`);
  environment.redirects = Array.from({ length: count }, (_, at) => ({
    ...one,
    from: `/old/${at}`,
    to: at === 7 ? 'https://аcme.com/\u202Elive' : `/new/${at}`,
  }));
}

describe('promise 5: a change that is longer than its card', () => {
  let scenario: Scenario;
  beforeAll(async () => {
    scenario = await openScenario({ policy, hosting: { durations } });
    for (const site of ['lumen-studio', 'north-bakery', 'harbor-events']) redirected(scenario, `${site}/live`, 400);
  });
  afterAll(() => scenario.close());

  test('says by how much, before it is approved; the whole request is one click away, and is what the host receives', async () => {
    const [ana, chi] = [scenario.person('ana'), scenario.person('chi')];
    const paths = Array.from({ length: 40 }, (_, at) => `wp-content/uploads/${at}`);
    const line = `/site push acme-blog/live acme-blog/staging --files --only ${paths.join(',')}`;
    const change = await ana.requests(line, 'C0GENERAL');
    const card = change.card();
    expect(card.text).toContain('wp-content/uploads/7 and 32 more');
    const approve = card.controls.find(({ label }) => label === 'Approve');
    expect(approve?.confirm).toContain('32 items are not shown here: open “Everything that will be sent”.');
    await chi.clicks(card, 'Approve with a note…');
    await chi.form(/Fingerprint: [0-9a-f]{64}\s+32 items are not shown here: open “Everything that will be sent”\./);
    await scenario.slack.closeModal(chi.id, true);
    await chi.clicks(card, everything);
    const view = await chi.form('Page 1 of 1');
    expect(view.title).toBe('What will be sent');
    const [row] = scenario.rows('select fingerprint from changes where number = ?', change.number);
    expect(view.text).toContain(String(row?.['fingerprint']));
    const lines = exactIn(view.blocks);
    for (const path of paths) expect(lines).toContain(path);
    await scenario.slack.closeModal(chi.id, true);
    await chi.clicks(change.card(), 'Approve');
    await change.tells(/^✅ Done after /);
    const [write] = scenario.writes('acme-blog/staging');
    expect(readBack(lines)).toContain(`PUT ${write?.path}${requestIn(lines)}`);
    expect(requestIn(lines)).toBe(JSON.stringify(write?.body));
    expect(Buffer.byteLength(requestIn(lines))).toBe(write?.size);
    expect((await change.shows(/^✅/)).controls).toEqual([]);
  });

  test('opens from the copy in direct messages and from App Home too, in pages that together are complete', async () => {
    const [ana, chi, dee] = [scenario.person('ana'), scenario.person('chi'), scenario.person('dee')];
    const change = await ana.requests('/site redirects clear lumen-studio/live new', 'C0GENERAL');
    expect(change.card().text).toContain('and 389 more');
    const copy = await scenario.slack.until(
      () =>
        scenario.slack
          .messages({ channel: dee.direct, as: dee.id })
          .find(({ text }) => text.includes(`#${change.number}`)),
      patienceMs,
    );
    await dee.clicks(copy, everything);
    const pages = await allPages(scenario, dee);
    expect(pages.length).toBeGreaterThan(5);
    const lines = pages.flatMap(({ blocks }) => exactIn(blocks));
    expect(lines.filter((line) => /^\/old\/\d+ → /.test(line))).toHaveLength(399);
    const [row] = scenario.rows('select call from changes where number = ?', change.number);
    expect(row?.['call']).toContain(`"body":${requestIn(lines)}`);

    await scenario.slack.home(chi.id);
    const button = () =>
      scenario.slack.views(chi.id).home?.controls.find(({ value }) => String(value).endsWith(` ${change.number}`));
    const { action_id, value } = await scenario.slack.until(button, patienceMs);
    await scenario.slack.click(chi.id, 'home', { action_id, value: String(value) });
    expect((await chi.form('Page 1 of ')).text).toContain(`#${change.number}`);
    await scenario.slack.click(chi.id, 'modal', { label: 'The request' });
    await chi.form('The request, byte for byte.');
    await scenario.slack.closeModal(chi.id, true);
    await ana.clicks(change.card(), 'Cancel');
  });

  test('hidden and look-alike characters show their codes in the list and in the request', async () => {
    const [ana, chi] = [scenario.person('ana'), scenario.person('chi')];
    const change = await ana.requests('/site redirects clear lumen-studio/live live', 'C0GENERAL');
    expect(change.card().text).toContain('⟨U+202E⟩');
    await chi.clicks(change.card(), everything);
    const [view] = await allPages(scenario, chi);
    const lines = exactIn(view?.blocks).filter((line) => line.includes('https://а⟨U+0430⟩cme.com/⟨U+202E⟩live'));
    expect(lines).toHaveLength(2);
    await scenario.slack.closeModal(chi.id, true);
  });

  test('a page is shown only to people who may read it at that moment, and not by a button of another installation', async () => {
    const [ben, chi] = [scenario.person('ben'), scenario.person('chi')];
    const change = await ben.requests('/site redirects clear north-bakery/live new', 'C0GENERAL');
    const card = change.card();
    const rob = scenario.person('rob');
    await rob.clicks(card, everything);
    const none = await rob.form(`I can't find #${change.number} among the changes you can see. Nothing was shown.`);
    expect(none.text).not.toContain('/old/');
    await chi.clicks(card, everything);
    await chi.form('Page 1 of ');
    await reloadPolicy(
      scenario,
      policy.replace('to: [developers, leads] }', "to: [developers, leads], where: ['acme-*/*'] }"),
    );
    await scenario.slack.click(chi.id, 'modal', { label: 'Next' });
    const refused = await chi.form(`I can't find #${change.number} among the changes you can see. Nothing was shown.`);
    expect(refused.controls).toEqual([]);
    expect(refused.text).not.toContain('/old/');
    await reloadPolicy(scenario, policy);
    await scenario.slack.closeModal(chi.id, true);
    const [{ id } = {}] = scenario.rows('select id from installation');
    const forged = card.blocks.map((block): unknown =>
      JSON.parse(JSON.stringify(block).replaceAll(String(id), 'elsewhere')),
    );
    await scenario.replaceBlocks(card, forged);
    await chi.clicks(card, everything);
    await chi.form('This button belongs to another Sitehand installation. Nothing was shown.');
  });

  test('if no form can be opened, the pages are private messages', async () => {
    const [ana, dee] = [scenario.person('ana'), scenario.person('dee')];
    const change = await ana.requests('/site redirects clear harbor-events/live new', 'C0GENERAL');
    scenario.slack.faults.add({ method: 'views.open', kind: 'off', times: 2 });
    const first = await (await dee.clicks(change.card(), everything)).hears('Page 1 of ');
    expect(first.ephemeral).toBe(true);
    const second = await (await dee.clicks(first, 'Next')).hears('Page 2 of ');
    expect(exactIn(second.blocks).length).toBeGreaterThan(20);
  });
});

describe('promise 5: before it is requested', () => {
  test(
    'the form says how much it leaves out, the whole request is a click away, and changes at the host are reported',
    inScenario({ policy }, async (scenario) => {
      const ana = scenario.person('ana');
      const live = scenario.hosting.world.environmentNamed('acme-shop/live');
      live?.allowlist.splice(0, Infinity, ...Array.from({ length: 300 }, (_, at) => `10.1.${at >> 8}.${at & 255}`));
      const review = await ana.opens('/site allowlist set acme-shop/live 198.51.100.4', 'List after');
      expect(review.text).toContain('10.1.0.19 and 280 more');
      await scenario.slack.click(ana.id, 'modal', { label: everything });
      const page = await ana.form('Nothing has been asked for yet.');
      expect(scenario.slack.views(ana.id).modals).toHaveLength(2);
      const lines = exactIn(page.blocks);
      expect(lines).toContain('10.1.1.43');
      expect(requestIn(lines)).toContain('"198.51.100.4"');
      live?.allowlist.push('192.0.2.1');
      await scenario.slack.closeModal(ana.id, false);
      await scenario.slack.click(ana.id, 'modal', { label: everything });
      await ana.form('This changed while you were reading it. Nothing was done. Go back and submit the form');
      await scenario.slack.closeModal(ana.id, false);
      await ana.submits();
      await ana.form('This changed while you were reading it. Nothing was done yet. Please look again.');
      expect(scenario.rows('select * from changes')).toEqual([]);
      await ana.confirms();
      await scenario.becomes(1, 'done');
      expect(scenario.writes('acme-shop/live').map(({ body }) => body)).toEqual([
        expect.objectContaining({ ip_allowlist: ['198.51.100.4'] }),
      ]);
    }),
  );

  test(
    'a request that is too long to review is refused',
    inScenario({ policy }, async (scenario) => {
      const ana = scenario.person('ana');
      redirected(scenario, 'acme-docs/live', 5_000);
      const docs = scenario.hosting.world.environmentNamed('acme-docs/live');
      for (const rule of docs?.redirects ?? []) rule.from += 'x'.repeat(400);
      await ana.says('/site redirects clear acme-docs/live');
      const refusal = await ana.form('I can show at most 2,000,000 characters of a change before it is sent');
      expect(refusal.text).toContain('Nothing was done. Ask for it in smaller parts.');
      expect(refusal.submit).toBeUndefined();
    }),
  );
});

test(
  'promise 5: a review that promised an approval is shown again if the rules no longer require one',
  inScenario({ policy, hosting: { durations } }, async (scenario) => {
    const ana = scenario.person('ana');
    const line = '/site push acme-docs/staging acme-docs/live --database';
    await ana.opens(line, 'Nothing is sent until it is approved');
    await reloadPolicy(
      scenario,
      policy
        .replace(', approval: { by: [leads], count: 1, expires: 1h }', '')
        .replace(
          '[push, redirects clear], to: [developers]',
          '[push, redirects clear], to: [developers], approval: none',
        ),
    );
    await ana.submits({ 'Type acme-docs/live to confirm': 'acme-docs/live' });
    const again = await ana.form('This changed while you were reading it');
    expect(again.text).not.toContain('Nothing is sent until it is approved');
    expect(again.submit).toBe('Push an environment');
    expect(scenario.rows('select number from changes')).toEqual([]);
    expect(scenario.writes('acme-docs/live')).toEqual([]);
  }),
);

test(
  'promise 3: a submitted review closes at once, and its card comes when the host has been read',
  inScenario({ policy, hosting: { durations } }, async (scenario) => {
    const ana = scenario.person('ana');
    await ana.opens('/site push acme-docs/staging acme-docs/live --database', 'Nothing is sent until it is approved');
    scenario.hosting.faults.add({ kind: 'delay', method: 'GET', ms: patienceMs });
    const card = ana.confirms({ 'Type acme-docs/live to confirm': 'acme-docs/live' });
    const isClosed = () => scenario.slack.views(ana.id).modals.length === 0 || undefined;
    await scenario.slack.until(isClosed, patienceMs);
    await scenario.endHostDelays();
    await card;
  }),
);
