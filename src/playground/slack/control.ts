import type { Control, ControlRequest } from '../http.ts';
import type { ChannelChange, PersonChange } from './driving/administer.ts';
import type { SurfaceReference, ElementSelector } from './driving/surface.ts';
import { signatures } from './delivery/http.ts';
import { faultOf } from './faults.ts';
import type { InputValue } from './inputs.ts';
import { type Fields, fieldsOf, isFields, listOf, objectsOf, nonEmptyTextOf } from './json-fields.ts';
import { Impossible } from './refused.ts';
import { POSTING, type Posting } from './shapes.ts';
import type { SlackStandIn } from './stand-in.ts';

type Slack = Omit<SlackStandIn, 'control'>;
type ControlInput = { readonly body: Fields; readonly query: Fields; readonly id: string };
type Answer = (slack: Slack, input: ControlInput) => unknown;

/** Every path, with `:id` for one segment. Bodies and answers are JSON. */
const PATHS: Readonly<Record<string, Answer>> = {
  'POST /command': (slack, { body }) =>
    slack.command(requiredText(body, 'person'), requiredText(body, 'channel'), requiredText(body, 'text')),
  'POST /say': (slack, { body }) =>
    slack.say(
      requiredText(body, 'person'),
      requiredText(body, 'channel'),
      requiredText(body, 'text'),
      nonEmptyTextOf(body['thread']),
    ),
  'POST /mention': (slack, { body }) =>
    slack.mention(
      requiredText(body, 'person'),
      requiredText(body, 'channel'),
      requiredText(body, 'text'),
      nonEmptyTextOf(body['thread']),
    ),
  'POST /edit': (slack, { body }) =>
    slack.edit(
      requiredText(body, 'person'),
      requiredText(body, 'channel'),
      requiredText(body, 'ts'),
      requiredText(body, 'text'),
    ),
  'POST /click': (slack, { body }) =>
    slack.click(requiredText(body, 'person'), surfaceReferenceOf(body), selectorOf(body), body['confirm'] !== false),
  'POST /pick': (slack, { body }) =>
    slack.pick(
      requiredText(body, 'person'),
      surfaceReferenceOf(body),
      selectorOf(body),
      inputValueOf(body['said'], 'said'),
    ),
  'POST /suggest': (slack, { body }) =>
    slack.suggest(
      requiredText(body, 'person'),
      surfaceReferenceOf(body),
      selectorOf(body),
      typeof body['query'] === 'string' ? body['query'] : requiredText(body, 'query'),
    ),
  'POST /submit': (slack, { body }) => slack.submit(requiredText(body, 'person'), formValuesOf(body['values'])),
  'POST /close': (slack, { body }) => slack.closeModal(requiredText(body, 'person'), body['all'] === true),
  'POST /shortcut': (slack, { body }) =>
    slack.shortcut(requiredText(body, 'person'), requiredText(body, 'callback_id')),
  'POST /home': (slack, { body }) => slack.home(requiredText(body, 'person')),
  'GET /people': (slack) => ({ people: slack.people(), groups: slack.groups() }),
  'GET /channels': (slack) => slack.channels(),
  'GET /messages': (slack, { query }) => {
    const thread = nonEmptyTextOf(query['thread']);
    return slack.messages({
      channel: requiredText(query, 'channel'),
      as: requiredText(query, 'as'),
      ...(thread === undefined ? {} : { thread }),
      ...limitOf(query['limit']),
    });
  },
  'GET /views': (slack, { query }) => slack.views(requiredText(query, 'as')),
  'GET /files': (slack, { query }) => slack.files(requiredText(query, 'as')),
  'GET /calls': (slack) => slack.calls(),
  'GET /problems': (slack) => slack.problems(),
  'GET /notices': (slack) => slack.notices(),
  'GET /faults': (slack) => slack.faults.list(),
  'POST /faults': (slack, { body }) => {
    slack.faults.add(faultOf(body));
    return slack.faults.list();
  },
  'DELETE /faults': (slack, { query }) => {
    const id = nonEmptyTextOf(query['id']);
    const isRemoved = slack.faults.remove(id === undefined ? undefined : Number(id));
    if (id !== undefined && !isRemoved) throw new Impossible(`there is no fault ${id}`);
    return slack.faults.list();
  },
  'POST /people/:id': (slack, { id, body }) => slack.changePerson(id, personChange(body)),
  'POST /groups/:id': (slack, { id, body }) =>
    typeof body['disabled'] === 'boolean'
      ? slack.disableGroup(id, body['disabled'])
      : slack.changeGroup(id, stringList(body['users'], 'users')),
  'POST /channels/:id': (slack, { id, body }) => slack.changeChannel(id, channelChange(body)),
  'POST /disconnect': (slack, { body }) => {
    slack.disconnectSockets(body['abruptly'] === true);
    return {};
  },
  'POST /redeliver': (slack, { body }) => slack.redeliver(requiredText(body, 'envelope')),
  'POST /delivery': (slack, { body }) => {
    const { duplicates, signature } = body;
    if (typeof duplicates === 'number') slack.delivery.duplicates = Math.min(Math.max(Math.trunc(duplicates), 1), 20);
    const known = signatures.find((each) => each === signature);
    if (signature !== undefined && known === undefined)
      throw new Impossible(`a signature is one of ${signatures.join(', ')}`);
    if (known !== undefined) slack.delivery.signature = known;
    return slack.delivery;
  },
};

