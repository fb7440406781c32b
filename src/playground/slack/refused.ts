import type { Fields } from './json-fields.ts';

/** Slack refuses a Web API call: `code` is its error string, `detail` is added to the answer. */
export class Refused extends Error {
  readonly code: string;
  readonly detail: Fields;

  constructor(code: string, messages: readonly string[] = [], detail: Fields = {}) {
    super(messages.length > 0 ? `${code}: ${messages.join('; ')}` : code);
    this.code = code;
    this.detail = messages.length > 0 ? { ...detail, response_metadata: { messages } } : detail;
  }
}

/** A person cannot do this in a Slack client, such as pressing a missing button. The message says why. */
export class Impossible extends Error {}
