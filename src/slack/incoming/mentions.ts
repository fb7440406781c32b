import type { App } from '@slack/bolt';
import { catalogue } from '../../commands/index.ts';
import { attempt, Refusal } from '../../base/errors.ts';
import { parse } from '../../language/parse.ts';
import { code, say } from '../../words/text.ts';
import { handleLine } from '../answers/dispatch.ts';
import { identifyViewer } from '../../talk/speaker.ts';
import { natureOf } from '../context/deliveries.ts';
import { acceptDelivery, type Track } from './receive.ts';
import type { Interaction, SlackContext } from '../context/context.ts';
import { mentionShape } from '../context/payload-shapes.ts';

/** Messages that mention the bot. Slack delivers an edited message again under another event id; an edit runs nothing. */
export function listenToMentions(app: App, context: SlackContext, track: Track): void {
  const myName = new RegExp(`^(\\s*<@${context.bot.botUserId}(\\|[^>]*)?>)+`);
  app.event('app_mention', async ({ event, body }) => {
    if (event.user === undefined || 'bot_id' in event) return;
    const { event: message, team_id: home, enterprise_id: enterprise } = mentionShape.parse(body);
    const { user: person, channel, thread_ts: thread, ts, edited } = message;
    const team = context.people.originOf({ team: message.team ?? home, enterprise });
    const line = message.text.replace(myName, '');
    await acceptDelivery(context, track, {
      kind: 'mention',
      from: { person, team, channel, thread, trigger: undefined },
      // Bolt acks events by itself.
      ack: () => Promise.resolve(false),
      ...(edited
        ? {
            key: `mention:${channel}:${ts}:${edited.ts}`,
            // Saved so that it is answered once; its text is not kept.
            content: '',
            changes: true,
            lane: 'usual',
            work: (interaction) => refuseEdit(context, interaction),
          }
        : {
            key: `mention:${channel}:${ts}`,
            content: line,
            ...natureOf(line),
            work: (interaction) => {
              refuseBold(line);
              return handleLine(context, interaction, line);
            },
          }),
    });
  });
}

/**
 * In a message, Slack makes text between two stars bold, and delivers it with the stars. So a bold name looks like a
 * name with wildcards, which would name more.
 */
function refuseBold(line: string): void {
  const parsed = attempt(() => parse(line, catalogue));
  const names = Object.entries(parsed?.given ?? {}).flatMap(([field, words]) =>
    parsed?.command.fields[field]?.kind === 'plain' ? [] : words,
  );
  if (names.join('').split('*').length > 2)
    throw new Refusal("In a message, two * mean bold, so I can't tell which names you typed. Nothing was done.", {
      hint: say`Use the slash command, one ${code('*')} only, or a set.`,
    });
}

/** The message may already have run before it was edited. */
async function refuseEdit(context: SlackContext, interaction: Interaction): Promise<void> {
  await identifyViewer(context.pipeline, interaction);
  throw new Refusal("I don't run edited messages. Nothing was done.", { hint: 'Send it as a new message.' });
}
