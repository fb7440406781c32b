import { answerComplaints } from '../block-kit/composition.ts';
import { type InputValue, chosen, isInput, stateOf } from '../inputs.ts';
import { type Fields, fieldsOf, isFields, optionsOf, textOf } from '../json-fields.ts';
import { interactionPayload } from '../payloads.ts';
import { Impossible } from '../refused.ts';
import type { Person } from '../shapes.ts';
import { complain } from '../workspace.ts';
import { type Outcome, type ActionContext, CONNECTION_TROUBLE, actor, notSent, send } from './context.ts';
import {
  type Surface,
  type Target,
  type SurfaceReference,
  type ElementSelector,
  findTarget,
  surfaceOf,
} from './surface.ts';

/** A person presses a button. Confirm dialogs are accepted unless `confirm` is false. */
export async function click(
  context: ActionContext,
  personId: string,
  where: SurfaceReference,
  which: ElementSelector,
  confirm = true,
): Promise<Outcome> {
  const person = actor(context.workspace, personId);
  const surface = surfaceOf(context, person, where);
  const target = findTarget(context, surface, which);
  if (isInput(target.element))
    throw new Impossible(`a ${textOf(target.element['type'])} is not pressed but picked from`);
  if (!confirm && target.element['confirm'] !== undefined) return notSent();
  const { text, value, type } = target.element;
  return act(context, person, surface, target, {
    type,
    ...(text === undefined ? {} : { text }),
    ...(value === undefined ? {} : { value }),
  });
}

/** A person sets an input. The app hears of it if the input dispatches. */
export async function pick(
  context: ActionContext,
  personId: string,
  where: SurfaceReference,
  which: ElementSelector,
  input: InputValue,
): Promise<Outcome> {
  const person = actor(context.workspace, personId);
  const surface = surfaceOf(context, person, where);
  const target = findTarget(context, surface, which);
  const value = await put(context, person, surface, target, input);
  const silent = target.block['type'] === 'input' && target.block['dispatch_action'] !== true;
  if (silent) return notSent();
  return act(context, person, surfaceOf(context, person, where), target, value);
}

/** Sets an input without telling the app, except for suggestion requests. */
export async function put(
  context: ActionContext,
  person: Person,
  surface: Surface,
  target: Target,
  input: InputValue,
): Promise<Fields> {
  const value = chosen(target.element, input, await offered(context, person, surface, target, input));
  if (target.element['type'] !== 'overflow') surface.put(target.blockId, target.actionId, value);
  return value;
}

async function offered(
  context: ActionContext,
  person: Person,
  surface: Surface,
  target: Target,
  value: InputValue,
): Promise<readonly Fields[]> {
  if (!textOf(target.element['type']).includes('external_select')) return optionsOf(target.element);
  const all: readonly unknown[] = Array.isArray(value) ? value : [value];
  const whole = all.filter(isFields);
  const queries = all.filter((one) => typeof one === 'string');
  const answers = await Promise.all(queries.map((query) => ask(context, person, surface, target, query)));
  return [...whole, ...answers.flatMap(({ options }) => options)];
}

function act(
  context: ActionContext,
  person: Person,
  surface: Surface,
  { blockId, actionId }: Target,
  value: Fields,
): Promise<Outcome> {
  const { workspace } = context;
  const action = { action_id: actionId, block_id: blockId, ...value, action_ts: workspace.nextTs() };
  const payload = {
    ...interactionPayload('block_actions', person),
    trigger_id: workspace.triggers.issue(person.id, surface.viewId),
    ...surface.answerable(),
    ...(surface.viewId === undefined ? { state: stateOf(surface.values) } : {}),
    actions: [action],
  };
  return send(context, person, { kind: 'interactive', payload, wantsAnswer: false }, () => CONNECTION_TROUBLE);
}

/** The options of an external select for a typed text. */
export type SuggestOutcome = Outcome & { readonly options: readonly Fields[] };

/** A person types into an external select. Texts shorter than its `min_query_length` (default 3) are not sent. */
export async function suggest(
  context: ActionContext,
  personId: string,
  where: SurfaceReference,
  which: ElementSelector,
  query: string,
): Promise<SuggestOutcome> {
  const person = actor(context.workspace, personId);
  const surface = surfaceOf(context, person, where);
  return ask(context, person, surface, findTarget(context, surface, which), query);
}

async function ask(
  context: ActionContext,
  person: Person,
  surface: Surface,
  target: Target,
  query: string,
): Promise<SuggestOutcome> {
  if (query.length < Number(target.element['min_query_length'] ?? 3)) return { ...notSent(), options: [] };
  const payload = {
    ...interactionPayload('block_suggestion', person),
    ...surface.place,
    action_id: target.actionId,
    block_id: target.blockId,
    value: query,
  };
  const outcome = await send(
    context,
    person,
    { kind: 'interactive', payload, wantsAnswer: true },
    () => CONNECTION_TROUBLE,
  );
  if (!outcome.acked) return { ...outcome, options: [] };
  const complaints = answerComplaints(outcome.ack);
  for (const complaint of complaints)
    complain(context.workspace, 'invalid_ack', `the answer to a suggestion: ${complaint}`);
  return { ...outcome, options: complaints.length > 0 ? [] : optionsOf(fieldsOf(outcome.ack)) };
}
