import axe from 'axe-core';
import type { Browser, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Playground } from '../../src/playground/playground.ts';
import { launch } from './chromium.ts';
import { startInOneFile } from './in-one-file.ts';

/**
 * Violations that axe calls serious or critical, each with the first elements. As text, because it runs in the page.
 */
const SERIOUS = `axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) =>
  violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => [id, ...nodes.slice(0, 4).map(({ html, any, all }) =>
      html.slice(0, 160) + ' ' + [...any, ...all].map(({ message }) => message).join(' '))].join('\\n  ')))`;

describe('the page is accessible, in light and in dark mode:', () => {
  let playground: Playground;
  let browser: Browser;
  let page: Page;

  beforeAll(async () => {
    [playground, browser] = await Promise.all([startInOneFile(), launch()]);
    page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
    page.setDefaultTimeout(60_000);
    await page.goto(`${playground.url}/`);
    await page.getByRole('list', { name: 'Act as' }).getByRole('button', { name: 'Ana' }).waitFor();
    await page.evaluate(axe.source);
  });
  afterAll(async () => {
    await browser?.close();
    await playground?.close();
  });

  const newest = (): Locator => page.getByRole('log', { name: 'Messages' }).getByRole('listitem').last();
  const dialog = (): Locator => page.getByRole('dialog');

  async function type(text: string): Promise<void> {
    await page.getByLabel('Message or command').fill(text);
    await page.getByLabel('Message or command').press('Enter');
  }

  async function expectNothingSerious(): Promise<void> {
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      const found: unknown = await page.evaluate(SERIOUS);
      expect({ [colorScheme]: found }).toEqual({ [colorScheme]: [] });
    }
  }

  it('a card and its thread', async () => {
    await type('/site cache clear acme-shop/staging --reason "new prices"');
    await newest().getByText('Asked by').waitFor();
    await newest().getByRole('button', { name: /repl/ }).click();
    await page
      .getByRole('region', { name: 'Thread' })
      .getByText(/^✅ Done after/)
      .waitFor();
    await expectNothingSerious();
    await page.getByRole('button', { name: 'Close the thread' }).click();
  });

  it('a report that only Ana sees', async () => {
    await type('/site logs acme-shop/live');
    await page.getByText('only you see this').first().waitFor();
    await expectNothingSerious();
  });

  it('a form with errors', async () => {
    await type('/site logs');
    await dialog().getByLabel('Environment').fill('acme-blog/l');
    await dialog().getByRole('option', { name: 'acme-blog/live', exact: true }).click();
    await dialog().getByLabel('Lines').fill('many');
    await dialog().locator('footer button.primary').click();
    await dialog().getByRole('alert').waitFor();
    await expectNothingSerious();
    await page.keyboard.press('Escape');
    await dialog().waitFor({ state: 'hidden' });
  });

  it('a form with suggestions open', async () => {
    await type('/site push');
    await dialog().getByLabel('From').fill('acme');
    await dialog().getByRole('option').first().waitFor();
    await expectNothingSerious();
    await page.keyboard.press('Escape');
    await page.keyboard.press('Escape');
    await dialog().waitFor({ state: 'hidden' });
  });

  it('App Home', async () => {
    await page.getByRole('list', { name: 'Apps' }).getByRole('button').click();
    await page.getByRole('button', { name: 'Home', exact: true }).click();
    await page.locator('.home').getByText('Your sites', { exact: true }).waitFor();
    await expectNothingSerious();
  });
});
