import type { QueryService } from '../../commands/kit/builtin.ts';
import { writeDown, type Actor } from '../steps/admin-actions.ts';
import type { PipelineContext } from './context.ts';
import { timeLineFile } from './time-line-file.ts';
import { timeLineFor } from './time-line.ts';

/** The time lines of a `QueryService`, limited to what this person may read. */
export const timeLineServiceFor = (
  context: PipelineContext,
  actor: Actor,
): Pick<QueryService, 'timeLine' | 'takeTimeLine'> => ({
  timeLine: (env, since) => timeLineFor(context, actor.person, env, since),
  takeTimeLine: async (env, since) => {
    const taken = timeLineFile(env, await timeLineFor(context, actor.person, env, since), actor.person);
    const { entries } = taken.line;
    await writeDown(context, actor, { event: 'changes_export', target: env, since, entries: entries.length });
    return taken;
  },
});
