import { readFileSync } from 'node:fs';
import { type WebClient, WebAPIRequestError } from '@slack/web-api';
import { parse } from 'yaml';
import { z } from 'zod';
import { manifestFile } from '../base/beside.ts';
import { broken, unknown, well, type CheckResult } from '../talk/health/check-result.ts';
import { code, joined, say } from '../words/text.ts';
import { isErrorCode, isPassing } from './api-errors.ts';
import { platformError } from './messenger.ts';
import type { Logger } from '../base/log.ts';

/** Checks of the Slack app's tokens and scopes, for people on the machine. They post nothing. */

/** The scopes that the app asks for when it is installed. */
const manifest = z.object({
  oauth_config: z.object({
    scopes: z.object({ bot: z.array(z.string()), bot_optional: z.array(z.string()) }),
  }),
});
const scopesWanted = (): z.output<typeof manifest>['oauth_config']['scopes'] =>
  manifest.parse(parse(readFileSync(manifestFile, 'utf8'))).oauth_config.scopes;

/** Asks Slack who the bot token belongs to, and compares its scopes with `manifest.yml`. */
export async function checkBotToken(client: WebClient): Promise<CheckResult & { readonly bot?: Bot }> {
  try {
    const bot = await whoAmI(client);
    return { ...scopesResult(bot.scopes), bot };
  } catch (error) {
    return refusalResult(error, 'SLACK_BOT_TOKEN', 'Copy the bot token (xoxb-…) from OAuth & Permissions of your app.');
  }
}

function scopesResult(granted: readonly string[] | undefined): CheckResult {
  if (granted === undefined) return unknown(say`unknown: Slack doesn't say which scopes the bot token has`);
  const { bot, bot_optional: optional } = scopesWanted();
  const missing = bot.filter((scope) => !granted.includes(scope));
  const needed = missing.filter((scope) => !optional.includes(scope));
  if (needed.length > 0)
    return broken(
      say`the bot token lacks ${listed(needed)}`,
      'Add what is missing under OAuth & Permissions of your app, then install the app again.',
    );
  return well(
    missing.length > 0
      ? say`the bot token has every scope it must have; it does without ${listed(missing)}`
      : say`the bot token has every scope of manifest.yml`,
  );
}

const listed = (scopes: readonly string[]): CheckResult['says'] => joined(scopes.map(code), ', ');

/** Proves the app token: asks Slack for an address to connect to. Doesn't connect, or it would receive commands. */
export async function checkAppToken(client: WebClient): Promise<CheckResult> {
  try {
    await client.apiCall('apps.connections.open');
    return well(say`Slack accepts the app token; no connection was opened`);
  } catch (error) {
    return refusalResult(
      error,
      'SLACK_APP_TOKEN',
      'Make one with the scope connections:write under Basic Information → App-Level Tokens, and turn on Socket Mode.',
    );
  }
}

/** Only a refusal by Slack says something about the token; an outage doesn't. */
function refusalResult(error: unknown, variable: string, hint: string): CheckResult {
  const errorCode = platformError(error);
  // A proxy's page says nothing about the token, and may contain anything.
  const isAnswered = errorCode !== undefined && isErrorCode(errorCode);
  if (isAnswered && isPassing(errorCode))
    return { ...unknown(say`unknown: Slack answered ${code(errorCode)}`), hint: say`Try again in a minute.` };
  return !isAnswered
    ? { ...unknown(say`unknown: Slack gave no usable answer`), hint: say`Check SLACK_API_URL and the network.` }
    : broken(say`Slack refuses ${code(variable)} (${code(errorCode)})`, hint);
}

/** Who this bot is and in which workspace. */
export type Bot = {
  readonly botId?: string;
  readonly botUserId: string;
  readonly team: string;
  /** The workspace's Enterprise Grid, if it has one. */
  readonly enterprise: string | undefined;
  /** What the token may do; undefined if Slack does not say. */
  readonly scopes: readonly string[] | undefined;
};

/** Asks Slack who this bot is; rejects if it does not say. */
export async function whoAmI(client: WebClient): Promise<Bot> {
  const answer = await client.auth.test();
  const { bot_id: botId, user_id: botUserId, team_id: team, enterprise_id: enterprise } = answer;
  if (!botUserId || !team) throw new Error('Slack does not say who this bot is');
  const scopes = answer.response_metadata?.scopes;
  return { ...(botId !== undefined && { botId }), botUserId, team, enterprise, scopes };
}

/** As `whoAmI`, at the start: its error says which settings to check. */
export async function whoAmIAtStart(client: WebClient, apiUrl: string): Promise<Bot> {
  try {
    return await whoAmI(client);
  } catch (error) {
    const why = `Slack at ${apiUrl} did not say who this bot is: ${whyOf(error)}`;
    throw new Error(`${why}. Check SLACK_BOT_TOKEN, SLACK_API_URL and the network.`, { cause: error });
  }
}

/** The error's message with its cause: the message of a failed request alone says little. */
function whyOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { cause } = error instanceof WebAPIRequestError ? error.original : error;
  return cause instanceof Error ? `${error.message} (${cause.message})` : error.message;
}

/** How often Slack is asked about a token that it has refused. */
export const askAgainEveryMs = 5_000;

/** Whether Slack accepts our token, judging by its answers. Unsent messages are kept while Slack refuses it. */
export type Token = {
  readonly isTaken: () => boolean;
  readonly note: (isTaken: boolean) => void;
  /** If the token was refused, asks Slack again; true if it is accepted now. Never rejects. */
  readonly askAgain: () => Promise<boolean>;
};

/** The token counts as accepted until Slack refuses it. */
export function createToken(client: WebClient, log: Logger): Token {
  let accepted = true;
  const note = (isTaken: boolean): void => {
    if (accepted && !isTaken) log.error('Slack no longer accepts the bot token; unsent messages are kept');
    if (!accepted && isTaken) log.info('Slack accepts the bot token again');
    accepted = isTaken;
  };
  return {
    isTaken: () => accepted,
    note,
    askAgain: async () => {
      if (accepted) return false;
      await whoAmI(client).then(
        () => note(true),
        () => undefined,
      );
      return accepted;
    },
  };
}
