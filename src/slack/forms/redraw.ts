import { z } from 'zod';
import { catalogue } from '../../commands/index.ts';
import type { ParsedCommand } from '../../pipeline/language/parsed-command.ts';
import { joined } from '../../text.ts';
import { memoOf, noticeView } from './views.ts';
import { onlooker } from '../context/speaker.ts';
import { saidIn } from './inputs.ts';
import { drawForm } from './modals.ts';
import { type SlackContext } from '../context/context.ts';
import { platformError } from '../client/messenger.ts';
import { listsIn, tooOld } from './form-fields.ts';
import { enterpriseNamed } from '../context/payload-shapes.ts';

/** Forms that are drawn anew because an input of theirs that others hang on was filled in. */

/** Somebody filled in an input of a form that tells when it changes. */
export const dispatched = z.object({
  user: z.object({ id: z.string(), team_id: z.string().optional() }),
  enterprise: enterpriseNamed,
  view: z.object({
    id: z.string(),
    hash: z.string(),
    callback_id: z.literal('form'),
    private_metadata: z.string(),
    state: z.object({ values: z.unknown() }),
  }),
  /** When it was filled in: an earlier one can come later, or twice. */
  actions: z.tuple([z.object({ action_ts: z.string() })]),
});
type Dispatched = z.infer<typeof dispatched>;

/** What this process has done with one open form. */
type Turn = {
  /** When the input was filled in that told last. */
  newest: number;
  /** The update under way. */
  updating: Promise<void>;
  /** What each version that was drawn over has become. */
  readonly became: Map<string, string>;
};

const maxForms = 500;
const updated = z.object({ view: z.object({ hash: z.string() }) });

/** Draws forms anew, of several inputs of one form only for the last: an older drawing never stands over a newer one. */
export function createRedraw(context: SlackContext): (said: Dispatched) => Promise<void> {
  const turns = new Map<string, Turn>();
  return async (said) => {
    const { id } = said.view;
    const turn = turns.get(id) ?? { newest: 0, updating: Promise.resolve(), became: new Map() };
    turns.delete(id);
    turns.set(id, turn);
    const [oldest] = turns.size > maxForms ? turns.keys() : [];
    if (oldest !== undefined) turns.delete(oldest);
    const mine = Number(said.actions[0].action_ts);
    if (mine <= turn.newest) return;
    turn.newest = mine;
    const view = await drawAnew(context, said);
    if (view === undefined) return;
    const update = turn.updating.then(async () => {
      if (turn.newest === mine) await put(context, turn, said.view, view);
    });
    turn.updating = update.catch(() => undefined);
    await update;
  };
}

async function put(
  { views }: SlackContext,
  { became }: Turn,
  { id, hash }: Dispatched['view'],
  view: Awaited<ReturnType<typeof drawForm>>,
): Promise<void> {
  let now = hash;
  for (let next = became.get(now); next !== undefined; next = became.get(now)) now = next;
  try {
    const answer = updated.safeParse(await views.views.update({ view_id: id, hash: now, view }));
    if (answer.data && answer.data.view.hash !== now) became.set(now, answer.data.view.hash);
  } catch (error) {
    // It was submitted or closed meanwhile, or another process has drawn it.
    if (!['hash_conflict', 'not_found'].includes(platformError(error) ?? '')) throw error;
  }
}

async function drawAnew(
  context: SlackContext,
  { user, enterprise, view }: Dispatched,
): Promise<Awaited<ReturnType<typeof drawForm>> | undefined> {
  const memo = memoOf(view.private_metadata);
  const command = catalogue.get(memo?.path ?? '');
  if (memo === undefined || command === undefined) return undefined;
  const team = context.people.originOf({ team: user.team_id, enterprise: enterprise?.id });
  const person = await onlooker(context, { person: user.id, team });
  const lists = await listsIn(context, memo);
  if (lists === undefined) return noticeView(command.button, joined([tooOld().says, tooOld().hint]));
  const parsed: ParsedCommand = { path: memo.path ?? '', command, dryRun: false, ...saidIn(view.state.values, lists) };
  return drawForm(context, memo.origin, parsed, person, { choices: memo.choices });
}
