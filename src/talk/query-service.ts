import type { QueryService } from '../commands/kit/builtin.ts';
import { adminActions } from '../decide/admin-actions.ts';
import { forceUnlock } from '../decide/force-unlock.ts';
import { queuesFor } from '../waiting/queue-list.ts';
import { bindingFor } from '../decide/channel-binding.ts';
import { changesFor, storyFor } from './change-history.ts';
import { namesFor } from './environments-page.ts';
import { statusFor } from './site-status.ts';
import { timersFor } from '../waiting/timer-list.ts';
import { timeLineServiceFor } from './time-line.ts';
import { watchServiceFor } from '../waiting/digest-service.ts';
import { auditServiceFor } from './audit-service.ts';
import type { Asking } from '../decide/admin-actions.ts';
import type { PipelineContext } from './context.ts';

/** What built-in commands can query, limited to what this person may read. */
export function queryServiceFor(context: PipelineContext, asking: Asking, now: number): QueryService {
  const { person, sight } = asking;
  return {
    person,
    now,
    names: () => namesFor(context, asking),
    change: (number) => storyFor(context, sight.reader('change'), number),
    changes: (filter) => changesFor(context, asking, filter),
    ...timersFor(context, sight, now),
    ...watchServiceFor(context, asking),
    ...statusFor(context, asking, now),
    recent: async () => {
      const { environments } = context.names(person);
      const ids = await context.recent.of(person.id);
      return ids.flatMap((id) => environments.find((one) => one.id === id) ?? []);
    },
    ...adminActions(context, asking, sight),
    forceUnlock: (env) => forceUnlock(context, asking, env),
    ...queuesFor(context, asking),
    ...bindingFor(context, asking),
    ...auditServiceFor(context, asking),
    ...timeLineServiceFor(context, asking),
  };
}
