import { builtin } from '../kit/builtin.ts';
import { withHint, optional, phrase } from '../kit/fields.ts';

/** What is typed after `help` to see all commands. */
export const allCommands = 'all';

export const help = builtin({
  summary: 'Show what you can run, or how to use one command',
  button: 'Help',
  also: `
    help me how, what can you do, what can i do, what you do, how does this work, commands, list command, show
    command, usage, manual, menu, instruction, example, getting started, start`,
  examples: ['', allCommands, 'push'],
  right: 'anyone',
  glances: true,
  fields: { command: withHint('How this one is used; all: everything you can run.', optional(phrase('Command'))) },
});
