/** The statuses with which the document's endpoints refuse (section 7). */
export type ErrorStatus = 400 | 401 | 404 | 500;

/** Why a request is refused: its body is malformed, an id or query is, or what it names does not exist. */
export type Reason = 'malformed' | 'address' | 'missing' | 'failure';

/** A refused request. Its status depends on what its endpoint lists (`statusFor`). */
export class Refused extends Error {
  readonly reason: Reason;
  readonly detail: unknown;

  constructor(reason: Reason, detail: unknown) {
    super(`${reason}: ${JSON.stringify(detail)}`);
    this.reason = reason;
    this.detail = detail;
  }
}

/** Refuses because something named in the request does not exist. */
export function missing(what: string): never {
  throw new Refused('missing', `no such ${what}`);
}

const preferred: Readonly<Record<Reason, readonly ErrorStatus[]>> = {
  malformed: [400, 500],
  address: [400, 404, 500],
  missing: [404, 400, 500],
  failure: [500],
};

/** The best status for a reason among those the endpoint lists, which are the only ones it answers (section 4). */
export function statusFor(reason: Reason, listed: readonly ErrorStatus[]): ErrorStatus {
  return preferred[reason].find((status) => listed.includes(status)) ?? 500;
}

const messages: Readonly<Record<ErrorStatus, string>> = {
  400: 'Bad request format',
  401: 'No or invalid API key provided to the request',
  404: 'Could not find data or the user does not have permissions to retrieve it',
  500: 'Error occurred while processing your request',
};

/** The error body of section 7; `detail` travels in the optional `data`. */
export function errorBody(status: ErrorStatus, detail?: unknown): { message: string; status: number; data?: unknown } {
  return { message: messages[status], status, ...(detail === undefined ? {} : { data: detail }) };
}
