import { elementsOf } from '../block-kit/check.ts';
import { type InputValue, isEmpty } from '../inputs.ts';
import { type Fields, fieldsOf, isFields, textOf } from '../json-fields.ts';
import { interactionPayload, viewPayload } from '../payloads.ts';
import { Impossible, Refused } from '../refused.ts';
import type { Person, View } from '../shapes.ts';
import { blocksOf, pushModal, redefine, replaceView, setStack, stackOf, titleOf } from '../views.ts';
import { complain, notify } from '../workspace.ts';
import { put } from './act.ts';
import { type Outcome, type ActionContext, CONNECTION_TROUBLE, actor, notSent, send } from './context.ts';
import { findTarget, surfaceOf, type ElementSelector } from './surface.ts';

/** Values to fill in before submitting, by an input's label, block id, or `block id/action id`. */
export type FormValues = Readonly<Record<string, InputValue>>;

/** A person fills in the topmost modal and submits it. Filling in does not dispatch; use `pick` for inputs that do. */
export async function submit(context: ActionContext, personId: string, filled: FormValues = {}): Promise<Outcome> {
  const { workspace } = context;
  const person = actor(workspace, personId);
  for (const [name, value] of Object.entries(filled)) {
    const surface = surfaceOf(context, person, 'modal');
    await put(context, person, surface, findTarget(context, surface, selectorFor(context, person, name)), value);
  }
  const view = topModal(context, person);
  if (view.content['submit'] === undefined) throw new Impossible(`"${titleOf(view)}" has no button to send it`);
  if (view.content['submit_disabled'] === true) throw new Impossible(`the button of "${titleOf(view)}" is disabled`);
  const errors = clientErrors(view);
  replaceView(workspace, { ...view, errors });
  if (Object.keys(errors).length > 0) return notSent(errors);
  const payload = {
    ...interactionPayload('view_submission', person),
    trigger_id: workspace.triggers.issue(person.id, view.id),
    view: viewPayload(view),
    response_urls: [],
  };
  const outcome = await send(
    context,
    person,
    { kind: 'interactive', payload, wantsAnswer: true },
    () => CONNECTION_TROUBLE,
  );
  return outcome.acked ? { ...outcome, ...applied(context, person, view, outcome.ack) } : outcome;
}

function topModal({ workspace }: ActionContext, person: Person): View {
  const view = stackOf(workspace, person.id).at(-1);
  if (view === undefined) throw new Impossible(`${person.real_name} has no form open`);
  return view;
}

function selectorFor(context: ActionContext, person: Person, name: string): ElementSelector {
  const blocks = blocksOf(topModal(context, person));
  const [blockId = '', actionId] = name.split('/');
  if (blocks.some((block) => block['block_id'] === name)) return { block_id: name };
  const both = blocks.some(
    (block) => block['block_id'] === blockId && elementsOf(block).some((each) => each['action_id'] === actionId),
  );
  return both && actionId !== undefined ? { block_id: blockId, action_id: actionId } : { label: name };
}

/** Errors that a client itself finds in a form, by block id. */
function clientErrors(view: View): Record<string, string> {
  const errors: Record<string, string> = {};
  for (const block of blocksOf(view).filter((each) => each['type'] === 'input')) {
    const element = fieldsOf(block['element']);
    const blockId = textOf(block['block_id']);
    const held = view.values.get(blockId)?.get(textOf(element['action_id']));
    const error = isEmpty(held)
      ? block['optional'] !== true && 'Please complete this required field.'
      : wrongText(element, textOf(held?.['value']));
    if (error) errors[blockId] = error;
  }
  return errors;
}

function wrongText(element: Fields, text: string): string | undefined {
  if (text === '') return undefined;
  const { type, min_length: least, max_length: most } = element;
  if (typeof least === 'number' && text.length < least) return `Please enter at least ${least} characters.`;
  if (text.length > (typeof most === 'number' ? most : 3000)) return 'Please enter fewer characters.';
  if (type === 'email_text_input' && !/^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(text))
    return 'Please enter a valid email address.';
  if (type === 'url_text_input' && !URL.canParse(text)) return 'Please enter a valid URL.';
  if (type === 'number_input') return wrongNumber(element, text);
  return undefined;
}

