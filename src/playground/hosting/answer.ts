import { Call, type Dialect, type Host, type OptionalEndpoint } from './endpoint.ts';
import { accepted, type Operations } from './operations.ts';
import { errorBody, Refused, statusFor } from './refused.ts';
import type { Reply } from './reply.ts';
import type { routeFor } from './routes/table.ts';

/** Which endpoints beyond the document exist. */
export type Switches = Record<OptionalEndpoint, boolean>;

/** A complete request; `body` is undefined if it is larger than the service accepts. */
export type CompleteRequest = {
  readonly authorized: boolean;
  readonly found: ReturnType<typeof routeFor>;
  readonly query: URLSearchParams;
  readonly contentType: string;
  readonly body: Buffer | undefined;
};

/** The service's answer; errors are worded as in section 7 and use only statuses that the endpoint lists. */
export function answerTo(request: CompleteRequest, host: Host, switches: Readonly<Switches>): Reply {
  const { found, body } = request;
  if (!request.authorized) return { status: 401, body: unauthorized(host.dialect) };
  if (found === undefined || isOff(found.route.optional, switches)) return { status: 404, body: errorBody(404) };
  try {
    if (body === undefined) throw new Refused('malformed', 'the body is too large');
    return found.route.answer(new Call(found.id, request.query, request.contentType, body), host);
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    const status = statusFor(error.reason, found.route.errors);
    return { status, body: errorBody(status, error.detail) };
  }
}

/** Messages are not part of the contract; the public service words this one differently. */
const unauthorized = (dialect: Dialect): object =>
  dialect === 'kinsta' ? { ...errorBody(401), message: 'Unauthenticated.' } : errorBody(401);

function isOff(optional: OptionalEndpoint | undefined, switches: Readonly<Switches>): boolean {
  return optional !== undefined && !switches[optional];
}

/** A host that answers like this one but changes nothing. */
export function withoutEffects(host: Host & { readonly operations: Operations }): Host {
  const status = (id: string): Reply => host.operations.status(id);
  return { ...host, world: host.world.copy(), operations: { start: accepted, status } };
}
