import type { WebClient } from '@slack/web-api';

/** The bot as Slack knows it. */
export type Bot = {
  readonly botId: string | undefined;
  readonly botUserId: string;
  /** The workspace that it is installed in. */
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
