import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { parseEnv } from 'node:util';
import { lineFor } from '../../base/beside.ts';
import { catalogue } from '../../commands/index.ts';
import type { Check } from '../../talk/health/check-result.ts';
import { environmentOr, policyFileIn, readConfig, type EnvironmentVariables } from '../../base/config.ts';
import { scrub } from '../../base/secret.ts';
import { variables } from '../../base/settings.ts';
import type { Bot } from '../../slack-api/app-checks.ts';
import { sqlitePath } from '../../storage/database.ts';
import { checksOf, reportOf } from '../doctor.ts';
import { exitCodes, out, type Out } from '../output.ts';
import { obtainAppToken, obtainBotToken, obtainHost, obtainSigningSecret } from './connections.ts';
import { envWith, textIn } from './files.ts';
import { manifestName, manifestOf, newAppPage } from './manifest.ts';
import { obtain, pathWithin, placeFile, type Job } from './job.ts';
import {
  mustBePublic,
  optionsOf,
  requestUrlForm,
  requestUrlIn,
  setupHelp,
  terminalPrompts,
  type Prompts,
  interrupted,
  Stopped,
} from './prompts.ts';
import { obtainPolicy } from './roles.ts';
import { mistakeIn, mistakesIn, settingsIn, valueIn, type SettingName } from './settings.ts';

/**
 * Connects Sitehand to a workspace and a host: asks for missing settings, tries each answer at once, writes the app's
 * manifest, `.env` and the policy, and ends with `doctor`. Posts nothing, and opens no connection that would take
 * deliveries from a bot.
 */

type SetupContext = {
  readonly environment?: EnvironmentVariables;
  /** Where the files are written. */
  readonly folder?: string;
  /** Undefined: there is nobody to ask. By default, this process's terminal, if it has one. */
  readonly prompts?: Prompts | undefined;
  readonly write?: Out['write'];
};

/** Runs the setup. Resolves with the exit code. */
export async function setup(words: readonly string[], given: SetupContext = {}): Promise<number> {
  const { environment, folder = '.', write = out.write } = given;
  const prompts = 'prompts' in given ? given.prompts : terminalPrompts();
  if (words.includes('--help')) {
    write(setupHelp());
    return exitCodes.fine;
  }
  const written: string[] = [];
  const stopped = (error: Stopped): number => {
    const were = `${written.join(' and ')} ${written.length === 1 ? 'was' : 'were'} written, and nothing else.`;
    const rest = written.length === 0 ? 'Nothing was written.' : were;
    write(`${scrub(error.message)} ${rest}\n`);
    return exitCodes[error.end];
  };
  const interrupt = (): never => process.exit(stopped(interrupted()));
  // The handler waits until a file is written; without a handler, the signal would end the process at once.
  process.once('SIGINT', interrupt);
  try {
    const options = optionsOf(words);
    const settings = settingsIn({ ...environmentOr(environment), ...options.settings });
    const tell = (text: string): void => (prompts ? prompts.tell(scrub(text)) : void write(`${scrub(text)}\n`));
    return await run({ folder, options, settings, prompts, tell, written }, write);
  } catch (error) {
    if (!(error instanceof Stopped)) throw error;
    return stopped(error);
  } finally {
    process.off('SIGINT', interrupt);
  }
}

