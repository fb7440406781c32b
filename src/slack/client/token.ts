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
