import { WebAPIRequestError, type WebClient } from '@slack/web-api';
import type { Logger } from '../base/log.ts';

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
