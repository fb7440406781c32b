import type { WebClient } from '@slack/web-api';
import type { Logger } from '../../log.ts';

/** Who this bot is, in which workspace. */
export type Bot = {
  readonly botId: string | undefined;
  readonly botUserId: string;
  readonly team: string;
  /** The Enterprise Grid of that workspace, if it belongs to one. */
  readonly enterprise: string | undefined;
};

/** Asks Slack who this bot is; rejects where it does not say. */
export async function whoAmI(client: WebClient): Promise<Bot> {
  const { bot_id: botId, user_id: botUserId, team_id: team, enterprise_id: enterprise } = await client.auth.test();
  if (!botUserId || !team) throw new Error('Slack does not say who this bot is');
  return { botId, botUserId, team, enterprise };
}

/** As `whoAmI`, at a start: says what to look at where Slack does not say. */
export async function introduce(client: WebClient, apiUrl: string): Promise<Bot> {
  try {
    return await whoAmI(client);
  } catch (error) {
    const why = `Slack does not say at ${apiUrl} who this bot is: ${whyOf(error)}`;
    throw new Error(`${why}. Look at SLACK_BOT_TOKEN, SLACK_API_URL and the network.`, { cause: error });
  }
}

/** Its words and those of what caused it: those of a request that came to nothing say little. */
function whyOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const cause = 'original' in error && error.original instanceof Error ? error.original.cause : error.cause;
  return cause instanceof Error ? `${error.message} (${cause.message})` : error.message;
}

/** Whether Slack takes our token, as far as its answers tell: while it does not, everything that is owed is kept. */
export type Token = {
  readonly isTaken: () => boolean;
  readonly note: (isTaken: boolean) => void;
  /** Asks Slack once more where it was not taken; true where that has changed. Never rejects. */
  readonly askAgain: () => Promise<boolean>;
};

/** A token that was taken just now. */
export function createToken(client: WebClient, log: Logger): Token {
  let taken = true;
  const note = (isTaken: boolean): void => {
    if (taken && !isTaken) log.error('Slack does not take the bot token any more; what is owed is kept');
    if (!taken && isTaken) log.info('Slack takes the bot token again');
    taken = isTaken;
  };
  return {
    isTaken: () => taken,
    note,
    askAgain: async () => {
      if (taken) return false;
      await whoAmI(client).then(
        () => note(true),
        () => undefined,
      );
      return taken;
    },
  };
}
