import { join } from 'node:path';
import { playgroundFolder, sitehand } from './beside.ts';
import { type Bot, startBot } from './bot.ts';
import { readCatalogue } from './catalogue.ts';
import { botEnvironment } from './environment.ts';
import { type HostingOptions, type HostingStandIn, startHosting } from './hosting/server.ts';
import { watchChanges } from './bot-changes.ts';
import { servePage } from './page/server.ts';
import { freePort, openFolders, type Folders } from './paths-and-ports.ts';
import { createPrograms } from './programs.ts';
import { readyByHttp, readyBySocket } from './readiness.ts';
import { type Rehearsal, readRehearsal } from './rehearsal.ts';
import { rehearseSetup } from './setup-rehearsal.ts';
import type { SlackOptions } from './slack/options.ts';
import { startSlack } from './slack/server.ts';
import type { SlackStandIn } from './slack/stand-in.ts';
import { type SiteStandIn, startSite } from './site/server.ts';
import type { BotState } from './web/shapes.ts';

/** Options of a playground; all have defaults. */
export type PlaygroundOptions = {
  /** Where the page is served; 0, the default, takes a free port. */
  readonly port?: number;
  /** Deliver by signed HTTP instead of Socket Mode. */
  readonly http?: boolean;
  /** Keep the database in this folder. By default it is in a temporary one, removed when the playground closes. */
  readonly keep?: string;
  /** A policy file to rehearse: its people, channels and sites replace the default ones. */
  readonly policy?: string;
  /** Whether `sitehand setup` runs first, at this terminal. The bot then has what it wrote. */
  readonly setup?: boolean;
  /** The bot's LOG_LEVEL; `warn` by default. */
  readonly logLevel?: string;
  /** Extra or overriding environment variables for the bot. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Path of a program to run as the bot, in place of `sitehand start`. */
  readonly program?: string;
  /** The folder with the page in `web/`, as the package has it or as the sources do. */
  readonly page?: URL;
  readonly slack?: Omit<SlackOptions, 'delivery'>;
  readonly hosting?: HostingOptions;
  /** Gets every line the bot prints. `bot.state().log` keeps the newest in any case. */
  readonly onLine?: (line: string) => void;
  /** Called at every new state of the bot. */
  readonly onBot?: (state: BotState) => void;
};

/** Stand-ins for Slack, the host and its sites, the real bot between them, and a page that shows it. */
export type Playground = {
  /** Address of the page, without a trailing slash. */
  readonly url: string;
  /** Where programs ask. */
  readonly apiUrl: string;
  readonly slack: SlackStandIn;
  readonly hosting: HostingStandIn;
  readonly site: SiteStandIn;
  readonly bot: Bot;
  /** The rehearsed policy, if any. */
  readonly rehearsal: Rehearsal | undefined;
  /** Ends the bot gracefully, then everything else. A second call joins the first. */
  close(): Promise<void>;
};

/**
 * Starts everything. Resolves when the bot is ready, has exited or has taken longer than 30 s (see `bot.state()`).
 * Rejects with the system's error if the port is taken, and with a sentence if the file to rehearse is not a policy;
 * nothing is left running then.
 */
export async function startPlayground(options: PlaygroundOptions = {}): Promise<Playground> {
  const closers: (() => Promise<void>)[] = [];
  const close = async (): Promise<void> => {
    for (const closer of closers.toReversed()) await closer();
  };
  try {
    const started = await start(options, (closer) => void closers.push(closer));
    let closing: Promise<void> | undefined;
    return { ...started, close: () => (closing ??= close()) };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Starts the parts in order and passes each one's closer to `onClose`; closers are called in reverse. */
async function start(
  options: PlaygroundOptions,
  onClose: (closer: () => Promise<void>) => void,
): Promise<Omit<Playground, 'close'>> {
  const rehearsal = options.policy === undefined ? undefined : await readRehearsal(options.policy);
  const folders = await openFolders(options.keep);
  onClose(() => folders.release());
  const standIns = await startStandIns(options, rehearsal, onClose);
  const running: { bot?: Bot } = {};
  const apiPort = await freePort();
  const apiUrl = `http://127.0.0.1:${apiPort}`;
  const page = await startPage(options, { ...standIns, bot: () => running.bot, apiUrl }, folders, onClose);
  const port = options.http === true ? await freePort() : undefined;
  const address = `http://127.0.0.1:${port ?? 0}`;
  if (port !== undefined) standIns.slack.deliverTo(`${address}/slack/events`);
  const environment = botEnvironment({
    ...standIns,
    folder: folders.data,
    port,
    apiPort,
    logLevel: options.logLevel ?? 'warn',
    policy: rehearsal?.file,
    more: options.environment ?? {},
  });
  const bot = startBot({
    words: options.program === undefined ? [...sitehand, 'start'] : [options.program],
    folder: folders.work,
    environment: options.setup === true ? await rehearseSetup(environment, folders.data, standIns.slack) : environment,
    ...(port === undefined ? readyBySocket(standIns.slack) : readyByHttp(address)),
    onLine: options.onLine ?? (() => undefined),
    onChanged: (state) => {
      options.onBot?.(state);
      page.botChanged();
    },
  });
  running.bot = bot;
  onClose(() => bot.close());
  await bot.started();
  return { url: page.url, apiUrl, ...standIns, bot, rehearsal };
}

/** Serves the page, reads what it shows of the bot (its commands, its changes in the database), and runs programs that ask. */
async function startPage(
  options: PlaygroundOptions,
  { apiUrl, ...shown }: StandIns & { readonly bot: () => Bot | undefined; readonly apiUrl: string },
  folders: Folders,
  onClose: (closer: () => Promise<void>) => void,
): ReturnType<typeof servePage> {
  const catalogue = readCatalogue();
  onClose(() => Promise.resolve(catalogue.close()));
  const changes = watchChanges(join(folders.data, 'sitehand.db'), () => page.changesMoved());
  onClose(() => Promise.resolve(changes.close()));
  const programs = createPrograms({ url: apiUrl, folder: folders.work }, () => page.programsChanged());
  const files = options.page ?? playgroundFolder;
  const page = await servePage({ ...shown, catalogue, changes, programs, files }, options.port);
  onClose(() => page.close());
  onClose(() => programs.close());
  return page;
}

type StandIns = Pick<Playground, 'slack' | 'hosting' | 'site'>;

async function startStandIns(
  options: PlaygroundOptions,
  rehearsal: Rehearsal | undefined,
  onClose: (closer: () => Promise<void>) => void,
): Promise<StandIns> {
  const slack = await startSlack({
    ...(rehearsal && { seed: rehearsal.workspace }),
    ...options.slack,
    delivery: { kind: options.http === true ? 'http' : 'socket' },
  });
  onClose(() => slack.close());
  const hosting = await startHosting({ ...(rehearsal && { plan: rehearsal.plan }), ...options.hosting });
  onClose(() => hosting.close());
  const site = await startSite(hosting.world);
  onClose(() => site.close());
  return { slack, hosting, site };
}