async function run(job: Job, write: Out['write']): Promise<number> {
  const { settings, prompts, folder, options } = job;
  // With nobody to ask, report everything that is missing or wrong at once. Else only settings that are never asked
  // for.
  stopAt(prompts ? neverAsked.flatMap((name) => mistakeIn(settings, name) ?? []) : missingIn(job));
  const given = Object.keys(settings);
  const formerEnv = textIn(pathWithin(folder, '.env'));
  tellTaken(job, parseEnv(formerEnv ?? ''));
  const command = await obtainCommand(job);
  const requestUrl = await obtainRequestUrl(job);
  const manifest = manifestOf(command, requestUrl);
  const placeManifest = (): Promise<boolean> => placeFile(job, { name: manifestName, text: manifest, mode: 0o644 });
  // The person makes the app from the manifest, so write it before asking for the app's credentials.
  const early = prompts && (await placeManifest());
  if (!isSet(job, 'SLACK_BOT_TOKEN') && !options.isRehearsal) prompts?.tell(toMakeTheApp(manifest, early));
  const bot = await obtainBotToken(job);
  await (requestUrl === undefined ? obtainAppToken(job) : obtainSigningSecret(job));
  await obtainHost(job);
  stopAt(mistakesIn(settings));
  const policy = await obtainNewPolicy(job, bot);
  const hasNewKey = addAuditKey(job);
  const env = envWith(
    settings,
    formerEnv,
    given.filter((name) => !(name in settings)),
  );
  const placed = [
    early ?? (await placeManifest()),
    policy === undefined || (await placeFile(job, { name: policyFileIn(settings), text: policy, mode: 0o644 })),
  ];
  // Write `.env` last, because a bot can start with it.
  if (!(await placeEnv(job, env, hasNewKey))) return exitCodes.look;
  const POLICY_FILE = pathWithin(folder, policyFileIn(settings));
  const checks = await checksOf(readConfig({ ...settings, POLICY_FILE }), 'not started yet');
  write(reportOf(checks));
  const { code, says } = readiness(checks);
  const start = options.isRehearsal ? '' : `To start it: ${lineFor('start')}\n`;
  job.tell(`${says}${start}Then in Slack: /invite @Sitehand, and ${command} help.`);
  // At the terminal, somebody has chosen to keep these files.
  return code === exitCodes.fine && !prompts && placed.includes(false) ? exitCodes.look : code;
}

/** Whether it can be started, as an exit code, and what to say before how. */
function readiness(checks: readonly Check[]): { readonly code: number; readonly says: string } {
  const again = `${lineFor('doctor')} checks it again.\n`;
  if (checks.some(({ isBroken }) => isBroken))
    return { code: exitCodes.look, says: `First mend what has ❌; ${again}` };
  if (checks.some(({ ok }) => ok === undefined))
    return { code: exitCodes.unknown, says: `What has ❔ couldn't be checked; ${again}` };
  const isFine = checks.every(({ ok }) => ok);
  return { code: exitCodes.fine, says: isFine ? '' : 'What has ⚠️ can be done once it runs.\n' };
}

/** Says which answers are given already, so that they are not asked for, and how to change one. */
function tellTaken({ settings, prompts }: Job, inFile: EnvironmentVariables): void {
  const names = Object.keys(settings).filter((name) => asked.has(name.replace(/_FILE$/, '')));
  const { true: ofFile = [], false: given = [] } = Object.groupBy(
    names,
    (name) => `${inFile[name] === settings[name]}` as const,
  );
  if (ofFile.length > 0)
    prompts?.tell(`Taken from .env: ${ofFile.join(', ')}. To change one, delete its line and run this again.`);
  if (given.length > 0) prompts?.tell(`Given: ${given.join(', ')}.`);
}

/** Writes `.env`, and says what follows from that. Resolves with whether it has the answers. */
async function placeEnv(job: Job, env: ReturnType<typeof envWith>, hasNewKey: boolean): Promise<boolean> {
  const isPlaced = await placeFile(job, { name: '.env', ...env, mode: 0o600 });
  if (!isPlaced) job.tell("These answers are not in .env, so I didn't check the rest with them.");
  else if (hasNewKey)
    job.tell(
      'I made an AUDIT_KEY. Keep a copy of .env apart from the database: only with this key can the trail be verified.',
    );
  return isPlaced;
}

/** Makes a key of the audit chain, and says whether it did. Not for PostgreSQL: every replica needs the same key. */
function addAuditKey(job: Job): boolean {
  const { settings } = job;
  const database = variables.shape.DATABASE_URL.parse(valueIn(settings, 'DATABASE_URL'));
  if (isSet(job, 'AUDIT_KEY') || sqlitePath(database) === undefined) return false;
  settings.AUDIT_KEY = randomBytes(32).toString('hex');
  return true;
}

function stopAt(mistakes: readonly string[]): void {
  if (mistakes.length > 0) throw new Stopped(`${mistakes.join('.\n')}.`, 'wrong');
}

const asked: ReadonlySet<string> = new Set([
  'SLACK_BOT_TOKEN',
  'SLACK_APP_TOKEN',
  'SLACK_SIGNING_SECRET',
  'SLACK_COMMAND',
  'HOSTING_API_URL',
  'HOSTING_API_KEY',
  'HOSTING_COMPANY_ID',
  'HOSTING_DIALECT',
]);
const neverAsked = Object.keys(variables.shape).filter((name): name is SettingName => !asked.has(name));

