import type { Browser, Locator, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Playground } from '../../src/playground/playground.ts';
import { launch } from './chromium.ts';
import { startInOneFile } from './in-one-file.ts';

describe('the side pane', () => {
  let playground: Playground;
  let browser: Browser;
  let page: Page;
  const wrong: string[] = [];

  beforeAll(async () => {
    [playground, browser] = await Promise.all([startInOneFile(), launch()]);
  });
  afterAll(async () => {
    await browser?.close();
    await playground?.close();
  });
  afterEach(async () => {
    await page.close();
    const found = wrong.splice(0);
    if (found.length > 0) throw new Error(`the page threw:\n${found.join('\n')}`);
  });

  async function open(width = 1440, height = 900): Promise<void> {
    page = await browser.newPage({ viewport: { width, height } });
    page.setDefaultTimeout(60_000);
    page.on('pageerror', (error) => wrong.push(String(error)));
    await page.goto(`${playground.url}/`);
    await page.locator('main textarea:focus').waitFor();
  }
  const pane = (): Locator => page.getByRole('complementary', { name: 'Behind the scenes' });
  const button = (name: string): Locator => pane().getByRole('button', { name });
  const isPressed = (name: string): Locator => pane().getByRole('button', { name, pressed: true });
  const changes = (): Locator => page.getByRole('list', { name: 'Changes and their states' }).getByRole('listitem');
  const messages = (): Locator => page.getByRole('log', { name: 'Messages' });
  const says = (words: string): Promise<void> => pane().getByText(words).first().waitFor();

  async function type(text: string): Promise<void> {
    await page.getByLabel('Message or command').fill(text);
    await page.getByLabel('Message or command').press('Enter');
  }

  it('switches a failure on: a write without an answer is unknown and sent once; switched off, work goes on', async () => {
    await open();
    await says('The hosting API has received no write.');
    await button('Break it').press('Enter');
    await button('Hanging').press('Space');
    await isPressed('Hanging').waitFor();
    await type('/site cache clear acme-shop/staging');
    await says('The hosting API has received 1 write.');
    await says('The last: POST /sites/tools/clear-cache');
    await button('Bot killed').click();
    await says('The bot has exited (SIGKILL).');
    await pane().getByText('Hanging, Bot killed').waitFor();
    await button('Bot killed').click();
    await messages().getByText('Outcome unknown.').waitFor();
    await says('The hosting API has received 1 write.');
    await changes().getByText('unknown', { exact: true }).waitFor();
    expect(await changes().last().innerText()).toMatch(
      /^#1 cache clear\s+acme-shop\/staging\s+unknown\s+asked by Ana\s+no approval needed \+.* m?s\s+send \+.* m?s\s+outcome lost/,
    );

    await button('Mend all').click();
    await button('Mend all').waitFor({ state: 'hidden' });
    expect(await pane().getByRole('button', { pressed: true }).count()).toBe(0);
    await type('/site cache clear acme-blog/staging');
    await says('The hosting API has received 2 writes.');
    await messages().getByText('Cleared the cache of acme-blog/staging').waitFor();
    await changes().getByText('done', { exact: true }).waitFor();
    await page.reload();
    await changes().getByText('done', { exact: true }).waitFor();
    expect(await changes().count()).toBe(2);
  });

  it('shows Slack’s deliveries with their person and time to the ack, also on a page that opens later', async () => {
    await open();
    const delivered = (): Locator =>
      page.getByRole('list', { name: 'What Slack delivered to the bot' }).getByRole('listitem');
    await type('/site whoami');
    await delivered().getByText('typed /site whoami').waitFor();
    expect(await delivered().first().textContent()).toMatch(/^\d\d:\d\d:\d\dAna typed \/site whoami\d+ ms$/);
    await page.reload();
    await delivered().getByText('typed /site whoami').waitFor();
    expect(await delivered().first().textContent()).toContain('Ana typed /site whoami');
  });

  it('shows failures switched on elsewhere, and switches on one at a time for the hosting API', async () => {
    await open();
    await button('Break it').click();
    playground.hosting.faults.remove();
    await button('Slow').click();
    await isPressed('Slow').waitFor();
    await button('Gone').click();
    await isPressed('Gone').waitFor();
    expect(playground.hosting.faults.list().map(({ kind }) => kind)).toEqual(['reset']);
    await isPressed('Slow').waitFor({ state: 'detached' });
    await fetch(`${playground.url}/control/hosting/faults`, { method: 'DELETE' });
    await isPressed('Gone').waitFor({ state: 'detached' });
    await button('Slack too busy').click();
    await isPressed('Slack too busy').waitFor();
    expect(playground.slack.faults.list().map(({ method }) => method)).toEqual(['chat.postMessage', 'chat.update']);
    await button('Slack too busy').click();
    await isPressed('Slack too busy').waitFor({ state: 'detached' });
    expect(playground.slack.faults.list()).toEqual([]);
  });

  it('breaks a site and mends it, and shows what is broken, even if another page broke it', async () => {
    await open();
    await button('Break it').click();
    await pane().getByLabel('Environment').selectOption('acme-shop/live');
    await pane().getByLabel('What happens to it').selectOption('empty');
    const address = `${playground.site.url.replace('127.0.0.1', 'acme-shop.example.localhost')}/`;
    expect(await pane().getByRole('link', { name: 'Look at it' }).getAttribute('href')).toBe(address);
    await button('Break this site').click();
    await pane().getByText('acme-shop/live: empty', { exact: true }).waitFor();
    await fetch(`${playground.url}/control/site/break`, {
      method: 'POST',
      body: JSON.stringify({ environment: 'acme-blog/live', break: 'push' }),
    });
    await pane().getByText('acme-shop/live: empty; acme-blog/live: push').waitFor();
    await button('Mend it').click();
    await pane().getByText('acme-blog/live: push', { exact: true }).waitFor();
    await button('Mend all').click();
    await button('Mend all').waitFor({ state: 'hidden' });
    expect(playground.hosting.world.environments().filter((one) => one.nextPushBreaks)).toEqual([]);
  });

  it('is a drawer on a small screen', async () => {
    await open(390, 844);
    await pane().waitFor({ state: 'hidden' });
    const opener = page.getByRole('button', { name: /^Behind the scenes/, expanded: false });
    await opener.press('Enter');
    await pane().waitFor();
    await says('The hosting API has received');
    await page.keyboard.press('Escape');
    await pane().waitFor({ state: 'hidden' });
    await page.locator('.opener:focus').waitFor();

    await opener.press('Enter');
    await pane().getByText('The hosting API has received').first().click();
    await page.keyboard.press('Escape');
    await pane().waitFor({ state: 'hidden' });
    await page.locator('.opener:focus').waitFor();
  });

  it('keeps the focus while it covers the page, and releases it when it is no longer a drawer', async () => {
    await open(390, 844);
    const opener = page.getByRole('button', { name: /^Behind the scenes/, expanded: false });
    await opener.press('Enter');
    await pane().waitFor();
    // As text, because it runs in the page.
    const outside = `document.activeElement !== document.body && !document.activeElement.closest('aside')`;
    for (let presses = 0; presses < 30; presses += 1) {
      await page.keyboard.press('Tab');
      expect(await page.evaluate(outside)).toBe(false);
    }
    await page.setViewportSize({ width: 1440, height: 900 });
    await page.getByLabel('Message or command').press('Tab');
    await type('/site whoami');
    await messages().getByText('only you see this').first().waitFor();
  });
});
