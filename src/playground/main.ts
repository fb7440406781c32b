import { parseArgs } from 'node:util';
import { type Playground, type PlaygroundOptions, startPlayground } from './playground.ts';
import { playgroundKey } from './environment.ts';
import type { Rehearsal } from './rehearsal.ts';
import type { BotState } from './web/shapes.ts';

const USAGE = `sitehand playground [--port 4700] [--http] [--verbose] [--keep FOLDER] [--policy FILE] [--setup]

  --port N       serve the page on this port (default: 4700, or the next free one)
  --http         reach the bot by signed HTTP instead of Socket Mode
  --verbose      have the bot log at info instead of warn
  --keep FOLDER  keep the database, and what the setup writes, in FOLDER instead of a temporary folder
  --policy FILE  rehearse a policy with its own people, channels and sites
  --setup        rehearse the setup first; the bot then has what it wrote
`;
const FIRST_PORT = 4700;
const PORTS = 20;

const print = (text: string): void => void process.stdout.write(`${text}\n`);

/** Parses the command line. Throws an Error with one sentence for unknown options. */
function read(words: readonly string[]): { readonly help: boolean; readonly options: PlaygroundOptions } {
  const { values } = parseArgs({
    args: [...words],
    options: {
      port: { type: 'string' },
      http: { type: 'boolean', default: false },
      verbose: { type: 'boolean', default: false },
      keep: { type: 'string' },
      policy: { type: 'string' },
      setup: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  const port = values.port === undefined ? undefined : Number(values.port);
  if (port !== undefined && (!/^\d+$/.test(values.port ?? '') || port > 65_535)) {
    throw new Error('--port takes a number from 0 to 65535.');
  }
  return {
    help: values.help,
    options: {
      ...(port === undefined ? {} : { port }),
      ...(values.keep === undefined ? {} : { keep: values.keep }),
      ...(values.policy === undefined ? {} : { policy: values.policy }),
      http: values.http,
      setup: values.setup,
      logLevel: values.verbose ? 'info' : 'warn',
    },
  };
}

const isTaken = (error: unknown): boolean => error instanceof Error && 'code' in error && error.code === 'EADDRINUSE';

/** Starts on the given port, or on the first free one from 4700 on. */
async function startSomewhere(options: PlaygroundOptions): Promise<Playground> {
  if (options.port !== undefined) return startPlayground(options);
  for (let port = FIRST_PORT; port < FIRST_PORT + PORTS; port += 1) {
    try {
      return await startPlayground({ ...options, port });
    } catch (error) {
      if (!isTaken(error)) throw error;
    }
  }
  throw new Error(
    `Ports ${FIRST_PORT} to ${FIRST_PORT + PORTS - 1} are all taken, so nothing was started. Choose another with --port.`,
  );
}

function printIntro({ url, apiUrl, bot, rehearsal }: Playground, hasOwnPolicy: boolean): void {
  const { state, exit } = bot.state();
  print(`\n  Sitehand playground   ${url}/\n`);
  if (state === 'exited') return print(`  The bot didn't start (${ending(exit)}). The page is up anyway.\n`);
  if (state === 'starting') return print("  The bot hasn't connected after 30 s. The page is up anyway.\n");
  if (rehearsal) return printRehearsal(rehearsal, apiUrl);
  print('  A Slack workspace with the real bot, and a hosting service that is a stand-in. Three things to try:');
  print('    /site logs acme-shop/live                                 see what is going wrong');
  print('    /site cache clear acme-shop/staging                       make a change and watch its thread');
  print('    /site push acme-shop/staging acme-shop/live --database    see what would be lost, and who must agree');
  if (!hasOwnPolicy) {
    print('  A program can ask, too, from another terminal:');
    print(`    export SITEHAND_URL=${apiUrl} SITEHAND_CALLER_KEY=${playgroundKey}`);
    print('    sitehand ask "cache clear acme-shop/staging" --wait      from a clone: npm run -s sitehand -- ask …');
  }
  print('  Press Ctrl-C to stop.\n');
}

function printRehearsal({ file, workspace, plan, hasCallers }: Rehearsal, apiUrl: string): void {
  const people = `${workspace.people.length - 1} people (one a guest)`;
  const places = `${count(workspace.channels, 'channel')} and ${count(plan.sites, 'site')}`;
  print(`  Rehearsing ${file}`);
  print(`  with ${people}, ${count(workspace.groups, 'user group')}, ${places}. Three things to try:`);
  print('    /site help                                         what the person may run');
  print('    /site can push acme-shop/staging acme-shop/live    which rule applies, and who can approve');
  print('    /site environments                                 all sites, including those of the policy');
  if (hasCallers) print(`  Its callers ask at ${apiUrl}, with their own keys.`);
  print('  Save the file and the bot reads it again. People, channels and sites stay as they are until a restart.');
  print('  Press Ctrl-C to stop.\n');
}

const count = ({ length }: readonly unknown[], what: string): string => `${length} ${what}${length === 1 ? '' : 's'}`;

const ending = (exit: BotState['exit']): string =>
  typeof exit?.code === 'number' ? `exit code ${exit.code}` : (exit?.signal ?? 'it could not be started');

/** Closes `playground` at the first SIGINT, SIGTERM or SIGHUP; the second one ends this process at once. */
function endOnSignal(playground: Promise<Playground>, onEnding: () => void): void {
  let isEnding = false;
  const onSignal = (): void => {
    if (isEnding) process.exit(1);
    isEnding = true;
    onEnding();
    const gone = playground.then((started) => started.close());
    gone.then(() => process.exit(0), fail);
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, onSignal);
}

function fail(error: unknown): never {
  const taken = isTaken(error)
    ? 'That port is taken, so nothing was started. Choose another with --port, or leave it out.'
    : undefined;
  process.stderr.write(`${taken ?? (error instanceof Error ? error.message : String(error))}\n`);
  process.exit(1);
}

async function run(words: readonly string[]): Promise<number | undefined> {
  const { help, options } = read(words);
  if (help) {
    process.stdout.write(USAGE);
    return 0;
  }
  let quiet = true;
  const playground = startSomewhere({
    ...options,
    onLine: (line) => void process.stderr.write(`bot | ${line}\n`),
    onBot: ({ state, exit }) => {
      if (!quiet && state === 'exited')
        print(`  The bot has stopped (${ending(exit)}). You can start it again from the page.`);
    },
  });
  endOnSignal(playground, () => (quiet = true));
  const started = await playground;
  if (started.rehearsal && started.bot.state().state === 'exited') {
    await started.close();
    throw new Error(
      `The bot didn't start with ${started.rehearsal.file}, so nothing is running. Its log above says why.`,
    );
  }
  printIntro(started, options.setup === true);
  quiet = false;
  return undefined;
}

/** Runs until a signal ends it; resolves with 0 after `--help`. */
export const runPlayground = (words: readonly string[]): Promise<number | undefined> => run(words).catch(fail);