function missingIn(job: Job): readonly string[] {
  const { settings, options } = job;
  const isOverHttp = !isSet(job, 'SLACK_APP_TOKEN') && isSet(job, 'SLACK_SIGNING_SECRET');
  return [
    ...mistakesIn(settings),
    ...(isOverHttp && options.requestUrl === undefined
      ? [`--request-url is missing: where Slack delivers to over HTTP, ${requestUrlForm}`]
      : []),
    ...(options.leads.length === 0 && !hasPolicy(job) ? ['--leads is missing: the Slack ids of your leads'] : []),
  ];
}

const isSet = ({ settings }: Job, name: SettingName): boolean =>
  (settings[name] ?? settings[`${name}_FILE`]) !== undefined;
const hasPolicy = ({ folder, settings }: Job): boolean => existsSync(pathWithin(folder, policyFileIn(settings)));
const commandIn = ({ settings }: Job): string =>
  variables.shape.SLACK_COMMAND.parse(valueIn(settings, 'SLACK_COMMAND'));

async function obtainCommand(job: Job): Promise<string> {
  await obtain(job, {
    name: 'SLACK_COMMAND',
    ask: async (prompts) =>
      (await prompts.ask('Name of the slash command', { initial: '/site' })).replace(/^(?=[^/])/, '/'),
    test: async () => {
      const name = commandIn(job).slice(1);
      // Slack's /push would be read as the command push.
      const isTaken = [...catalogue.keys()].some((path) => path.split(' ')[0] === name);
      if (isTaken) return `SLACK_COMMAND cannot be /${name}: ${name} is one of the words that come after it`;
      job.tell(`Slash command: /${name}.`);
      return undefined;
    },
  });
  return commandIn(job);
}

/** Where Slack delivers over HTTP; undefined in Socket Mode. */
async function obtainRequestUrl(job: Job): Promise<string | undefined> {
  const { options, prompts } = job;
  if (isSet(job, 'SLACK_APP_TOKEN')) {
    if (options.requestUrl === undefined) return undefined;
    throw new Stopped('--request-url is for HTTP, and SLACK_APP_TOKEN is set, which means Socket Mode.', 'wrong');
  }
  if (options.requestUrl !== undefined || !prompts) return options.requestUrl;
  const isHttp =
    isSet(job, 'SLACK_SIGNING_SECRET') || (await prompts.choose('How does Slack deliver?', deliveries)) === 'http';
  if (!isHttp) return undefined;
  for (;;) {
    const url = requestUrlIn(await prompts.ask('To which public address?', { example: requestUrlForm }));
    if (url !== undefined) return url;
    prompts.tell(`It ${mustBePublic}`);
  }
}

const deliveries = [
  { value: 'socket', label: 'Socket Mode: needs no public address' },
  { value: 'http', label: 'HTTP: needs a public address' },
] as const;

/** An existing policy was reviewed, so it is replaced only if somebody says so first. */
async function obtainNewPolicy(job: Job, bot: Bot | undefined): Promise<string | undefined> {
  const { options, prompts, settings, tell } = job;
  if (!hasPolicy(job) || options.leads.length > 0) return obtainPolicy(job, bot);
  const name = policyFileIn(settings);
  if (await prompts?.confirm(`${name} is already there. Make new rules? I'll ask again before they replace it.`))
    return obtainPolicy(job, bot);
  tell(`${name} is already there and stays as it is.`);
  return undefined;
}

/** How to make the app from this manifest. `isPlaced`: whether the file has it. */
function toMakeTheApp(manifest: string, isPlaced: boolean | undefined): string {
  const page = newAppPage(manifest);
  const address = `This address opens Slack's page for a new app, filled in. It was never tried with Slack itself:\n\n${page}\n\n`;
  const byHand = isPlaced
    ? `on https://api.slack.com/apps choose Create New App → From a manifest, and paste ${manifestName}`
    : `let setup replace ${manifestName}, which is not the manifest for these answers, and paste it`;
  return `${page ? address : ''}Now make the app: ${page ? 'open that address, or ' : ''}${byHand}. Then install it. If it is there already, go on.`;
}
