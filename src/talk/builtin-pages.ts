import { accountOf } from './speaker.ts';
import { explainTo } from '../access/explain-access.ts';
import { findingOf } from '../audit/audit-anchor.ts';
import { findingPage } from '../audit/finding.ts';
import type { Args } from '../base/errors.ts';
import type { Builtins } from '../commands/index.ts';
import type { BuiltinAnswer } from '../commands/kit/builtin.ts';
import type { Fields, Input } from '../commands/kit/fields.ts';
import { freezesAhead, freezesOnAny } from '../change/freeze-check.ts';
import type { Asking } from '../decide/admin-actions.ts';
import { callersKnownTo } from '../policy/callers.ts';
import { queueLeavePage, queuePage } from '../waiting/queues.ts';
import { digestPage } from '../waiting/start-digest.ts';
import { watchPage } from '../waiting/start-watch.ts';
import { timersCancelPage, timersPage } from '../waiting/timer-list.ts';
import { watchesPage, watchStopPage } from '../waiting/watch-list.ts';
import { auditExportPage, auditPage } from './audit-pages.ts';
import { aboutPage } from './build-info.ts';
import { abilityPage, whoamiPage } from './rights-pages.ts';
import { changePage } from './change-page.ts';
import { changesPage } from './changes-pages.ts';
import { commandsFor, helpPage } from './help-page.ts';
import type { PipelineContext } from './context.ts';
import { environmentsPage, namesFor } from './environments-page.ts';
import { doctorPage } from './health/check-result.ts';
import { healthOf } from './health/health.ts';
import { lockPage, unlockPage } from './lock-pages.ts';
import { pausePage, resumePage } from './pause-pages.ts';
import { statusPage } from './status-page.ts';
import { changesExportPage } from './time-line-page.ts';
import { usePage } from './use-page.ts';

type Answer = BuiltinAnswer | Promise<BuiltinAnswer>;

/** What answers each built-in command, limited to what the person may read. One without a line does not compile. */
export type BuiltinPages = {
  readonly [Path in keyof Builtins]: (
    context: PipelineContext,
    asking: Asking,
    input: Input<Builtins[Path]['fields']>,
  ) => Answer;
};

const withFreezes = (context: PipelineContext) => ({
  ...context,
  freezesAhead: freezesAhead.bind(undefined, context),
  freezesOnAny: freezesOnAny.bind(undefined, context),
});

export const builtinPages = {
  status: statusPage,
  watch: watchPage,
  watches: watchesPage,
  'watch stop': watchStopPage,
  digest: digestPage,
  environments: (context, asking, { search }) => environmentsPage(namesFor(context, asking), search, Date.now()),
  changes: changesPage,
  'changes export': changesExportPage,
  change: changePage,
  timers: timersPage,
  'timers cancel': timersCancelPage,
  can: async (context, { person, cardChannel }, { command, person: who }) => {
    const ability = await explainTo(withFreezes(context), person, command, who, cardChannel);
    // The person of a program is somebody else.
    const isYou = ability.person.id === person.id && ability.person.caller === person.caller;
    return abilityPage(ability, isYou);
  },
  audit: auditPage,
  'audit verify': async ({ database, auditKeys }) =>
    findingPage(await findingOf(database.db, auditKeys, await database.now())),
  'audit export': auditExportPage,
  use: usePage,
  lock: lockPage,
  unlock: unlockPage,
  queue: queuePage,
  'queue leave': queueLeavePage,
  pause: pausePage('all'),
  resume: resumePage('all'),
  'pause callers': pausePage('callers'),
  'resume callers': resumePage('callers'),
  help: (context, { person, cardChannel }, { command }) => {
    const commands = commandsFor(context.policy(), person);
    const can = (args: Args) => explainTo(withFreezes(context), person, args, undefined, cardChannel);
    return helpPage({ commands, can, isProgram: person.caller !== undefined }, command);
  },
  whoami: ({ policy }, { person }) => whoamiPage(policy(), person),
  doctor: async (context, { person }) =>
    doctorPage(
      await healthOf({
        ...context,
        policy: () => callersKnownTo(context.policy(), person),
        read: (call) => context.read(call, accountOf(person)),
      }),
    ),
  about: (context) => aboutPage(context),
} satisfies BuiltinPages;

/** A page by a path that is only known as text: its input can be that of any command. */
type AnyPage = { of(context: PipelineContext, asking: Asking, input: Input<Fields>): Answer }['of'];
const byPath: ReadonlyMap<string, AnyPage> = new Map(Object.entries(builtinPages));

/** Answers the built-in command `path`. `input` was read by its fields. Throws `Refusal`. */
export function answerBuiltin(path: string, ...of: Parameters<AnyPage>): Answer {
  const page = byPath.get(path);
  if (page === undefined) throw new Error(`${path} is no built-in command`);
  return page(...of);
}
