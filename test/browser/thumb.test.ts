import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Playground } from '../../src/playground/playground.ts';
import { launch } from './chromium.ts';
import { startInOneFile } from './in-one-file.ts';

/** What is too small for a thumb or unseen, and fields into which a phone zooms. As text, because it runs in the page. */
const TOO_SMALL = `[...document.querySelectorAll('button, a, summary, select, textarea, input:not([type=checkbox], [type=radio])')]
  .filter((one) => one.checkVisibility())
  .flatMap((one) => {
    const { width, height } = one.getBoundingClientRect();
    const isField = one.matches('select, textarea, input');
    const letters = Number.parseFloat(getComputedStyle(one).fontSize);
    const isUnseen = getComputedStyle(one).opacity === '0';
    const isSmall = height < 44 || width < 32 || (isField && letters < 16);
    return isSmall || isUnseen ? [one.outerHTML.slice(0, 90) + ' ' + [width, height, letters].map(Math.round).join(' ')] : [];
  })`;

let playground: Playground;
let browser: Browser;
let page: Page;
beforeAll(async () => {
  [playground, browser] = await Promise.all([startInOneFile(), launch()]);
  page = await browser.newPage({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });
  page.setDefaultTimeout(60_000);
  await page.goto(`${playground.url}/`);
});
afterAll(async () => {
  await browser?.close();
  await playground?.close();
});

async function type(text: string): Promise<void> {
  await page.getByLabel('Message or command').fill(text);
  await page.getByLabel('Message or command').press('Enter');
}

test('on a phone, all that can be pressed is as high as a thumb needs, in a conversation, a thread and a form', async () => {
  await type('/site cache clear acme-shop/staging');
  const replies = page.getByRole('log', { name: 'Messages' }).getByRole('button', { name: /repl/ });
  await replies.first().waitFor();
  expect(await page.evaluate(TOO_SMALL)).toEqual([]);
  await replies.first().tap();
  await page.getByRole('button', { name: 'Close the thread' }).waitFor();
  expect(await page.evaluate(TOO_SMALL)).toEqual([]);
  await page.getByRole('button', { name: 'Close the thread' }).tap();
  await type('/site push');
  await page.getByRole('dialog').getByLabel('From').waitFor();
  expect(await page.evaluate(TOO_SMALL)).toEqual([]);
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390);
  await page.getByRole('dialog').getByRole('button', { name: 'Close' }).first().tap();
  await page.getByRole('dialog').waitFor({ state: 'hidden' });
});

/** How far the text of the error is below what is visible of the form, in pixels. */
const HIDDEN = `(() => {
  const text = document.querySelector('dialog .error');
  return text.getBoundingClientRect().bottom - text.closest('.body').getBoundingClientRect().bottom;
})()`;

test('on a phone, the text of an error in a form is scrolled into view', async () => {
  await type('/site push acme-shop/staging acme-shop/live --database --files --reason "release 42"');
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Type acme-shop/live to confirm').fill('acme-shop/liv');
  await dialog.getByRole('button', { name: 'Ask for approval' }).tap();
  await dialog.getByText('This is not acme-shop/live. Nothing was done.').waitFor();
  expect(await page.evaluate(HIDDEN)).toBeLessThanOrEqual(1);
});
