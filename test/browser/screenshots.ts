import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { type Playground, startPlayground } from '../../src/playground/playground.ts';
import { launch } from './chromium.ts';
import { smallPng } from './small-png.ts';

/** `npm run screenshots`: takes the pictures of the README and the docs again from the current page, with the fonts of the machine. */

const FOLDER = path.join(import.meta.dirname, 'pictures');
const MOST_BYTES = 120 * 1024;
const HALF_A_MINUTE = 30_000;
const [ANA, CHI, CHANNEL, GENERAL] = ['U01ANA', 'U03CHI', 'C0ACME', 'C0GENERAL'];

const wide = { viewport: { width: 1280, height: 720 } };
const phone = { viewport: { width: 390, height: 780 } };

/** Opens the page without the tour. */
async function open(
  browser: Browser,
  { url }: Playground,
  at: string,
  look: { viewport: { width: number; height: number }; colorScheme?: 'dark' },
): Promise<Page> {
  const page = await browser.newPage({ ...look, reducedMotion: 'reduce', locale: 'en-GB', timezoneId: 'UTC' });
  page.setDefaultTimeout(HALF_A_MINUTE);
  await page.addInitScript("localStorage.setItem('tour', 'over')");
  await page.goto(`${url}/#${at}`);
  await page.getByText('The bot is running').waitFor({ state: 'attached' });
  return page;
}

/** Takes the picture without a text cursor, and closes the page. */
async function take(page: Page, name: string): Promise<void> {
  await page.locator('body').click({ position: { x: 2, y: 2 } });
  await save(page, name);
  await page.close();
}

/** Throws if the picture is too large for the repository. */
async function save(page: Page, name: string): Promise<void> {
  const bytes = smallPng(await page.screenshot({ animations: 'disabled', caret: 'hide' }));
  if (bytes.length > MOST_BYTES) throw new Error(`${name} has ${bytes.length} bytes; ${MOST_BYTES} are allowed.`);
  await writeFile(path.join(FOLDER, `${name}.png`), bytes);
  process.stdout.write(`${name}.png, ${Math.ceil(bytes.length / 1024)} KB\n`);
}

/** Ana requests a push by form; it waits for approval. */
async function askForPush({ slack }: Playground): Promise<void> {
  await slack.command(ANA, CHANNEL, '/site push acme-shop/staging acme-shop/live --database --reason "release 42"');
  await slack.until(() => slack.views(ANA).modals.find(({ text }) => text.includes('Type acme-shop/live')));
  await slack.submit(ANA, { 'Type acme-shop/live to confirm': 'acme-shop/live' });
  await slack.until(() => waiting(slack.messages({ channel: CHANNEL, as: CHI })));
}

const waiting = (messages: ReturnType<Playground['slack']['messages']>): (typeof messages)[number] | undefined =>
  messages.findLast(({ controls }) => controls.some(({ label }) => label === 'Approve'));

async function drawAll(browser: Browser, playground: Playground): Promise<void> {
  const { slack } = playground;
  await askForPush(playground);
  const chi = `${CHI}/${CHANNEL}`;

  const card = await open(browser, playground, chi, wide);
  await card.getByRole('button', { name: '1 reply' }).waitFor();
  await take(card, 'push-waits');

  await slack.command(CHI, GENERAL, '/site backups list acme-shop/live');
  await slack.until(() => slack.messages({ channel: GENERAL, as: CHI }).find(({ ephemeral }) => ephemeral));
  const home = await open(browser, playground, `${CHI}/D0${CHI}`, wide);
  await home.getByRole('button', { name: 'Home', exact: true }).click();
  await home.getByText('Waiting for your decision', { exact: true }).waitFor();
  await home.locator('.home').getByRole('button', { name: 'Approve', exact: true }).waitFor();
  await take(home, 'app-home');

  const small = await open(browser, playground, chi, { ...phone, colorScheme: 'dark' });
  await small.getByRole('button', { name: '1 reply' }).waitFor();
  await take(small, 'phone');

  const thread = await open(browser, playground, chi, wide);
  const asked = waiting(slack.messages({ channel: CHANNEL, as: CHI }));
  if (asked === undefined) throw new Error('Nothing waits for approval.');
  await slack.click(CHI, asked, { label: 'Approve' });
  await thread.locator('.replies').last().click();
  await thread
    .getByRole('region', { name: 'Thread' })
    .getByText(/^✅ Done after/)
    .waitFor();
  await take(thread, 'push-done');

  const logs = await open(browser, playground, `${ANA}/${CHANNEL}`, { ...wide, colorScheme: 'dark' });
  await logs.getByLabel('Message or command').fill('/site logs acme-shop/live');
  await logs.getByLabel('Message or command').press('Enter');
  await logs.getByText('only you see this').last().waitFor();
  await logs.evaluate(`document.querySelector('.private').scrollIntoView()`);
  await take(logs, 'logs');
  await drawBatch(browser, playground);
}

/** Ana clears the caches of all live sites: what she reviews, and what it is like after the host failed once. */
async function drawBatch(browser: Browser, playground: Playground): Promise<void> {
  const { slack, hosting } = playground;
  const page = await open(browser, playground, `${ANA}/${GENERAL}`, phone);
  await slack.command(ANA, GENERAL, '/site cache clear */live');
  await page.getByRole('dialog').getByText('Leave out').waitFor();
  await save(page, 'batch-review');
  hosting.faults.add({ kind: 'status', status: 500, method: 'POST', skip: 2 });
  await slack.submit(ANA, {});
  const card = (): string => slack.messages({ channel: GENERAL, as: ANA }).at(-1)?.text ?? '';
  const hasStopped = (): boolean => card().includes('[Go on]') && !card().includes('under way');
  await slack.until(() => hasStopped() || undefined, HALF_A_MINUTE);
  await page.getByRole('button', { name: 'Go on', exact: true }).waitFor();
  await take(page, 'batch-stopped');
}

await mkdir(FOLDER, { recursive: true });
const durations = { 'environments:push': 8_000 };
const [playground, browser] = await Promise.all([startPlayground({ hosting: { durations } }), launch()]);
try {
  await drawAll(browser, playground);
} finally {
  await browser.close();
  await playground.close();
}
