import { type Fields, nonEmptyTextOf } from '../json-fields.ts';
import { viewPayload } from '../payloads.ts';
import { Refused } from '../refused.ts';
import type { View } from '../shapes.ts';
import { findView, publishHome, pushModal, redefine, stackOf } from '../views.ts';
import { type Context, type Methods, knownPerson, required } from './method.ts';

const shown = (view: View): Fields => ({ view: viewPayload(view) });

function open({ workspace }: Context, args: Fields): Fields {
  const { person, viewId } = workspace.triggers.exchange(required(args, 'trigger_id'));
  return shown(pushModal(workspace, person, args['view'], viewId !== undefined));
}

function push({ workspace }: Context, args: Fields): Fields {
  const { person } = workspace.triggers.exchange(required(args, 'trigger_id'));
  if (stackOf(workspace, person).length === 0) throw new Refused('not_found');
  return shown(pushModal(workspace, person, args['view'], true));
}

function update({ workspace }: Context, args: Fields): Fields {
  const viewId = nonEmptyTextOf(args['view_id']);
  const externalId = viewId === undefined ? required(args, 'external_id') : undefined;
  const view = findView(workspace, (each) =>
    viewId === undefined ? each.content['external_id'] === externalId : each.id === viewId,
  );
  if (view === undefined) throw new Refused('not_found');
  return shown(redefine(workspace, view, args['view'], nonEmptyTextOf(args['hash'])));
}

function publish({ workspace }: Context, args: Fields): Fields {
  const person = knownPerson(workspace, required(args, 'user_id'));
  return shown(publishHome(workspace, person.id, args['view'], nonEmptyTextOf(args['hash'])));
}

/** Modals and App Homes. https://docs.slack.dev/reference/methods/views.open */
export const VIEWS: Methods = {
  'views.open': { token: 'bot', run: open },
  'views.push': { token: 'bot', run: push },
  'views.update': { token: 'bot', run: update },
  'views.publish': { token: 'bot', run: publish },
};
