import type { App } from '@slack/bolt';
import { Refusal } from '../../errors.ts';
import { hear } from '../answers/dispatch.ts';
import { onlooker } from '../context/speaker.ts';
import { natureOf, acceptDelivery, type Track } from './receive.ts';
import type { Interaction, SlackContext } from '../context/context.ts';
import { mention } from '../context/payload-shapes.ts';

/** Messages that mention the bot. Slack delivers one again, under another event id, whenever it is edited: that runs nothing. */
export function listenToMentions(app: App, context: SlackContext, track: Track): void {
  const myName = new RegExp(`^\\s*<@${context.botUser}(\\|[^>]*)?>`);
  app.event('app_mention', async ({ event, body }) => {
    if (event.user === undefined || 'bot_id' in event) return;
    const { event: said, team_id: home, enterprise_id: enterprise } = mention.parse(body);
    const { user: person, channel, thread_ts: thread, ts, edited } = said;
    const team = context.people.originOf({ team: said.team ?? home, enterprise });
    const line = said.text.replace(myName, '');
    await acceptDelivery(context, track, {
      kind: 'mention',
      from: { person, team, channel, thread, trigger: undefined },
      // Bolt acks events by itself.
      ack: () => Promise.resolve(false),
      ...(edited
        ? {
            key: `mention:${channel}:${ts}:${edited.ts}`,
            // Written down so that it is answered once; nothing of it is kept.
            said: '',
            changes: true,
            lane: 'usual',
            work: (interaction) => refuseEdit(context, interaction),
          }
        : {
            key: `mention:${channel}:${ts}`,
            said: line,
            ...natureOf(line),
            work: (interaction) => hear(context, interaction, line),
          }),
    });
  });
}

/** What an edited message asks for may have run already, in other words. */
async function refuseEdit(context: SlackContext, interaction: Interaction): Promise<void> {
  await onlooker(context, interaction);
  throw new Refusal("Edits aren't run, so nothing was done by this one.", { hint: 'Send it as a new message.' });
}