function wrongNumber(element: Fields, text: string): string | undefined {
  const number = Number(text);
  if (Number.isNaN(number) || (element['is_decimal_allowed'] !== true && !Number.isInteger(number)))
    return 'Please enter a valid number.';
  if (element['min_value'] !== undefined && number < Number(element['min_value'])) return 'The number is too small.';
  if (element['max_value'] !== undefined && number > Number(element['max_value'])) return 'The number is too large.';
  return undefined;
}

type Shown = Pick<Outcome, 'errors' | 'shown'>;
const NOTHING: Shown = { errors: {}, shown: undefined };

/** Applies the ack of a submission to the form. An ack that Slack would not understand is shown as trouble. */
function applied(context: ActionContext, person: Person, view: View, ack: unknown): Shown {
  try {
    return apply(context, person, view, isFields(ack) ? ack : {});
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    complain(context.workspace, 'invalid_ack', `the ack of a submission: ${error.message}`);
    notify(context.workspace, person.id, CONNECTION_TROUBLE);
    return { errors: {}, shown: CONNECTION_TROUBLE };
  }
}

function apply({ workspace }: ActionContext, person: Person, view: View, ack: Fields): Shown {
  const stack = stackOf(workspace, person.id);
  const current = stack.find((each) => each.id === view.id);
  switch (ack['response_action']) {
    case undefined:
      setStack(
        workspace,
        person.id,
        stack.filter((each) => each.id !== view.id),
      );
      return NOTHING;
    case 'clear':
      setStack(workspace, person.id, []);
      return NOTHING;
    case 'update':
      redefine(workspace, current ?? view, ack['view']);
      return NOTHING;
    case 'push':
      pushModal(workspace, person.id, ack['view'], true);
      return NOTHING;
    case 'errors': {
      const errors = checkedErrors(view, ack['errors']);
      replaceView(workspace, { ...(current ?? view), errors });
      return { ...NOTHING, errors };
    }
    default:
      throw new Refused('unknown_response_action');
  }
}

/** Field errors must name input blocks and must not be empty. */
function checkedErrors(view: View, sent: unknown): Readonly<Record<string, string>> {
  const inputs = new Set(
    blocksOf(view)
      .filter((block) => block['type'] === 'input')
      .map((block) => block['block_id']),
  );
  const errors = Object.entries(fieldsOf(sent));
  if (errors.length === 0) throw new Refused('no_errors');
  const wrong = errors.find(([blockId, text]) => !inputs.has(blockId) || textOf(text) === '');
  if (wrong !== undefined)
    throw new Refused('invalid_error_block', [`${wrong[0]} is no input, or its error says nothing`]);
  return Object.fromEntries(errors.map(([blockId, text]) => [blockId, textOf(text)]));
}

/** A person closes the topmost modal, or all of them. The app hears of those with `notify_on_close`. */
export async function close(context: ActionContext, personId: string, all = false): Promise<readonly Outcome[]> {
  const { workspace } = context;
  const person = actor(workspace, personId);
  const top = topModal(context, person);
  const stack = stackOf(workspace, person.id);
  const clears = all || top.content['clear_on_close'] === true;
  setStack(workspace, person.id, clears ? [] : stack.slice(0, -1));
  const notified = (clears ? stack.toReversed() : [top]).filter((view) => view.content['notify_on_close'] === true);
  const payloads = notified.map((view) => ({
    ...interactionPayload('view_closed', person),
    view: viewPayload(view),
    is_cleared: clears,
  }));
  return Promise.all(
    payloads.map((payload) =>
      send(context, person, { kind: 'interactive', payload, wantsAnswer: false }, () => undefined),
    ),
  );
}
