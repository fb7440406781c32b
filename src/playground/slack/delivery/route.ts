import type { SlackOptions } from '../options.ts';
import type { Workspace } from '../workspace.ts';
import { type Delivery, createMessageSender } from './delivery.ts';
import type { DeliveryResult, RawEnvelope } from './envelope.ts';
import { summaryOf } from './summary.ts';
import { createHttpDelivery } from './http.ts';
import type { SocketMode } from './socket-mode.ts';

/** The route to the app: sockets, or request URLs once there are any. */
export type Route = {
  readonly delivery: Delivery;
  readonly reachable: () => boolean;
  /** Sends this raw, once. */
  readonly sendRaw: (what: RawEnvelope) => Promise<DeliveryResult>;
  readonly deliverTo: (url: string | readonly string[]) => void;
};

type RouteParts = {
  readonly workspace: Workspace;
  readonly socket: SocketMode;
  readonly secret: string;
  readonly timeoutMs: number;
  readonly closed: AbortSignal;
};

/** A route of the chosen kind; `deliverTo` switches it to HTTP. */
export function createRoute(options: SlackOptions, around: RouteParts): Route {
  const { workspace, socket } = around;
  const chosen = options.delivery ?? { kind: 'socket' };
  let urls: readonly string[] = chosen.kind === 'http' && chosen.url !== undefined ? [chosen.url] : [];
  let byHttp = chosen.kind === 'http';
  const delivery: Delivery = createMessageSender(
    () => (byHttp ? http : socket.deliver),
    (envelope, attempt, answer) => {
      const at = workspace.now() - answer.ms;
      const { id, kind } = envelope;
      workspace.events.emit('delivery', {
        envelope: id,
        kind,
        at,
        attempt,
        ...summaryOf(workspace, envelope),
        ...answer,
      });
    },
  );
  const http = createHttpDelivery({
    ...around,
    urls: () => urls,
    signature: () => delivery.settings.signature,
    now: workspace.now,
  });
  return {
    delivery,
    reachable: () => (byHttp ? urls.length > 0 : socket.count() > 0),
    sendRaw: (what) => (byHttp ? http : socket.deliver)(what, 0),
    deliverTo(url) {
      urls = typeof url === 'string' ? [url] : url;
      byHttp = true;
      workspace.events.emit('connection', { urls });
    },
  };
}
