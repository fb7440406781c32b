import { z } from 'zod';
import type { Interaction, SlackContext } from './context.ts';

/** The parts of Slack's payloads that we use. Without one, sender, place or identity is unclear, so it is refused. */

const optionalText = z
  .string()
  .nullish()
  .transform((value) => value ?? undefined);

/** The sender, and the sender's Enterprise Grid, if the payload names it. */
export const senderFields = {
  user: z.object({ id: z.string(), team_id: z.string().optional() }),
  enterprise: z.object({ id: z.string() }).nullish(),
};

/** The id of the sender, and the team or enterprise that the payload names. */
export const senderIn = (
  { people }: Pick<SlackContext, 'people'>,
  { user, enterprise }: z.infer<z.ZodObject<typeof senderFields>>,
): Pick<Interaction, 'person' | 'team'> => ({
  person: user.id,
  team: people.originOf({ team: user.team_id, enterprise: enterprise?.id }),
});

export const commandShape = z
  .object({
    command: z.string(),
    text: optionalText,
    user_id: z.string(),
    team_id: optionalText,
    enterprise_id: optionalText,
    channel_id: z.string(),
    trigger_id: z.string(),
    response_url: optionalText,
  })
  .transform(({ command, text, user_id, team_id, enterprise_id, channel_id, trigger_id, response_url }) => ({
    command,
    text,
    enterprise: enterprise_id,
    from: { person: user_id, team: team_id, channel: channel_id, trigger: trigger_id, responseUrl: response_url },
  }));

export const shortcutShape = z.object({
  user: z.object({ id: z.string(), team_id: optionalText }),
  enterprise: senderFields.enterprise,
  trigger_id: z.string(),
});

export const homeOpenedShape = z.object({ user: z.string() });
export const groupChangeShape = z.object({ subteam_id: z.string() });

/** `edited` is set if the mention's message was edited. */
export const mentionShape = z.object({
  team_id: optionalText,
  enterprise_id: optionalText,
  event: z.object({
    user: z.string(),
    ts: z.string(),
    text: z.string(),
    channel: z.string(),
    thread_ts: optionalText,
    team: optionalText,
    edited: z.object({ ts: z.string() }).nullish(),
  }),
});
