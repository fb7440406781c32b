import { type Fields, fieldsOf, objectsOf, textOf, nonEmptyTextOf } from '../json-fields.ts';
import { mrkdwnText, namesIn, textObject, typedText } from '../render-text.ts';
import type { Workspace } from '../workspace.ts';
import type { Envelope } from './envelope.ts';

/** A delivery in a few words; `by` is a person's name, empty if nobody acted. */
export type DeliverySummary = { readonly by: string; readonly did: string };

const MAX_LENGTH = 200;

/** Who did what, as a client would put it. */
export function summaryOf(
  workspace: Workspace,
  { kind, payload }: Pick<Envelope, 'kind' | 'payload'>,
): DeliverySummary {
  const event = fieldsOf(payload['event']);
  const user = kind === 'interactive' ? fieldsOf(payload['user'])['id'] : (payload['user_id'] ?? event['user']);
  const id = textOf(user);
  const did = kind === 'interactive' ? interaction(workspace, payload) : written(workspace, payload, event);
  const by = workspace.people.get(id)?.display_name ?? id;
  return { by, did: did.length > MAX_LENGTH ? `${did.slice(0, MAX_LENGTH)}…` : did };
}

function written(workspace: Workspace, payload: Fields, event: Fields): string {
  const names = namesIn(workspace);
  const command = nonEmptyTextOf(payload['command']);
  if (command !== undefined) return `typed ${command} ${typedText(textOf(payload['text']), names)}`.trimEnd();
  const type = textOf(event['type']);
  if (type === 'app_mention') return `wrote ${mrkdwnText(textOf(event['text']), names)}`;
  return type === 'app_home_opened' ? 'opened the Home tab' : `event ${type}`;
}

function interaction(workspace: Workspace, payload: Fields): string {
  const title = textObject(fieldsOf(payload['view'])['title'], namesIn(workspace));
  switch (payload['type']) {
    case 'view_submission':
      return `sent the form “${title}”`;
    case 'view_closed':
      return `closed the form “${title}”`;
    case 'block_suggestion':
      return `looked for “${textOf(payload['value'])}”`;
    case 'shortcut':
      return `chose the shortcut ${textOf(payload['callback_id'])}`;
    default:
      return `pressed ${pressed(workspace, payload)}`;
  }
}

function pressed(workspace: Workspace, payload: Fields): string {
  const [action = {}] = objectsOf(payload['actions']);
  const option = fieldsOf(action['selected_option']);
  const label = textObject(action['text'] ?? option['text'], namesIn(workspace));
  return `“${label === '' ? textOf(action['action_id']) : label}”`;
}
