import type { App, ViewSubmitAction } from '@slack/bolt';
import type { Option } from '@slack/types';
import { z } from 'zod';
import { catalogue } from '../commands/index.ts';
import { folded } from '../pipeline/resolve.ts';
import { passing } from '../points.ts';
import { memoOf, optionOf } from './form.ts';
import { speaker } from './hear.ts';
import type { Track } from './intake.ts';
import { attend, turnAway, within, type Heard, type Reception } from './reception.ts';
import { submission, submit } from './submissions.ts';

const suggestionsMs = 2_000;

/** Submitted and closed forms, and the names that are suggested while somebody types. */
export function listenToForms(app: App, reception: Reception, track: Track): void {
  app.view<ViewSubmitAction>({ callback_id: /.*/, type: 'view_submission' }, async ({ ack, body }) => {
    const end = reception.metrics.ack.startTimer({ kind: 'form' });
    const said = submission.parse(body);
    const { ack: answer, after, inbox } = await submit(reception, said);
    await (answer ? ack(answer) : ack());
    end();
    if (inbox !== undefined) passing('acked', inbox);
    if (after === undefined) return;
    const channel = memoOf(said.view.private_metadata)?.origin.channel;
    const heard: Heard = {
      person: said.user.id,
      team: said.user.team_id,
      channel,
      trigger: undefined,
      inbox,
    };
    if (!track(() => attend(reception, heard, 'working on a form', after))) await turnAway(reception, heard);
  });
  app.view({ callback_id: /.*/, type: 'view_closed' }, ({ ack }) => ack());
  app.options(/.*/, async ({ ack, body }) => {
    await ack({ options: await within(suggestionsMs, suggestions(reception, body)).catch(() => []) });
  });
}

const asking = z.object({
  user: z.object({ id: z.string(), team_id: z.string().optional() }),
  action_id: z.string(),
  value: z.string().default(''),
  view: z.object({ private_metadata: z.string() }).optional(),
});

/** Names that this person may read and that fit what was typed so far, nearest to its beginning first. */
async function suggestions(reception: Reception, body: unknown): Promise<Option[]> {
  const { user, action_id: name, value, view } = asking.parse(body);
  const person = await speaker(reception, { person: user.id, team: user.team_id });
  const field = catalogue.get(memoOf(view?.private_metadata ?? '')?.path ?? '')?.fields[name];
  const names = reception.front.names(person);
  const all = field?.kind === 'domain' ? names.domains : names.environments;
  const typed = folded(value);
  return all
    .filter((one) => folded(one.name).includes(typed))
    .sort((one, other) => folded(one.name).indexOf(typed) - folded(other.name).indexOf(typed))
    .slice(0, 100)
    .map((one) => optionOf(one.id, one.name));
}
