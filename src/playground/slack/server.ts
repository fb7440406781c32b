import { randomUUID } from 'node:crypto';
import { type Served, serve } from '../http.ts';
import { createControl } from './control.ts';
import { type SocketMode, createSocketMode } from './delivery/socket-mode.ts';
import { type Way, createWay } from './delivery/way.ts';
import { click, pick, suggest } from './driving/act.ts';
import { changeChannel, changeGroup, changePerson, disableGroup } from './driving/administer.ts';
import { command, edit, home, mention, say, shortcut } from './driving/say.ts';
import type { Stage } from './driving/stage.ts';
import { close as closeModal, submit } from './driving/submit.ts';
import { createFaults } from './faults.ts';
import { EVENTS, SCOPES, type SlackOptions, TOKENS } from './options.ts';
import { createRateLimits } from './rate-limits.ts';
import { createReader, readFiles, readViews } from './reads.ts';
import { createResponseUrls } from './response-urls.ts';
import { listenerOf } from './routes.ts';
import type { Administering, Driving, Reading, SlackStandIn } from './stand-in.ts';
import type { WebApi } from './web-api.ts';
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
    onChanged: (count) => workspace.changes.tell('connection', { count }),
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
  const way = createWay(options, {
    workspace,
    socket,
    secret: tokens.signingSecret,
    timeoutMs: ackTimeoutMs,
    closed: closed.signal,
  });
  const stage: Stage = {
    workspace,
    delivery: way.delivery,
    responseUrls,
    escapes: options.shouldEscape ?? true,
    events: new Set(options.events ?? EVENTS),
  };
  const served = await serve(listenerOf(api), options.port);
  listening.served = served;
  served.server.on('upgrade', (...upgrade) => socket.accept(...upgrade));
  const close = async (): Promise<void> => {
    if (closed.signal.aborted) return;
    closed.abort();
    workspace.changes.close();
    socket.close();
    await served.close();
  };
  return assemble(stage, api, way, socket, close);
}

function assemble(stage: Stage, api: WebApi, way: Way, socket: SocketMode, close: () => Promise<void>): SlackStandIn {
  const { workspace } = stage;
  const { changes } = workspace;
  const parts: Omit<SlackStandIn, 'control'> = {
    ...drivingOf(stage),
    ...readingOf(workspace),
    ...administeringOf(stage, way, socket),
    apiUrl: `${api.context.baseUrl()}/api/`,
    tokens: api.tokens,
    faults: api.faults,
    delivery: way.delivery.settings,
    connected: (timeoutMs) => changes.until(() => way.reachable() || undefined, timeoutMs).then(() => undefined),
    subscribe: (listener) => changes.subscribe(listener),
    until: (probe, timeoutMs) => changes.until(probe, timeoutMs),
    close,
  };
  return { ...parts, control: createControl(parts) };
}

const drivingOf = (stage: Stage): Driving => ({
  command: (...said) => command(stage, ...said),
  say: (...said) => say(stage, ...said),
  mention: (...said) => mention(stage, ...said),
  edit: (...said) => edit(stage, ...said),
  click: (...said) => click(stage, ...said),
  pick: (...said) => pick(stage, ...said),
  suggest: (...said) => suggest(stage, ...said),
  submit: (...said) => submit(stage, ...said),
  closeModal: (...said) => closeModal(stage, ...said),
  shortcut: (...said) => shortcut(stage, ...said),
  home: (...said) => home(stage, ...said),
});

const readingOf = (workspace: Workspace): Reading => ({
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

const administeringOf = (stage: Stage, way: Way, socket: SocketMode): Administering => ({
  changePerson: (...change) => changePerson(stage, ...change),
  changeGroup: (...change) => changeGroup(stage, ...change),
  disableGroup: (...change) => disableGroup(stage, ...change),
  changeChannel: (...change) => changeChannel(stage, ...change),
  disconnectSockets: (abruptly) => socket.disconnect(abruptly),
  redeliver: (envelope) => way.delivery.redeliver(envelope),
  bring: (kind, payload) => way.bring({ id: randomUUID(), kind, payload, wantsAnswer: true }),
  sendRaw: (words) => socket.sendRaw(words),
  deliverTo: (url) => way.deliverTo(url),
});
