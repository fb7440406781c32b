import { existsSync } from 'node:fs';
import { type Browser, type Page, type ViewportSize, chromium } from 'playwright-core';

// The headless shell is the same browser without windows, and needs a quarter less CPU and memory.
const names = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome'];
const executablePath = names.map((name) => `/usr/bin/${name}`).find(existsSync);
/** A browser that makes no requests of its own, with a new profile that is removed at its end. */
export function launch(): Promise<Browser> {
  if (executablePath === undefined) throw new Error('no Chromium was found at /usr/bin/chromium');
  const quiet = ['--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'];
  return chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu', '--disable-quic', ...quiet] });
}

/**
 * A window on the page at `url`. `settle` throws the browser's errors since then, and all requests to other origins.
 */
export async function openWindow(
  browser: Browser,
  url: string,
  viewport: ViewportSize,
): Promise<{ readonly page: Page; readonly settle: () => void }> {
  const wrong: string[] = [];
  const page = await browser.newPage({ viewport });
  page.setDefaultTimeout(60_000);
  page.on('console', (said) => void (['error', 'warning'].includes(said.type()) && wrong.push(said.text())));
  page.on('pageerror', (error) => wrong.push(String(error)));
  page.on('dialog', (dialog) => wrong.push(`a dialog of the browser: ${dialog.message()}`));
  page.on('request', (asked) => {
    const { protocol, origin } = new URL(asked.url());
    if (protocol !== 'data:' && origin !== url) wrong.push(asked.url());
  });
  const settle = (): void => {
    const found = wrong.splice(0);
    if (found.length > 0) throw new Error(`the browser complained:\n${found.join('\n')}`);
  };
  return { page, settle };
}