/** The workspace's control API: 400 with a sentence for impossible requests, undefined for unknown paths. */
export function createControl(slack: Slack): Control {
  return async (request) => {
    const found = find(request);
    if (found === undefined) return undefined;
    try {
      if (request.body !== undefined && !isFields(request.body)) throw new Impossible('the body must be a JSON object');
      const input = { body: fieldsOf(request.body), query: Object.fromEntries(request.query), id: found.id };
      return { status: 200, body: await found.answer(slack, input) };
    } catch (error) {
      if (error instanceof Impossible) return { status: 400, body: { error: error.message } };
      throw error;
    }
  };
}

function find({ method, path }: ControlRequest): { readonly answer: Answer; readonly id: string } | undefined {
  const [, area = '', id, ...rest] = path.split('/');
  const key = id === undefined ? `${method} /${area}` : `${method} /${area}/:id`;
  const answer = Object.hasOwn(PATHS, key) && rest.length === 0 ? PATHS[key] : undefined;
  return answer && { answer, id: decodeURIComponent(id ?? '') };
}

function requiredText(body: Fields, field: string): string {
  const value = nonEmptyTextOf(body[field]);
  if (value === undefined) throw new Impossible(`"${field}" is missing`);
  return value;
}

function limitOf(value: unknown): { readonly limit?: number } {
  if (value === undefined) return {};
  const limit = Number(value);
  if (!Number.isInteger(limit) || limit < 1) throw new Impossible('"limit" must be a whole number from 1 on');
  return { limit };
}

function stringList(value: unknown, field: string): readonly string[] {
  const all = listOf(value).filter((each) => typeof each === 'string');
  if (!Array.isArray(value) || all.length < value.length) throw new Impossible(`"${field}" must be a list of strings`);
  return all;
}

/** `{ channel, ts }` for a message, or `view`: `modal`, `home` or a view's id. Default: the topmost modal. */
function surfaceReferenceOf(body: Fields): SurfaceReference {
  if (body['channel'] !== undefined) return { channel: requiredText(body, 'channel'), ts: requiredText(body, 'ts') };
  const view = nonEmptyTextOf(body['view']) ?? 'modal';
  return view === 'modal' || view === 'home' ? view : { view };
}

function selectorOf(body: Fields): ElementSelector {
  const fields = ['action_id', 'block_id', 'label', 'value'] as const;
  const which = Object.fromEntries(
    fields.flatMap((field) => {
      const value = nonEmptyTextOf(body[field]);
      return value === undefined ? [] : [[field, value]];
    }),
  );
  if (Object.keys(which).length === 0) throw new Impossible('say which: "label", "action_id", "block_id" or "value"');
  return which;
}

function inputValueOf(value: unknown, field: string): InputValue {
  if (value === null || typeof value === 'string' || typeof value === 'number' || isFields(value)) return value;
  if (Array.isArray(value)) return listOf(value).some(isFields) ? objectsOf(value) : stringList(value, field);
  throw new Impossible(`"${field}" must be text, a number, an option, a list of texts, or null`);
}

const formValuesOf = (value: unknown): Readonly<Record<string, InputValue>> =>
  Object.fromEntries(Object.entries(fieldsOf(value)).map(([name, each]) => [name, inputValueOf(each, name)]));

function personChange(body: Fields): PersonChange {
  return {
    ...typedFields(body, ['deleted', 'is_restricted', 'is_ultra_restricted', 'is_stranger'], isFlag),
    ...typedFields(body, ['display_name', 'real_name', 'tz'], isWord),
  };
}

function channelChange(body: Fields): ChannelChange {
  return {
    ...typedFields(body, ['bot', 'archived', 'shared', 'invited', 'strictThreads'], isFlag),
    ...typedFields(body, ['name'], isWord),
    ...typedFields(body, ['posting'], isPosting),
  };
}

const isFlag = (value: unknown): value is boolean => typeof value === 'boolean';
const isWord = (value: unknown): value is string => typeof value === 'string';
const isPosting = (value: unknown): value is Posting => POSTING.some((each) => each === value);

function typedFields<T>(
  body: Fields,
  fields: readonly string[],
  fits: (value: unknown) => value is T,
): { [field: string]: T } {
  const found: { [field: string]: T } = {};
  for (const field of fields) {
    const value = body[field];
    if (value === undefined) continue;
    if (!fits(value)) throw new Impossible(`"${field}" has the wrong type`);
    found[field] = value;
  }
  return found;
}
