import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Browser, Locator, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, describe, test, vi } from 'vitest';
import type { Playground } from '../../src/playground/playground.ts';
import { launch } from './chromium.ts';
import { startInOneFile } from './in-one-file.ts';

const wide = { width: 1440, height: 900 };
const phone = { width: 390, height: 780 };

/** The real bot on the page: what people click, and the effect at the host. */

const hostile = '<img src=x onerror=alert(1)> <!channel> [click](http://evil.example)';

describe('the page with the real bot', () => {
  let playground: Playground;
  let browser: Browser;
  const folder = mkdtempSync(join(tmpdir(), 'sitehand-page-'));
  const pages: Page[] = [];

  beforeAll(async () => {
    const durations = { 'environments:push': 0, 'cache:clear': 0 } as const;
    const hosting = { durations, notKnownFor: 0 };
    [playground, browser] = await Promise.all([startInOneFile({ keep: folder, hosting }), launch()]);
  });
  afterEach(async () => {
    playground.hosting.faults.remove();
    await Promise.all(pages.splice(0).map((page) => page.close()));
  });
  afterAll(async () => {
    await browser?.close();
    await playground?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  /** A window in which a person looks at a channel. */
  async function window(person: string, channel = 'C0ACME', viewport = wide): Promise<Page> {
    const page = await browser.newPage({ viewport });
    page.setDefaultTimeout(60_000);
    pages.push(page);
    await page.goto(`${playground.url}/#${person}/${channel}`);
    await page.locator('main textarea:focus').waitFor();
    return page;
  }
  const type = async (page: Page, text: string): Promise<void> => {
    await page.getByLabel('Message or command').fill(text);
    await page.keyboard.press('Enter');
  };
  const dialog = (page: Page): Locator => page.getByRole('dialog');
  const card = (page: Page, words: string | RegExp): Locator =>
    page.getByRole('log', { name: 'Messages' }).getByRole('listitem').filter({ hasText: words });
  const writes = () => playground.hosting.journal.entries().filter(({ method }) => method !== 'GET');

  /** Requests a push of a site's staging onto its live by form; resolves when its card is posted. */
  async function push(page: Page, site: string): Promise<void> {
    await type(page, `/site push ${site}/staging ${site}/live --database`);
    await dialog(page).getByText(`The DATABASE of ${site}/live will be replaced.`).waitFor();
    await dialog(page).getByLabel(`Type ${site}/live to confirm`).fill(`${site}/live`);
    await dialog(page).getByRole('button', { name: 'Ask for approval' }).click();
    await dialog(page).waitFor({ state: 'hidden' });
    await card(page, `Push ${site}/staging → ${site}/live`)
      .getByRole('button', { name: 'Approve', exact: true })
      .waitFor();
  }

  /** Presses *Approve* and confirms; ends the *Stop* period at once. */
  async function approve(page: Page, site: string): Promise<void> {
    await card(page, `Push ${site}/staging`).getByRole('button', { name: 'Approve', exact: true }).click();
    await page.getByText(`The DATABASE of ${site}/live will be replaced.`).last().waitFor();
    await dialog(page).getByRole('button', { name: 'Approve', exact: true }).click();
    const stop = `select 1 from messages, changes where messages.change = changes.number and messages.key like '%:stop'
      and ts is not null and target_name = ?`;
    await vi.waitFor(() => expect(inDatabase(stop, `${site}/live`)).not.toEqual([]), { timeout: 60_000 });
    inDatabase("update changes set due_at = 1 where state = 'approved' and target_name = ?", `${site}/live`);
  }
  function inDatabase(sql: string, ...values: string[]): readonly unknown[] {
    const database = new DatabaseSync(join(folder, 'sitehand.db'), { timeout: 10_000 });
    try {
      return database.prepare(sql).all(...values);
    } finally {
      database.close();
    }
  }

  test('a push is requested in one window, approved in another, written once, and both see it in the thread', async () => {
    const [ana, chi] = [await window('U01ANA'), await window('U03CHI')];
    await push(ana, 'acme-shop');
    // The tour goes along with what has been done ahead of it.
    await ana.getByRole('region', { name: 'Tour' }).getByText('4 of 7 A lead has to approve. Act as Chi').waitFor();
    await card(chi, 'Push acme-shop/staging').getByRole('button', { name: 'Approve', exact: true }).waitFor();
    expect(await card(ana, 'Push acme-shop/staging').locator('img').count()).toBe(0);
    await approve(chi, 'acme-shop');
    await card(ana, 'Pushed acme-shop/staging → acme-shop/live').waitFor();
    await card(ana, 'Pushed acme-shop/staging').getByRole('button', { name: /repl/ }).click();
    await ana.getByRole('region', { name: 'Thread' }).getByText('the host reports it finished').first().waitFor();
    expect(writes().filter(({ section }) => section === '4.9')).toHaveLength(1);
  });

  test('a push is declined with a reason, which its requester reads', async () => {
    const [ben, dee] = [await window('U02BEN'), await window('U04DEE')];
    await push(ben, 'acme-blog');
    await card(dee, 'Push acme-blog/staging').getByRole('button', { name: 'Decline…' }).click();
    await dialog(dee).getByLabel('Reason').fill('not tonight');
    await dialog(dee).getByRole('button', { name: 'Decline' }).click();
    await card(ben, 'Push acme-blog/staging').getByText('⛔').waitFor();
    await card(ben, 'Push acme-blog/staging').getByRole('button', { name: /repl/ }).click();
    await ben.getByRole('region', { name: 'Thread' }).getByText('not tonight').first().waitFor();
    expect(writes().filter(({ section }) => section === '4.9')).toHaveLength(1);
  });

  test('waiting changes are on a person’s Home; an unknown outcome is closed there or in its thread', async () => {
    const [ana, chi] = [await window('U01ANA'), await window('U03CHI')];
    await push(ana, 'acme-docs');
    await chi.getByRole('list', { name: 'Apps' }).getByRole('button').click();
    await chi.getByRole('button', { name: 'Home', exact: true }).click();
    await chi.getByText('Waiting for your decision').waitFor();
    await chi.locator('.home').getByText('Push acme-docs/staging → acme-docs/live').first().waitFor();
    await chi.getByRole('button', { name: '# acme-shop' }).click();
    playground.hosting.faults.add({ kind: 'status', method: 'PUT', status: 500, applied: true, body: {} });
    await approve(chi, 'acme-docs');
    await card(chi, 'Push acme-docs/staging').getByText('⚠️').waitFor();
    inDatabase("update changes set sent_at = 1 where state = 'unknown'");
    await card(chi, 'Push acme-docs/staging').getByRole('button', { name: 'It happened' }).click();
    await dialog(chi)
      .getByRole('button', { name: /happened/ })
      .click();
    await card(chi, 'Pushed acme-docs/staging → acme-docs/live').waitFor();
    expect(writes().filter(({ section }) => section === '4.9')).toHaveLength(2);
  });

  test('a pipeline pushes from its terminal, and an agent proposes: each waits beside Slack until a lead approves', async () => {
    const chi = await window('U03CHI');
    await chi.evaluate("localStorage.setItem('tour', '4')");
    await chi.reload();
    const tour = chi.getByRole('region', { name: 'Tour' });
    for (const [title, waits, ends] of [
      ['Push acme-shop/staging', /^\$ sitehand ask .*\n#\d+ Push .*#\d+ waiting: /s, /#\d+ done: .*\(exit code 0\)$/s],
      [
        'Clear the cache of acme-shop/live',
        /^→ logs .*→ propose .*← #\d+ is waiting\./s,
        /← #\d+ is done\..*exit code 0/s,
      ],
    ] as const) {
      await tour.getByRole('button', { name: 'Run it' }).click();
      await tour.getByText(waits).waitFor();
      await card(chi, title).last().getByRole('button', { name: 'Approve', exact: true }).click();
      const confirms = dialog(chi).getByRole('button', { name: 'Approve', exact: true });
      await confirms.click();
      await vi.waitFor(
        () => expect(inDatabase("select 1 from changes where state = 'waiting' and caller is not null")).toEqual([]),
        60_000,
      );
      inDatabase("update changes set due_at = 1 where state = 'approved'");
      await tour.getByText(ends).waitFor();
      await tour.getByRole('button', { name: 'Next' }).click();
    }
    await tour.getByText('7 of 7').waitFor();
  });

  test('hostile text in a log and in a reason stays text', async () => {
    const ana = await window('U01ANA');
    playground.hosting.world
      .environmentNamed('acme-shop/staging')
      ?.written.push({ at: Date.now(), kind: 'error', text: `PHP Fatal error: ${hostile}` });
    await type(ana, '/site logs acme-shop/staging --lines 20');
    const report = card(ana, 'acme-shop/staging · error log');
    await report.getByText('onerror=alert(1)').first().waitFor();
    expect(await report.textContent()).toMatch(/[▁-█]{8}/);
    await type(ana, `/site cache clear acme-shop/staging --reason "${hostile.replaceAll('"', '')}"`);
    const cleared = card(ana, /Clear(ed)? the cache of acme-shop\/staging/).first();
    await cleared.getByText('onerror=alert(1)').first().waitFor();
    expect(await ana.locator('main img, main a[href*="evil"]').count()).toBe(0);
  });

  test('by the keyboard alone: a command, its form, an error at its field, a suggestion, and the resulting card', async () => {
    const ana = await window('U01ANA');
    await ana.keyboard.type('/site allowlist add');
    await ana.keyboard.press('Escape');
    await ana.keyboard.press('Enter');
    await dialog(ana).getByLabel('Environment').waitFor();
    await ana.keyboard.type('acme-blog/s');
    await dialog(ana).getByRole('option', { name: 'acme-blog/staging' }).waitFor();
    await ana.keyboard.press('ArrowDown');
    await ana.keyboard.press('Enter');
    await ana.keyboard.press('Tab');
    await ana.keyboard.type('010.0.0.1');
    await dialog(ana).getByRole('button', { name: 'Add to allowlist' }).focus();
    await ana.keyboard.press('Enter');
    await dialog(ana).getByRole('alert').getByText('can be read in more than one way').waitFor();
    await dialog(ana).getByLabel('Addresses').fill('198.51.100.4');
    await dialog(ana).getByRole('button', { name: 'Add to allowlist' }).focus();
    await ana.keyboard.press('Enter');
    await card(ana, /Let 198.51.100.4 in over SSH on acme-blog\/staging/)
      .first()
      .waitFor();
    await expect
      .poll(() => playground.hosting.world.environmentNamed('acme-blog/staging')?.allowlist)
      .toEqual(['198.51.100.4']);
  });

  test('what was typed into a form is still there after a look at everything that will be sent', async () => {
    const ben = await window('U02BEN', 'C0GENERAL', phone);
    await type(ben, '/site push acme-docs/staging acme-docs/live --files');
    await dialog(ben).getByLabel('Type acme-docs/live to confirm').fill('acme-docs/live');
    await dialog(ben).getByRole('button', { name: 'Everything that will be sent' }).click();
    await dialog(ben)
      .getByText(/Page 1 of \d+/)
      .waitFor();
    await dialog(ben).getByRole('button', { name: 'Back' }).click();
    expect(await dialog(ben).getByLabel('Type acme-docs/live to confirm').inputValue()).toBe('acme-docs/live');
    await dialog(ben).getByRole('button', { name: 'Close' }).last().click();
  });

  test('on a phone an approver pages through everything that will be sent, and no line is wider than the form', async () => {
    const [ana, chi] = [await window('U01ANA', 'C0GENERAL'), await window('U03CHI', 'C0GENERAL', phone)];
    const paths = Array.from({ length: 400 }, (_, at) => `${at}/ü`);
    await type(ana, `/site push acme-blog/live acme-blog/staging --files --only ${paths.join(',')}`);
    await dialog(ana).getByRole('button', { name: 'Ask for approval' }).click();
    const asked = card(chi, '400 paths of acme-blog/staging will be replaced.');
    await asked.getByRole('button', { name: 'Everything that will be sent' }).click();
    const pages: string[] = [];
    // As text, because it runs in the page.
    const fits = `[...document.querySelectorAll('.modal .body, .modal pre')].every((one) => one.scrollWidth <= one.clientWidth)`;
    for (let at = 1; ; at += 1) {
      const head = dialog(chi).getByText(new RegExp(`Page ${at} of \\d+`));
      await head.waitFor();
      expect(await chi.evaluate(fits)).toBe(true);
      pages.push(...(await dialog(chi).locator('pre').allInnerTexts()));
      if ((await head.innerText()).includes(`Page ${at} of ${at}`)) break;
      await dialog(chi).getByRole('button', { name: 'Next' }).click();
    }
    const lines = pages.join('\n').split('\n');
    for (const at of paths.keys()) expect(lines).toContain(`${at}/ü⟨U+00FC⟩`);
  });

  test('on a phone a table breaks no word: it scrolls, and a long cell wraps between words', async () => {
    const ben = await window('U02BEN', 'C0GENERAL', phone);
    // The words that are broken over several lines. As text, because it runs in the page.
    const broken = `[...document.querySelectorAll('th, td')].flatMap((cell) => {
      const texts = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT);
      const found = [];
      while (texts.nextNode()) for (const { 0: word, index } of texts.currentNode.data.matchAll(/[\\w:.\\/]+/g)) {
        const range = document.createRange();
        range.setStart(texts.currentNode, index);
        range.setEnd(texts.currentNode, index + word.length);
        if (range.getClientRects().length > 1) found.push(word);
      }
      return found;
    })`;
    for (const [asked, title] of [
      ['themes list', 'Themes'],
      ['environments', 'Environments'],
    ] as const) {
      await type(ben, `/site ${asked}`);
      await card(ben, title).locator('table').waitFor();
    }
    expect(await ben.evaluate(broken)).toEqual([]);
    // The page itself stays as wide as the screen.
    expect(await ben.evaluate('document.documentElement.scrollWidth')).toBe(phone.width);
    const tallest = `Math.max(...[...document.querySelectorAll('td')].map((cell) => cell.clientHeight))`;
    expect(await ben.evaluate(tallest)).toBeLessThan(100);
  });

  test('on a phone wide content is marked, scrolls in its own box, and ends at the newest line', async () => {
    const ben = await window('U02BEN', 'C0GENERAL', { width: 390, height: 844 });
    for (const [asked, title] of [
      ['themes list', 'Themes'],
      ['logs acme-shop/live', 'error log'],
    ] as const) {
      await type(ben, `/site ${asked}`);
      await card(ben, title).locator('table, pre').first().waitFor();
    }
    // For each box that is too wide, how much of its end fades, before and after scrolling. As text, because it runs in
    // the page.
    const boxes = `(async () => {
      const wide = [...document.querySelectorAll('pre, .scroll')].filter((box) => box.scrollWidth > box.clientWidth);
      const drawn = () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
      const fades = () => [...new Set(wide.map((box) => getComputedStyle(box).getPropertyValue('--more')))];
      await drawn();
      const before = fades();
      for (const box of wide) box.scrollLeft = box.scrollWidth;
      await drawn();
      return { before, after: fades(), isThere: wide.every((box) => box.scrollLeft > 0) };
    })()`;
    expect(await ben.evaluate(boxes)).toEqual({ before: ['40px'], after: ['0px'], isThere: true });
    const hidden = "[...document.querySelectorAll('pre')].map((box) => box.scrollHeight - box.clientHeight).at(-1)";
    expect(await ben.evaluate(hidden)).toBe(0);
    expect(await ben.evaluate('document.documentElement.scrollWidth')).toBe(390);
  });

  test('on a phone no line of a list is cut off', async () => {
    const ben = await window('U02BEN', 'C0GENERAL', { width: 390, height: 844 });
    await type(ben, '/site allowlist add acme-docs/staging 2001:db8:1234:5678:9abc:def0:1234:5678 --for 2h');
    await card(ben, '2001:db8:1234:5678:9abc:def0:1234:5678').getByText('✅').waitFor();
    await type(ben, '/site lock acme-docs/staging "a look"');
    await card(ben, 'is locked by you').waitFor();
    await type(ben, '/site cache clear acme-docs/staging --queue');
    await card(ben, 'number 1 in the queue').waitFor();
    await type(ben, '/site watch acme-docs/staging error');
    await card(ben, 'is on').first().waitFor();
    const cutOff: string[] = [];
    for (const [asked, title] of [
      ['redirects list acme-shop/live', 'redirects'],
      ['dns list acme-shop.example', 'DNS'],
      ['domains records acme-shop.example', 'records to set'],
      ['backups list acme-shop/live', 'backups'],
      ['queue', 'Queues'],
      ['watches', 'Watches'],
      ['changes', 'Changes'],
      ['change 1', 'Asked by:'],
      ['timers', 'Timed access'],
    ] as const) {
      const pages = card(ben, title).filter({ hasText: 'only you see this' });
      const before = await pages.count();
      await type(ben, `/site ${asked}`);
      const page = pages.nth(before);
      await page.waitFor();
      if ((await page.locator('.scroll, pre').count()) > 0) cutOff.push(asked);
    }
    expect(cutOff).toEqual([]);
  });
});
