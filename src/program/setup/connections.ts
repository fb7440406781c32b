import type { WebClient } from '@slack/web-api';
import { createClient, HostTrouble } from '../../hosting/client.ts';
import { serviceAddress, type Dialect } from '../../hosting/dialect.ts';
import { validateKey } from '../../hosting/contract/sites.ts';
import { troubleText } from '../../hosting/host-trouble.ts';
import type { CheckResult } from '../../talk/health/check-result.ts';
import { Secret } from '../../base/secret.ts';
import { variables } from '../../base/settings.ts';
import { checkAppToken, checkBotToken, type Bot } from '../../slack-api/app-checks.ts';
import { quietClient } from '../../slack-api/calls.ts';
import { joined, plain } from '../../words/text.ts';
import { TooLate, within } from '../../base/time-limit.ts';
import { obtain, type Job } from './job.ts';
import { valueIn, type Settings } from './settings.ts';

/** Asks for the credentials and tries each at once. A refused one is asked for again; without an answer it is kept. */

const apiUrl = (settings: Settings): string => variables.shape.SLACK_API_URL.parse(valueIn(settings, 'SLACK_API_URL'));
/** Calls Slack with the bot token. */
export const botClient = (settings: Settings): WebClient =>
  quietClient(apiUrl(settings), valueIn(settings, 'SLACK_BOT_TOKEN') ?? '');
/** The result without the full stop at its end. */
const inLine = ({ says, hint }: CheckResult): string => plain(joined([says, hint], '. ')).replace(/\.$/, '');

/** Resolves with the bot that the token belongs to; undefined if Slack does not answer. */
export async function obtainBotToken(job: Job): Promise<Bot | undefined> {
  let bot: Bot | undefined;
  await obtain(job, {
    name: 'SLACK_BOT_TOKEN',
    ask: (prompts) => prompts.askSecret('Bot User OAuth Token (xoxb-…), from OAuth & Permissions of your app'),
    test: async () => {
      const found = await checkBotToken(botClient(job.settings));
      bot = found.bot;
      // A token with too few scopes is the right one: the app has to be installed again, which keeps the token.
      if (found.ok === false && !bot) return inLine(found);
      job.tell(`Bot token: ${inLine(found)}.`);
      return undefined;
    },
  });
  return bot;
}

/** Asks for the app token of Socket Mode, and tries it without connecting. */
export const obtainAppToken = (job: Job): Promise<void> =>
  obtain(job, {
    name: 'SLACK_APP_TOKEN',
    ask: (prompts) =>
      prompts.askSecret('App-level token (xapp-…) with connections:write, from Basic Information → App-Level Tokens'),
    test: async () => {
      const token = valueIn(job.settings, 'SLACK_APP_TOKEN');
      if (token === undefined) return 'SLACK_APP_TOKEN is not set: Socket Mode needs it';
      const found = await checkAppToken(quietClient(apiUrl(job.settings), token));
      if (found.ok === false) return inLine(found);
      job.tell(`App-level token: ${inLine(found)}.`);
      return undefined;
    },
  });

/** The signing secret can't be tried: only a delivery shows whether it is right. */
export const obtainSigningSecret = (job: Job): Promise<void> =>
  obtain(job, {
    name: 'SLACK_SIGNING_SECRET',
    ask: (prompts) =>
      prompts.askSecret('Signing Secret, from Basic Information → App Credentials (not the Client Secret above it)'),
    test: async () =>
      valueIn(job.settings, 'SLACK_SIGNING_SECRET') === undefined
        ? 'SLACK_SIGNING_SECRET is not set: HTTP needs it'
        : undefined,
  });

/** Asks for the service, address and key of the hosting API, and for the company if the host doesn't say it. */
export async function obtainHost(job: Job): Promise<void> {
  const { settings } = job;
  await obtain(job, {
    name: 'HOSTING_DIALECT',
    ask: (prompts) => prompts.choose('Which hosting service is it?', services),
  });
  if (!isSilent(await obtainConnection(job))) return;
  await obtain(job, {
    name: 'HOSTING_COMPANY_ID',
    ask: (prompts) => prompts.ask("Your company's id at the host, a UUID"),
    test: async () =>
      valueIn(settings, 'HOSTING_COMPANY_ID') === undefined
        ? "HOSTING_COMPANY_ID is not set, and the host doesn't say which company the key belongs to"
        : undefined,
  });
}

const services = [
  { value: 'kinsta', label: 'Kinsta' },
  { value: 'document', label: 'Another service with the same API' },
] as const;

/** Asks for the address and the key, and tries them. If the host says nothing of the key, the address may be wrong. */
async function obtainConnection(job: Job): Promise<HostAnswer> {
  const { settings, prompts } = job;
  const initial = serviceAddress[dialectIn(settings)];
  for (;;) {
    let found: HostAnswer;
    await obtain(job, {
      name: 'HOSTING_API_URL',
      ask: ({ ask }) => ask('Base address of its API, with /v2', initial ? { initial } : { example: exampleAddress }),
    });
    await obtain(job, {
      name: 'HOSTING_API_KEY',
      ask: ({ askSecret }) => askSecret('Key of the hosting API'),
      test: async () => {
        found = await askHost(settings);
        if (found instanceof HostTrouble && found.kind === 'unauthorized')
          return `The host rejected this key (${found.status})`;
        job.tell(`Hosting API: ${sayingOf(found)}`);
        return undefined;
      },
    });
    const isAnswered = found !== undefined && !(found instanceof HostTrouble);
    const keep = `Keep the address ${valueIn(settings, 'HOSTING_API_URL')}?`;
    if (isAnswered || !prompts || (await prompts.confirm(keep))) return found;
    delete settings['HOSTING_API_URL'];
  }
}
const exampleAddress = 'https://api.example.com/v2';
const dialectIn = (settings: Settings): Dialect =>
  variables.shape.HOSTING_DIALECT.parse(valueIn(settings, 'HOSTING_DIALECT'));

/** The company that the key belongs to, if the host says it; host trouble, or undefined if there was no answer. */
type HostAnswer = { readonly company: string | undefined } | HostTrouble | undefined;
const timeoutMs = 5_000;

/** Reads what the key may do. Writes nothing at the host. */
async function askHost(settings: Settings): Promise<HostAnswer> {
  const client = createClient({
    url: variables.shape.HOSTING_API_URL.parse(valueIn(settings, 'HOSTING_API_URL')),
    key: new Secret(valueIn(settings, 'HOSTING_API_KEY') ?? ''),
    dialect: dialectIn(settings),
  });
  try {
    const { company } = await within(timeoutMs, client.read(validateKey({})));
    return { company };
  } catch (error) {
    if (error instanceof HostTrouble) return error;
    if (error instanceof TooLate) return undefined;
    throw error;
  } finally {
    await client.close();
  }
}

/** Whether the host answered but didn't say the company. */
const isSilent = (found: HostAnswer): boolean =>
  found instanceof HostTrouble ? found.kind === 'not found' : found !== undefined && found.company === undefined;

function sayingOf(found: HostAnswer): string {
  if (found === undefined) return "no answer in time, so the key wasn't checked.";
  if (!(found instanceof HostTrouble)) return 'the host accepts the key.';
  if (found.kind === 'not found') return "the host doesn't say whose key this is (404).";
  return `${plain(troubleText(found))} So the key wasn't checked.`;
}
