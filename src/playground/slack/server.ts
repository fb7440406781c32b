import { randomUUID } from 'node:crypto';
import { type Served, serve } from '../http.ts';
import { createControl } from './control.ts';
import { type SocketMode, createSocketMode } from './delivery/socket-mode.ts';
import { type Route, createRoute } from './delivery/route.ts';
import { click, pick, suggest } from './driving/act.ts';
import { changeChannel, changeGroup, changePerson, disableGroup } from './driving/administer.ts';
import { command, edit, home, mention, say, shortcut } from './driving/say.ts';
import type { ActionContext } from './driving/context.ts';
import { close as closeModal, submit } from './driving/submit.ts';
import { createFaults } from './faults.ts';
import { EVENTS, SCOPES, type SlackOptions, TOKENS } from './options.ts';
import { createRateLimits } from './rate-limits.ts';
import { createReader, readFiles, readViews } from './person-view.ts';
import { createResponseUrls } from './response-urls.ts';
import type { AdminActions, PeopleActions, Readings, SlackStandIn } from './stand-in.ts';
import { type WebApi, listenerOf } from './web-api.ts';
import { type Workspace, complain, createWorkspace } from './workspace.ts';

/** Starts the workspace on 127.0.0.1. Rejects with the system's error if the port is taken. */
export async function startSlack(options: SlackOptions = {}): Promise<SlackStandIn> {
  const { now = Date.now, tokens = TOKENS, ackTimeoutMs = 3000 } = options;
  const workspace = createWorkspace(now, options.seed);
  const closed = new AbortController();
  const listening: { served?: Served } = {};
  const baseUrl = (): string => listening.served?.url ?? '';
  const responseUrls = createResponseUrls(workspace, baseUrl);
  const socket = createSocketMode({
    baseUrl,
    timeoutMs: ackTimeoutMs,
    onChanged: (count) => workspace.events.emit('connection', { count }),
    onProblem: (text) => complain(workspace, 'ack', text),
  });
  const api: WebApi = {
    context: { workspace, baseUrl, scopes: new Set(options.scopes ?? SCOPES), openSocket: () => socket.open() },
    tokens,
    faults: createFaults(),
    rateLimits: options.rateLimits === true ? createRateLimits(now) : undefined,
    responseUrls,
    closed: closed.signal,
  };
  const timing = { timeoutMs: ackTimeoutMs, closed: closed.signal };
  const route = createRoute(options, { workspace, socket, secret: tokens.signingSecret, ...timing });
  const { delivery } = route;
  const context: ActionContext = { workspace, delivery, responseUrls, ...behaviourOf(options) };
  const served = await serve(listenerOf(api), options.port);
  listening.served = served;
  served.server.on('upgrade', (...upgrade) => socket.accept(...upgrade));
  const close = async (): Promise<void> => {
    if (closed.signal.aborted) return;
    closed.abort();
    workspace.events.close();
    socket.close();
    await served.close();
  };
  return assemble(context, api, route, socket, close);
}

const behaviourOf = ({ shouldEscape = true, events = EVENTS }: SlackOptions) => ({
  escapes: shouldEscape,
  events: new Set(events),
});

function assemble(
  context: ActionContext,
  api: WebApi,
  route: Route,
  socket: SocketMode,
  close: () => Promise<void>,
): SlackStandIn {
  const { workspace } = context;
  const { events } = workspace;
  const parts: Omit<SlackStandIn, 'control'> = {
    ...peopleActionsOf(context),
    ...readingsOf(workspace),
    ...adminActionsOf(context, route, socket),
    apiUrl: `${api.context.baseUrl()}/api/`,
    tokens: api.tokens,
    faults: api.faults,
    delivery: route.delivery.settings,
    connected: (timeoutMs) => events.until(() => route.reachable() || undefined, timeoutMs).then(() => undefined),
    subscribe: (listener) => events.subscribe(listener),
    until: (probe, timeoutMs) => events.until(probe, timeoutMs),
    close,
  };
  return { ...parts, control: createControl(parts) };
}

const peopleActionsOf = (context: ActionContext): PeopleActions => ({
  command: (...args) => command(context, ...args),
  say: (...args) => say(context, ...args),
  mention: (...args) => mention(context, ...args),
  edit: (...args) => edit(context, ...args),
  click: (...args) => click(context, ...args),
  pick: (...args) => pick(context, ...args),
  suggest: (...args) => suggest(context, ...args),
  submit: (...args) => submit(context, ...args),
  closeModal: (...args) => closeModal(context, ...args),
  shortcut: (...args) => shortcut(context, ...args),
  home: (...args) => home(context, ...args),
});

const readingsOf = (workspace: Workspace): Readings => ({
  messages: createReader(workspace),
  views: (person) => readViews(workspace, person),
  files: (person) => readFiles(workspace, person),
  people: () => [...workspace.people.values()],
  groups: () => [...workspace.groups.values()],
  channels: () => [...workspace.channels.values()],
  calls: () => workspace.calls.list(),
  problems: () => workspace.problems.list(),
  notices: () => workspace.notices.list(),
});

const adminActionsOf = (context: ActionContext, route: Route, socket: SocketMode): AdminActions => ({
  changePerson: (...args) => changePerson(context, ...args),
  changeGroup: (...args) => changeGroup(context, ...args),
  disableGroup: (...args) => disableGroup(context, ...args),
  changeChannel: (...args) => changeChannel(context, ...args),
  disconnectSockets: (abruptly) => socket.disconnect(abruptly),
  redeliver: (envelope) => route.delivery.redeliver(envelope),
  deliverRaw: (kind, payload) => route.sendRaw({ id: randomUUID(), kind, payload, wantsAnswer: true }),
  sendRaw: (words) => socket.sendRaw(words),
  deliverTo: (url) => route.deliverTo(url),
});
