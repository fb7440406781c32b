import { fileURLToPath } from 'node:url';
import type { Browser, Locator, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type PageServer, servePage } from '../../src/playground/page/server.ts';
import type { Playground } from '../../src/playground/playground.ts';
import { launch, openWindow } from './chromium.ts';
import { bundledPage, startInOneFile } from './in-one-file.ts';

const program = fileURLToPath(new URL('./tiny-bot.ts', import.meta.url));
const hostile = '<img src=x onerror=alert(1)> & <b>not bold</b>';

describe('the page', () => {
  let playground: Playground;
  let browser: Browser;
  let page: Page;
  let settle: () => void;

  beforeAll(async () => {
    [playground, browser] = await Promise.all([startInOneFile({ program }), launch()]);
    ({ page, settle } = await openWindow(browser, playground.url, { width: 1440, height: 900 }));
  });
  afterAll(async () => {
    await browser?.close();
    await playground?.close();
  });
  beforeEach(async () => {
    await page.goto(`${playground.url}/`);
    await act('Ana').waitFor();
  });
  afterEach(() => settle());

  const act = (name: string): Locator => page.getByRole('list', { name: 'Act as' }).getByRole('button', { name });
  const box = (): Locator => page.getByLabel('Message or command');
  const newest = (): Locator => page.getByRole('log', { name: 'Messages' }).getByRole('listitem').last();
  const dialog = (): Locator => page.getByRole('dialog');

  async function type(text: string): Promise<void> {
    await box().fill(text);
    await box().press('Enter');
  }

  it('has the focus in its input box, with a placeholder as example', async () => {
    await page.locator('main textarea:focus').waitFor();
    expect(await box().getAttribute('placeholder')).toMatch(/^\/site /);
    expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe('# acme-shop');
  });

  it('lets nobody type before it knows who they are', async () => {
    const asked = Promise.withResolvers<void>();
    const known = Promise.withResolvers<void>();
    await page.route('**/control/slack/people', async (route) => {
      asked.resolve();
      await known.promise;
      await route.continue();
    });
    await page.reload({ waitUntil: 'load' });
    await asked.promise;
    await page.keyboard.type('/site help');
    await page.keyboard.press('Enter');
    expect(await box().inputValue()).toBe('');
    known.resolve();
    await page.locator('main textarea:focus').waitFor();
    await page.unroute('**/control/slack/people');
  });

  it('says in an empty channel what it is and who acts, with commands to press in sight at any size', async () => {
    const first = page.getByRole('region', { name: 'First steps' });
    const size = page.viewportSize() ?? { width: 0, height: 0 };
    for (const viewport of [size, { width: 390, height: 844 }]) {
      await page.setViewportSize(viewport);
      await first.getByText('You act as Ana (Developer).').waitFor();
      const box = await first.getByRole('button').first().boundingBox();
      expect(box?.y).toBeGreaterThan(0);
      expect((box?.y ?? 0) + (box?.height ?? Infinity)).toBeLessThan(viewport.height);
    }
    const fold = page.getByRole('button', { name: /People and channels/ });
    await act('Ben').waitFor({ state: 'hidden' });
    await first.getByRole('button', { name: 'Something is wrong with the shop' }).click();
    await page.getByText('I broke acme-shop/live first.').waitFor();
    expect(playground.hosting.world.environmentNamed('acme-shop/live')?.broken).toEqual(['error']);
    await fold.click();
    await act('Ben').click();
    await act('Ben').waitFor({ state: 'hidden' });
    await first.getByText('You act as Ben (Developer).').waitFor();
    await first.getByRole('button', { name: 'Push staging to live' }).click();
    await page.setViewportSize(size);
    const delivered = page.getByRole('list', { name: 'What Slack delivered to the bot' }).getByRole('listitem');
    await delivered.filter({ hasText: 'Ben typed /site push acme-shop/staging acme-shop/live --database' }).waitFor();
    await delivered.filter({ hasText: 'Ana typed /site status acme-shop/live' }).waitFor();
    // As text, because it runs in the page.
    const cutOff = `[...document.querySelectorAll('.sidebar small')]
      .filter((one) => one.scrollWidth > one.clientWidth).map((one) => one.textContent)`;
    expect(await page.evaluate(cutOff)).toEqual([]);
  });

  it('has a tour of seven steps, two of them with a program, which can be dismissed for good', async () => {
    // It comes after the first steps.
    await type('hello');
    const tour = page.getByRole('region', { name: 'Tour' });
    await tour.getByText('1 of 7').waitFor();
    expect(await tour.getByText('✓').count()).toBe(0);
    await type('/site logs acme-shop/live');
    await tour.getByText('✓ 1 of 7').waitFor();
    await tour.getByRole('button', { name: 'Next' }).click();
    await tour.getByRole('button', { name: 'Fill it in as Ana' }).click();
    expect(await box().inputValue()).toBe('/site cache clear acme-shop/staging');
    for (const step of [3, 4]) {
      await tour.getByRole('button', { name: 'Next' }).click();
      await tour.getByText(`${step} of 7`).waitFor();
    }
    await tour.getByRole('button', { name: "Go to Chi's Home" }).click();
    await page.getByText('the home of U03CHI').waitFor();
    // The tiny bot has no interface for programs.
    for (const [step, said] of [
      [5, /^\$ sitehand ask "push .*Sitehand did not answer.*\(exit code 7\)$/s],
      [6, /^→ logs .*fetch failed\n\(exit code 1\)$/s],
    ] as const) {
      await tour.getByRole('button', { name: 'Next' }).click();
      expect(await tour.getByRole('log').isVisible()).toBe(false);
      await tour.getByRole('button', { name: 'Run it' }).click();
      await tour.getByText(`✓ ${step} of 7`).waitFor();
      expect(await tour.getByRole('log', { name: 'Terminal' }).textContent()).toMatch(said);
    }
    await tour.getByRole('button', { name: 'Next' }).click();
    await tour.getByRole('button', { name: 'Fill it in as Chi' }).click();
    expect(await page.locator('main textarea:focus').inputValue()).toBe('/site audit');
    await page.getByRole('button', { name: '# acme-shop' }).click();
    await tour.getByRole('button', { name: 'Done' }).click();
    await tour.waitFor({ state: 'hidden' });
    await page.reload();
    await act('Chi').waitFor();
    expect(await tour.isVisible()).toBe(false);
    await page.evaluate('localStorage.clear()');
  });

  it('can act as two people in two windows', async () => {
    const opening = page.waitForEvent('popup');
    await page.getByRole('link', { name: 'Act as Chi in a new window' }).focus();
    await page.keyboard.press('Enter');
    const other = await opening;
    await other.getByText('as Chi', { exact: true }).waitFor();
    await page.getByText('as Ana', { exact: true }).waitFor();
    await other.close();
  });

  it('draws people’s messages as text', async () => {
    await type(`*strong* _soft_ \`code\` ${hostile} @chi`);
    await newest().getByText('not bold').waitFor();
    expect(await newest().locator('article').textContent()).toContain(`strong soft code ${hostile} @Chi`);
    expect(await newest().locator('strong:text("strong"), em:text("soft"), code:text("code")').count()).toBe(3);
    expect(await newest().locator('b, img').count()).toBe(0);
    expect(await box().inputValue()).toBe('');
  });

  it('sends a second line while the first is still on its way', async () => {
    const held = Promise.withResolvers<void>();
    await page.route('**/control/slack/say', async (route) => {
      if (route.request().postData()?.includes('first')) await held.promise;
      await route.continue();
    });
    for (const text of ['the first line', 'the second line']) await type(text);
    await newest().getByText('the second line').waitFor();
    held.resolve();
    await newest().getByText('the first line').waitFor();
    await page.unroute('**/control/slack/say');
  });

  it('marks ephemeral messages, and shows them to one person only', async () => {
    await type('/site private');
    await newest().getByText('only you see this').waitFor();
    expect(await newest().textContent()).toContain(`Only for you: ${hostile}`);
    await act('Ben').click();
    await page.getByText('as Ben').waitFor();
    await page.getByText('only you see this').waitFor({ state: 'detached' });
  });

  it('shows a card, its thread, and the effect of its button at the host', async () => {
    for (let n = 1; n <= 12; n += 1) await playground.slack.say('U02BEN', 'C0ACME', `${n} ${'many words '.repeat(90)}`);
    await newest().getByText('12 many words').waitFor();
    // Scrolled up, because an answer to what one does oneself is still shown.
    await page.evaluate("document.querySelector('.messages').scrollTop = 0");
    await type('/site card');
    await newest().getByText('waiting').waitFor();
    const card = newest();
    await expect.poll(async () => (await card.boundingBox())?.y).toBeLessThan(800);
    expect(await card.textContent()).toContain(hostile);
    expect(await card.locator('a, img, i, b').count()).toBe(0);
    await card.getByRole('button', { name: '1 reply' }).click();
    const thread = page.getByRole('region', { name: 'Thread' });
    await thread.getByText('A reply below it').waitFor();
    // Beside the thread everything above the card is higher.
    expect((await card.boundingBox())?.y).toBeLessThan(800);
    await thread.getByLabel('Reply in the thread').fill('/site card');
    await thread.getByLabel('Reply in the thread').press('Enter');
    await page.getByText('Slash commands do not work in threads').waitFor();
    expect(await thread.getByLabel('Reply in the thread').inputValue()).toBe('/site card');
    await thread.getByLabel('Reply in the thread').fill('An answer');
    await thread.getByLabel('Reply in the thread').press('Enter');
    await thread.getByText('An answer', { exact: true }).waitFor();
    await page.keyboard.press('Escape');
    await thread.waitFor({ state: 'hidden' });
    await card.locator('.replies:focus').waitFor();

    await act('Chi').click();
    await card.getByRole('button', { name: 'Press' }).click();
    expect(await dialog().textContent()).toContain(`Really ${hostile}`);
    await dialog().getByRole('button', { name: 'Go back' }).click();
    expect(await card.textContent()).toContain('waiting');
    await card.getByRole('button', { name: 'Press' }).click();
    await dialog().getByRole('button', { name: 'Do it' }).click();
    await card.getByText('pressed by U03CHI').waitFor();
    const received = page
      .getByRole('list', { name: 'What the hosting API received' })
      .getByText('sites/tools/clear-cache');
    await received.first().click();
    await page.locator('.journal pre', { hasText: hostile }).waitFor();
  });

  it('fills in a form, with errors under their fields and suggestions while typing', async () => {
    await type('/site form');
    await dialog().getByLabel('Name').fill('wrong');
    await dialog().getByRole('button', { name: 'Send it' }).click();
    await dialog().locator('.field', { hasText: 'Size' }).getByRole('alert').waitFor();
    expect(await dialog().getByLabel('Name').inputValue()).toBe('wrong');

    await dialog().getByLabel('Size').selectOption('The large');
    await dialog().getByLabel('Site').fill('a');
    await dialog().getByRole('option', { name: 'The acme' }).waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await dialog().getByLabel('The pepper').check();
    await dialog().getByLabel('Day').fill('2026-02-03');
    await dialog().getByLabel('Name').press('Enter');
    await dialog().getByText('That is the wrong name.').waitFor();
    await dialog().getByLabel('Name').fill('right');
    await dialog().getByLabel('Name').press('Enter');
    await dialog().waitFor({ state: 'hidden' });
    await newest().getByText('Form: right, large, acme, pepper, 2026-02-03').waitFor();
  });

  it('closes a form with Esc, and tells Slack', async () => {
    await type('/site form');
    await dialog().getByLabel('Name').waitFor();
    await page.keyboard.press('Escape');
    await dialog().waitFor({ state: 'hidden' });
    expect(playground.slack.views('U01ANA').modals).toEqual([]);
  });

  it('shows the App Home of the acting person, and where there is something new; an edit is nothing new', async () => {
    const entry = (name: string): Locator => page.getByRole('navigation').getByRole('button', { name });
    const isNew = (name: string): Locator => entry(name).locator('.dot');
    await act('Ben').click();
    await entry('Sitehand').click();
    await entry('Home').click();
    await page.getByText('the home of U02BEN').waitFor();
    await act('Chi').click();
    await page.getByText('the home of U03CHI').waitFor();
    await page.getByRole('button', { name: 'Press' }).click();
    await dialog().getByRole('button', { name: 'Do it' }).click();
    for (const name of ['Messages', 'Sitehand']) await isNew(name).waitFor();
    await entry('Messages').click();
    await newest().getByText('pressed on the Home tab').waitFor();
    for (const name of ['Messages', 'Sitehand']) await isNew(name).waitFor({ state: 'detached' });

    const { ts } = await playground.slack.say('U02BEN', 'C0OPS', 'a message');
    await isNew('# ops').waitFor();
    await entry('# ops').click();
    await entry('# general').click();
    await playground.slack.edit('U02BEN', 'C0OPS', ts, 'an edited message');
    await playground.slack.say('U02BEN', 'C0ACME', 'another message');
    await isNew('# acme-shop').waitFor();
    expect(await isNew('# ops').count()).toBe(0);
  });

  it("has no input box in the app's direct messages, because the manifest makes them read-only, and says so", async () => {
    const closed = page.getByText('Sending messages to this app has been turned off.');
    await page.getByRole('list', { name: 'Apps' }).getByRole('button').click();
    await closed.waitFor();
    expect(await box().isVisible()).toBe(false);
    await page.getByRole('list', { name: 'Channels' }).getByRole('button').first().click();
    await box().waitFor();
    expect(await closed.count()).toBe(0);
  });

  it('says that nothing is known while the playground is away, and begins anew with the next one', async () => {
    const sources = {
      ...playground,
      bot: () => playground.bot,
      catalogue: { commands: () => Promise.resolve([]) },
      changes: { current: () => [] },
      programs: { control: async () => undefined, current: () => ({}) },
      files: await bundledPage(),
    };
    let server: PageServer = await servePage(sources);
    const other = await browser.newPage();
    await other.goto(server.url);
    const runs = other.getByText(/^The bot is running,/);
    await runs.waitFor();
    await server.close();
    await other.getByText("The playground isn't answering.").waitFor();
    await other.getByText('Whether the bot is running is unknown.').waitFor();
    expect(await runs.count()).toBe(0);
    const reloaded = other.waitForEvent('load');
    server = await servePage(sources, Number(new URL(server.url).port));
    await reloaded;
    await runs.waitFor();
    await other.close();
    await server.close();
  });

  it('says that the bot has ended, and restarts it', async () => {
    await page.getByRole('button', { name: 'Break it' }).click();
    await page.getByRole('button', { name: 'Bot killed' }).click();
    await page.getByText('The bot has exited (SIGKILL). Its rules are in src/playground/policy.yml.').waitFor();
    await type('/site card');
    await page.getByRole('status').getByText('/site failed with the error').waitFor();
    await page.getByRole('button', { name: 'Start again' }).click();
    await page.getByText('The bot is running').waitFor();
  });

  it('gives every input a name', async () => {
    await type('/site form');
    await dialog().getByLabel('Name').waitFor();
    // As text, because it runs in the page, with other types than this file.
    const nameless: unknown = await page.evaluate(`
      [...document.querySelectorAll('input, select, textarea')]
        .filter((input) => input.labels.length === 0 && !input.hasAttribute('aria-label'))
        .map((input) => input.outerHTML)`);
    expect(nameless).toEqual([]);
    await page.keyboard.press('Escape');
    await dialog().waitFor({ state: 'hidden' });
  });
});

describe('the forms of Sitehand on the page', () => {
  let playground: Playground;
  let browser: Browser;
  let page: Page;
  let settle: () => void;

  beforeAll(async () => {
    [playground, browser] = await Promise.all([startInOneFile(), launch()]);
    ({ page, settle } = await openWindow(browser, playground.url, { width: 1440, height: 900 }));
  });
  afterAll(async () => {
    await browser?.close();
    await playground?.close();
  });
  beforeEach(async () => {
    await page.goto(`${playground.url}/`);
    await page.getByRole('list', { name: 'Act as' }).getByRole('button', { name: 'Ana' }).waitFor();
  });
  afterEach(async () => {
    await playground.slack.closeModal('U01ANA', true).catch(() => undefined);
    settle();
  });

  const dialog = (): Locator => page.getByRole('dialog');
  const chips = (): Locator => dialog().getByRole('list', { name: 'Chosen' }).getByRole('listitem');
  const newest = (): Locator => page.getByRole('log', { name: 'Messages' }).getByRole('listitem').last();

  async function type(text: string): Promise<void> {
    await page.getByLabel('Message or command').fill(text);
    await page.getByLabel('Message or command').press('Enter');
  }

  async function choose(label: string, typed: string, option: string): Promise<void> {
    await dialog().getByLabel(label).fill(typed);
    await dialog().getByRole('option', { name: option, exact: true }).click();
  }

  it('are beside a log of the bot that counts its lines: one is not several', async () => {
    await page.getByText(/^Log, /).waitFor({ state: 'attached' });
    expect(await page.getByText(/^Log, /).textContent()).toMatch(/^Log, (?:1 line|(?!1 )\d+ lines)$/);
  });

  it('show a field when another is ticked, which takes several values by mouse and keyboard, as chips', async () => {
    await type('/site push');
    await dialog().getByLabel('From').waitFor();
    expect(await dialog().getByLabel('Only these paths').count()).toBe(0);
    await choose('From', 'acme-shop/l', 'acme-shop/live');
    const files = dialog().getByRole('group', { name: 'Files' }).getByRole('checkbox');
    await files.check();
    await dialog().getByLabel('Only these paths').waitFor();
    expect(await dialog().getByRole('option').count()).toBe(0);
    expect(await dialog().getByLabel('From').inputValue()).toBe('acme-shop/live');
    expect(await files.isChecked()).toBe(true);

    await choose('Only these paths', 'robots', 'robots.txt');
    const paths = dialog().getByLabel('Only these paths');
    for (const typed of ['uploads/2025', 'plugins/quick-cart']) {
      await paths.fill(typed);
      // The first match: a list from an earlier request can contain the same text.
      await dialog()
        .locator('[role=option]:first-child', { hasText: `wp-content/${typed}` })
        .waitFor();
      await paths.press('ArrowDown');
      await paths.press('Enter');
      expect(await paths.inputValue()).toBe('');
    }
    expect((await chips().allInnerTexts()).map((words) => words.split('\n')[0]?.replace('✕', '').trim())).toEqual([
      'robots.txt',
      'wp-content/uploads/2025',
      'wp-content/plugins/quick-cart',
    ]);

    await dialog().getByRole('button', { name: 'Remove robots.txt' }).click();
    await dialog().getByRole('button', { name: 'Remove wp-content/plugins/quick-cart' }).press('Enter');
    expect(await chips().count()).toBe(1);
    expect(await chips().textContent()).toContain('wp-content/uploads/2025');
    await choose('Onto', 'acme-shop/s', 'acme-shop/staging');
    await dialog().getByRole('button', { name: 'Push an environment' }).click();
    await dialog().getByText('only wp-content/uploads/2025').waitFor();
  });

  it('take a number, and show an error under an invalid one', async () => {
    await type('/site logs');
    await choose('Environment', 'acme-blog/l', 'acme-blog/live');
    await dialog().getByLabel('Lines').fill('many');
    await dialog().locator('footer button.primary').click();
    await dialog().locator('.field', { hasText: 'Lines' }).getByRole('alert').waitFor();
    await dialog().getByLabel('Lines').fill('3');
    await dialog().locator('footer button.primary').click();
    await dialog().waitFor({ state: 'hidden' });
    await newest().getByText('acme-blog/live').first().waitFor();
  });

  it('take a person by name', async () => {
    await type('/site can');
    await dialog().getByLabel('Person').selectOption('Rob Rossi');
    await dialog().getByLabel('Command').fill('cache clear acme-shop/live');
    await dialog().locator('footer button.primary').click();
    await newest().getByText('may not run').waitFor();
    expect(await newest().textContent()).toContain('@Rob may not run cache clear');
  });
});
