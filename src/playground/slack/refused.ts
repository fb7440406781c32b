import type { Fields } from './json.ts';

/** A Web API call that Slack would refuse: `code` is Slack's error string, `detail` goes into the answer beside it. */
export class Refused extends Error {
  readonly code: string;
  readonly detail: Fields;

  constructor(code: string, messages: readonly string[] = [], detail: Fields = {}) {
    super(messages.length > 0 ? `${code}: ${messages.join('; ')}` : code);
    this.code = code;
    this.detail = messages.length > 0 ? { ...detail, response_metadata: { messages } } : detail;
  }
}

/** Something a person cannot do in a Slack client, such as pressing a button that is not there. The message says why. */
export class Impossible extends Error {}
