import { understand, type Unread } from '../../talk/understand.ts';
import type { ParsedCommand } from '../../language/bind-arguments.ts';
import { identifyViewer } from '../../talk/speaker.ts';
import type { Interaction, SlackContext } from '../context/context.ts';
import { laneOf } from '../context/deliveries.ts';

/** The report that a line probably means that is no command as it is typed. Throws `Refusal`. */
export async function guess(
  context: SlackContext,
  interaction: Interaction,
  unread: Pick<Unread, 'line' | 'refusal' | 'place' | 'parsed'>,
): Promise<ParsedCommand> {
  const { pipeline } = context;
  return understand(pipeline, {
    ...unread,
    person: await identifyViewer(pipeline, interaction, 'everything'),
    // A report that nobody expected would take a turn from others.
    answers: ({ command }) => laneOf(command) === interaction.lane,
  });
}
