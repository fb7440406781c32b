import { parseArgs } from 'node:util';
import type { BotState } from './bot.ts';
import { type Playground, type PlaygroundOptions, startPlayground } from './playground.ts';
import type { Rehearsal } from './rehearsal.ts';

const USAGE = `npm run playground -- [--port 4700] [--http] [--verbose] [--keep FOLDER] [--policy FILE]

  --port N       where the page is served; without it 4700 or the next free port
  --http         the bot is reached by signed HTTP instead of Socket Mode
  --verbose      the bot logs at info instead of warn
  --keep FOLDER  the database stays in FOLDER instead of a temporary one
  --policy FILE  rehearses a policy: its people, channels and sites are there instead of the usual ones
`;
const FIRST_PORT = 4700;
const PORTS = 20;

const print = (text: string): void => void process.stdout.write(`${text}\n`);

/** What the words after the program's name ask for; throws an Error with one sentence for what it does not know. */
function read(words: readonly string[]): { readonly help: boolean; readonly options: PlaygroundOptions } {
  const { values } = parseArgs({
    args: [...words],
    options: {
      port: { type: 'string' },
      http: { type: 'boolean', default: false },
      verbose: { type: 'boolean', default: false },
      keep: { type: 'string' },
      policy: { type: 'string' },
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
      logLevel: values.verbose ? 'info' : 'warn',
    },
  };
}

const isTaken = (error: unknown): boolean => error instanceof Error && 'code' in error && error.code === 'EADDRINUSE';

/** At the port that was asked for, or at the first free one from 4700 on. */
async function startSomewhere(options: PlaygroundOptions): Promise<Playground> {
  if (options.port !== undefined) return startPlayground(options);
  for (let port = FIRST_PORT; port < FIRST_PORT + PORTS; port += 1) {
    try {
      return await startPlayground({ ...options, port });
    } catch (error) {
      if (!isTaken(error)) throw error;
    }
  }
  throw new Error(`The ports ${FIRST_PORT} to ${FIRST_PORT + PORTS - 1} are all taken; name another with --port.`);
}

function tellHow({ url, bot, rehearsal }: Playground): void {
  const { state, exit } = bot.state();
  print(`\n  Sitehand playground   ${url}/\n`);
  if (state === 'exited') return print(`  The bot did not start (${ending(exit)}). The page is up all the same.\n`);
  if (state === 'starting') return print('  The bot is still not connected after 30 s. The page is up all the same.\n');
  if (rehearsal) return tellRehearsal(rehearsal);
  print('  A workspace with the real bot, and a hosting service that is not real. Three things to try:');
  print('    /site logs acme-shop/live                                 what is wrong there');
  print('    /site cache clear acme-shop/staging                       a change, and its thread');
  print('    /site push acme-shop/staging acme-shop/live --database    what Chi, Dee or Fay has to approve');
  print('  Ctrl-C ends it.\n');
}

function tellRehearsal({ file, workspace, plan }: Rehearsal): void {
  const people = `${workspace.people.length - 1} people, a guest among them`;
  const places = `${count(workspace.channels, 'channel')} and ${count(plan.sites, 'site')}`;
  print(`  Rehearses ${file}`);
  print(`  with ${people}, ${count(workspace.groups, 'user group')}, ${places}. Three things to try:`);
  print('    /site help                                         what somebody may run');
  print('    /site can push acme-shop/staging acme-shop/live    by which rule, and who could approve');
  print('    /site environments                                 the sites, those of the policy among them');
  print('  Save the file, and the bot reads it again; people, channels and sites stay as they were at the start.');
  print('  Ctrl-C ends it.\n');
}

const count = ({ length }: readonly unknown[], what: string): string => `${length} ${what}${length === 1 ? '' : 's'}`;

const ending = (exit: BotState['exit']): string =>
  typeof exit?.code === 'number' ? `exit code ${exit.code}` : (exit?.signal ?? 'it could not be run');

/** Ends `playground` at the first SIGINT or SIGTERM, and this process at once at the second. */
function endOnSignal(playground: Promise<Playground>, onEnding: () => void): void {
  let asked = false;
  const onSignal = (): void => {
    if (asked) process.exit(1);
    asked = true;
    onEnding();
    const gone = playground.then((started) => started.close());
    gone.then(() => process.exit(0), fail);
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, onSignal);
}

function fail(error: unknown): never {
  const taken = isTaken(error) ? 'That port is taken; name another with --port, or none.' : undefined;
  process.stderr.write(`${taken ?? (error instanceof Error ? error.message : String(error))}\n`);
  process.exit(1);
}

async function run(): Promise<void> {
  const { help, options } = read(process.argv.slice(2));
  if (help) return void process.stdout.write(USAGE);
  let quiet = true;
  const playground = startSomewhere({
    ...options,
    onLine: (line) => void process.stderr.write(`bot | ${line}\n`),
    onBot: ({ state, exit }) => {
      if (!quiet && state === 'exited') print(`  The bot has ended (${ending(exit)}); the page can start it again.`);
    },
  });
  endOnSignal(playground, () => (quiet = true));
  const started = await playground;
  if (started.rehearsal && started.bot.state().state === 'exited') {
    await started.close();
    throw new Error(
      `The bot did not start with ${started.rehearsal.file}; what it said stands above. Nothing is running.`,
    );
  }
  tellHow(started);
  quiet = false;
}

run().catch(fail);
