import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

const executablePath = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(existsSync);
const isRequired = (process.env['SITEHAND_REQUIRE'] ?? '').split(/[\s,]+/).includes('browser');

/** Why the browser's tests are left out; undefined where they run, or must fail because SITEHAND_REQUIRE names `browser`. */
export const missing =
  executablePath === undefined && !isRequired ? 'no Chromium was found at /usr/bin/chromium' : undefined;

/** A browser that asks nobody for anything by itself; its profile is fresh and goes with it. */
export function launch(): Promise<Browser> {
  if (executablePath === undefined) throw new Error('SITEHAND_REQUIRE names browser, and no Chromium was found');
  const quiet = ['--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'];
  return chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu', '--disable-quic', ...quiet] });
}
