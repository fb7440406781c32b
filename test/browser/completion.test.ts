import { fileURLToPath } from 'node:url';
import type { Browser, Locator, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { cloneEnvironment } from '../../src/playground/hosting/clone.ts';
import type { Playground } from '../../src/playground/playground.ts';
import { launch, openWindow } from './chromium.ts';
import { startInOneFile } from './in-one-file.ts';

const program = fileURLToPath(new URL('./tiny-bot.ts', import.meta.url));

describe('a command typed on the page', () => {
  let playground: Playground;
  let browser: Browser;
  let page: Page;
  let settle: () => void;

  beforeAll(async () => {
    [playground, browser] = await Promise.all([startInOneFile({ program }), launch()]);
    ({ page, settle } = await openWindow(browser, playground.url, { width: 1280, height: 800 }));
    await page.goto(`${playground.url}/`);
    await page.getByRole('list', { name: 'Act as' }).getByRole('button', { name: 'Ana' }).waitFor();
  });
  afterAll(async () => {
    await browser?.close();
    await playground?.close();
  });
  // These tests leave only typed text on the page.
  beforeEach(async () => {
    await box().fill('');
    await list().waitFor({ state: 'hidden' });
  });
  afterEach(() => settle());

  const box = (): Locator => page.getByLabel('Message or command');
  const list = (): Locator => page.getByRole('listbox', { name: 'Suggestions' });
  const offer = (name: string): Locator => list().getByRole('option', { name });
  const chosen = (): Locator => list().getByRole('option', { selected: true });
  const typed = (): Promise<string> => box().inputValue();

  it('is completed with keys alone, and sent if no suggestion is selected', async () => {
    await box().pressSequentially('/site clear');
    await offer('cache clear').waitFor();
    await page.getByText('The playground completes this').waitFor();
    expect(await list().getByRole('option').count()).toBe(2);
    await box().press('Tab');
    expect(await typed()).toBe('/site cache clear ');
    await offer('acme-shop/staging').waitFor();
    expect(await page.locator('.usage mark').textContent()).toBe('<site/environment>');

    await box().press('ArrowDown');
    await box().press('ArrowDown');
    expect(await box().getAttribute('aria-activedescendant')).toBe(await chosen().getAttribute('id'));
    const second = (await chosen().innerText()).split(/\s/)[0];
    await box().press('Enter');
    await offer('--dry-run').waitFor();
    expect(await typed()).toBe(`/site cache clear ${second} `);
    expect(await box().getAttribute('aria-activedescendant')).toBe('');

    await box().press('Enter');
    await expect.poll(typed).toBe('');
    expect(await list().count()).toBe(0);
  });

  it('takes a clicked suggestion, and keeps the focus', async () => {
    await box().fill('/site log');
    await offer('logs reveal').click();
    expect(await typed()).toBe('/site logs reveal ');
    await offer('acme-shop/live').click();
    expect(await typed()).toBe('/site logs reveal acme-shop/live ');
    expect(await page.locator('main textarea:focus').count()).toBe(1);
  });

  it('gets no suggestions after Escape, and Tab moves on if no word is begun', async () => {
    await box().fill('/site push ');
    await offer('acme-shop/live').waitFor();
    await box().press('Escape');
    await list().waitFor({ state: 'hidden' });
    expect(await page.locator('.completion').isVisible()).toBe(false);
    expect(await typed()).toBe('/site push ');
    await box().pressSequentially('acme-shop/staging ');
    await offer('acme-shop/live').waitFor();
    await box().press('Tab');
    await page.locator('main .composer button:focus').waitFor();
    await list().waitFor({ state: 'hidden' });
    expect(await typed()).toBe('/site push acme-shop/staging ');
    await page.keyboard.press('Shift+Tab');
    expect(await page.locator('main textarea:focus').count()).toBe(1);
  });

  it('is a combobox while there are suggestions', async () => {
    await box().fill('/site push ');
    await offer('acme-shop/live').waitFor();
    const open = page.getByRole('combobox', { name: 'Message or command', expanded: true });
    expect(await open.getAttribute('aria-controls')).toBe(await list().getAttribute('id'));
    await box().press('Shift+Tab');
    await list().waitFor({ state: 'hidden' });
    expect(await page.locator('main :focus').count()).toBe(1);
    expect(await page.getByRole('textbox', { name: 'Message or command' }).count()).toBe(1);
  });

  it('suggests an environment that was created while the page was open', async () => {
    const { world } = playground.hosting;
    const [source] = world.environments();
    if (source === undefined) throw new Error('there is no environment to copy');
    await box().fill('/site files newc');
    await page.locator('.usage mark').waitFor();
    expect(await list().count()).toBe(0);
    await box().fill('');
    const { site } = cloneEnvironment(source, 'Newcomer', 0);
    world.sites.push(site);
    await box().fill('/site files newc');
    await offer('newcomer/live').waitFor();
  });

  it('gets no suggestions in a message', async () => {
    await box().fill('hello /site ');
    await box().fill('/site ');
    await offer('push').first().waitFor();
    await box().fill('hello');
    await list().waitFor({ state: 'hidden' });
  });
});
