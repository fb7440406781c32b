import { explainTo } from '../access/explain-access.ts';
import type { Builtins } from '../commands/index.ts';
import type { BuiltinAnswer } from '../commands/kit/builtin.ts';
import type { Fields, Input } from '../commands/kit/fields.ts';
import type { Asking } from '../decide/admin-actions.ts';
import { aboutPage } from './build-info.ts';
import { abilityPage } from './can-page.ts';
import { commandsFor } from './command-help.ts';
import type { PipelineContext } from './context.ts';
import { environmentsPage, namesFor } from './environments-page.ts';
import { doctorPage } from './health/doctor-page.ts';
import { healthOf } from './health/health.ts';
import { helpPage } from './help-page.ts';
import { whoamiPage } from './whoami-page.ts';

type Answer = BuiltinAnswer | Promise<BuiltinAnswer>;

/** What each built-in command answers, limited to what the person may read. One without a line does not compile. */
export const builtinPages = {
  environments: (context, asking, { search }) => environmentsPage(namesFor(context, asking), search, Date.now()),
  can: async (context, { person, cardChannel }, { command, person: who }) => {
    const ability = await explainTo(context, person, command, who, cardChannel);
    return abilityPage(ability, ability.person.id === person.id);
  },
  help: (context, { person, cardChannel }, { command }) =>
    helpPage(
      {
        commands: commandsFor(context.policy(), person),
        can: (args) => explainTo(context, person, args, undefined, cardChannel),
      },
      command,
    ),
  whoami: ({ policy }, { person }) => whoamiPage(policy(), person),
  doctor: async (context, { person }) =>
    doctorPage(await healthOf({ ...context, read: (call) => context.read(call, person.id) })),
  about: (context) => aboutPage(context),
} satisfies Partial<{
  readonly [Path in keyof Builtins]: (
    context: PipelineContext,
    asking: Asking,
    input: Input<Builtins[Path]['fields']>,
  ) => Answer;
}>;

/** The same by a path that was typed; its input was read by the fields of the same command. */
type AnyPage = { of(context: PipelineContext, asking: Asking, input: Input<Fields>): Answer }['of'];
export const builtinPageAt: ReadonlyMap<string, AnyPage> = new Map(Object.entries(builtinPages));
