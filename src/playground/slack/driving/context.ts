import { randomUUID } from 'node:crypto';
import type { Delivery } from '../delivery/delivery.ts';
import type { DeliveryResult, Envelope } from '../delivery/envelope.ts';
import { type Fields, isFields } from '../json-fields.ts';
import { eventPayload } from '../payloads.ts';
import { Impossible } from '../refused.ts';
import type { ResponseUrls } from '../response-urls.ts';
import type { Channel, Person } from '../shapes.ts';
import { type Workspace, canSee, complain, directMessage, directMessageId, notify } from '../workspace.ts';

/** What people act on. */
export type ActionContext = {
  readonly workspace: Workspace;
  readonly delivery: Delivery;
  readonly responseUrls: ResponseUrls;
  /** Whether commands arrive with `should_escape`. */
  readonly escapes: boolean;
  /** The events the app has subscribed to. */
  readonly events: ReadonlySet<string>;
};

/** The outcome of a person's action. */
export type Outcome = {
  /** False if the client did not send it: an empty required field, a declined dialog, an event without subscription. */
  readonly delivered: boolean;
  /** The envelope's id, for `redeliver`. */
  readonly envelope: string | undefined;
  readonly payload: Fields | undefined;
  readonly acked: boolean;
  /** Milliseconds until the ack. */
  readonly ms: number;
  /** What the app put into its ack. */
  readonly ack: unknown;
  /** A line that only the client shows, such as a command's "operation_timeout". */
  readonly shown: string | undefined;
  /** The errors shown under inputs, by block id. */
  readonly errors: Readonly<Record<string, string>>;
};

/** An outcome that the client did not send. */
export const notSent = (errors: Readonly<Record<string, string>> = {}, shown?: string): Outcome => ({
  delivered: false,
  envelope: undefined,
  payload: undefined,
  acked: false,
  ms: 0,
  ack: undefined,
  shown,
  errors,
});

/** What a client shows when a click or form gets no ack. */
export const CONNECTION_TROUBLE = 'We had some trouble connecting. Try again?';

/** A person who can act. Throws `Impossible` for deactivated people, bots and unknown ids. */
export function actor(workspace: Workspace, id: string): Person {
  const person = workspace.people.get(id);
  if (person === undefined) throw new Impossible(`there is no person ${id}`);
  if (person.deleted) throw new Impossible(`${person.real_name} is deactivated and cannot do anything`);
  if (person.is_bot) throw new Impossible(`${person.real_name} is a bot`);
  return person;
}

/** A channel that the person can act in. Throws `Impossible` if they cannot see it. */
export function channelFor(workspace: Workspace, person: Person, id: string): Channel {
  const channel = id === directMessageId(person.id) ? directMessage(workspace, person.id) : workspace.channels.get(id);
  if (channel === undefined || !canSee(workspace, person.id, channel))
    throw new Impossible(`${person.real_name} cannot see a channel ${id}`);
  return channel;
}

/** Delivers, and shows the person `unanswered(failure)` if there is no ack. */
export async function send(
  { workspace, delivery }: ActionContext,
  person: Person,
  sent: Pick<Envelope, 'kind' | 'payload' | 'wantsAnswer'>,
  unanswered: (failure: string) => string | undefined,
): Promise<Outcome> {
  const payload = delivery.settings.namesTeams ? sent.payload : withoutTeams(sent.payload);
  const envelope: Envelope = { id: randomUUID(), ...sent, payload };
  const answer: DeliveryResult = await delivery.deliver(envelope);
  const { acked, ms, ack } = answer;
  const shown = acked ? undefined : unanswered(answer.failure ?? 'timeout');
  if (!acked) complain(workspace, 'no_ack', `${sent.kind} ${envelope.id}: ${answer.failure ?? 'timeout'}`);
  if (shown !== undefined) notify(workspace, person.id, shown);
  return { delivered: true, envelope: envelope.id, payload, acked, ms, ack, shown, errors: {} };
}

/** Removes the acting person's team and enterprise from a payload; the workspace it is delivered to stays. */
function withoutTeams(payload: Fields): Fields {
  const { user, event } = payload;
  return {
    ...without(payload, ['enterprise', 'enterprise_id', 'enterprise_name']),
    ...(isFields(user) && { user: without(user, ['team_id']) }),
    ...(isFields(event) && { event: without(event, ['team', 'source_team']) }),
  };
}

const without = (fields: Fields, names: readonly string[]): Fields =>
  Object.fromEntries(Object.entries(fields).filter(([name]) => !names.includes(name)));

/** Delivers an event, if the app has subscribed to its type. */
export async function sendEvent(context: ActionContext, person: Person, type: string, event: Fields): Promise<Outcome> {
  if (!context.events.has(type)) return notSent();
  const { workspace } = context;
  const seconds = Math.floor(workspace.now() / 1000);
  const payload = eventPayload(event, workspace.nextId('Ev'), seconds);
  return send(context, person, { kind: 'events_api', payload, wantsAnswer: false }, () => undefined);
}
