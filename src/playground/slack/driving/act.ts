import { answerComplaints } from '../block-kit/composition.ts';
import { type Said, chosen, isInput, optionsOf, stateOf } from '../inputs.ts';
import { type Fields, fieldsOf, isFields, textOf } from '../json.ts';
import { interactionPayload } from '../payloads.ts';
import { Impossible } from '../refused.ts';
import type { Person } from '../shapes.ts';
import { complain } from '../workspace.ts';
import { type Outcome, type Stage, TROUBLE, actor, keptBack, send } from './stage.ts';
import { type Surface, type Target, type Where, type Which, findTarget, surfaceOf } from './surface.ts';

/** A person presses a button. Confirm dialogs are accepted unless `confirm` is false. */
export async function click(
  stage: Stage,
  personId: string,
  where: Where,
  which: Which,
  confirm = true,
): Promise<Outcome> {
  const person = actor(stage.workspace, personId);
  const surface = surfaceOf(stage, person, where);
  const target = findTarget(stage, surface, which);
  if (isInput(target.element))
    throw new Impossible(`a ${textOf(target.element['type'])} is not pressed but picked from`);
  if (!confirm && target.element['confirm'] !== undefined) return keptBack();
  const { text, value, type } = target.element;
  return act(stage, person, surface, target, {
    type,
    ...(text === undefined ? {} : { text }),
    ...(value === undefined ? {} : { value }),
  });
}

/** A person sets an input. The app hears of it if the input dispatches. */
export async function pick(stage: Stage, personId: string, where: Where, which: Which, said: Said): Promise<Outcome> {
  const person = actor(stage.workspace, personId);
  const surface = surfaceOf(stage, person, where);
  const target = findTarget(stage, surface, which);
  const value = await put(stage, person, surface, target, said);
  const silent = target.block['type'] === 'input' && target.block['dispatch_action'] !== true;
  if (silent) return keptBack();
  return act(stage, person, surfaceOf(stage, person, where), target, value);
}

/** Sets an input without telling the app, except for suggestion requests. */
export async function put(stage: Stage, person: Person, surface: Surface, target: Target, said: Said): Promise<Fields> {
  const value = chosen(target.element, said, await offered(stage, person, surface, target, said));
  if (target.element['type'] !== 'overflow') surface.put(target.blockId, target.actionId, value);
  return value;
}

async function offered(
  stage: Stage,
  person: Person,
  surface: Surface,
  target: Target,
  said: Said,
): Promise<readonly Fields[]> {
  if (!textOf(target.element['type']).includes('external_select')) return optionsOf(target.element);
  const all: readonly unknown[] = Array.isArray(said) ? said : [said];
  const whole = all.filter(isFields);
  const queries = all.filter((one) => typeof one === 'string');
  const answers = await Promise.all(queries.map((query) => ask(stage, person, surface, target, query)));
  return [...whole, ...answers.flatMap(({ options }) => options)];
}

function act(
  stage: Stage,
  person: Person,
  surface: Surface,
  { blockId, actionId }: Target,
  value: Fields,
): Promise<Outcome> {
  const { workspace } = stage;
  const action = { action_id: actionId, block_id: blockId, ...value, action_ts: workspace.nextTs() };
  const payload = {
    ...interactionPayload('block_actions', person),
    trigger_id: workspace.triggers.issue(person.id, surface.viewId),
    ...surface.answerable(),
    ...(surface.viewId === undefined ? { state: stateOf(surface.values) } : {}),
    actions: [action],
  };
  return send(stage, person, { kind: 'interactive', payload, wantsAnswer: false }, () => TROUBLE);
}

/** The options of an external select for a typed text. */
export type Suggested = Outcome & { readonly options: readonly Fields[] };

/** A person types into an external select. Texts shorter than its `min_query_length` (default 3) are not sent. */
export async function suggest(
  stage: Stage,
  personId: string,
  where: Where,
  which: Which,
  query: string,
): Promise<Suggested> {
  const person = actor(stage.workspace, personId);
  const surface = surfaceOf(stage, person, where);
  return ask(stage, person, surface, findTarget(stage, surface, which), query);
}

async function ask(stage: Stage, person: Person, surface: Surface, target: Target, query: string): Promise<Suggested> {
  if (query.length < Number(target.element['min_query_length'] ?? 3)) return { ...keptBack(), options: [] };
  const payload = {
    ...interactionPayload('block_suggestion', person),
    ...surface.place,
    action_id: target.actionId,
    block_id: target.blockId,
    value: query,
  };
  const outcome = await send(stage, person, { kind: 'interactive', payload, wantsAnswer: true }, () => TROUBLE);
  if (!outcome.acked) return { ...outcome, options: [] };
  const complaints = answerComplaints(outcome.ack);
  for (const complaint of complaints)
    complain(stage.workspace, 'invalid_ack', `the answer to a suggestion: ${complaint}`);
  return { ...outcome, options: complaints.length > 0 ? [] : optionsOf(fieldsOf(outcome.ack)) };
}
