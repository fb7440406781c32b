import { z } from 'zod';
import type { Control, ControlAnswer, ControlRequest } from './http.ts';

/** Answers requests to a control API by method and path, such as `GET /journal`. */
export type ControlHandlers<Subject> = Readonly<Record<string, (request: ControlRequest, subject: Subject) => unknown>>;

/** A control API: bad input is answered 400 with one sentence, an unknown path with undefined. */
export const controlWith =
  <Subject>(handlers: ControlHandlers<Subject>, subject: Subject): Control =>
  async (request) => {
    const handler = handlers[`${request.method} ${request.path}`];
    return handler && answer(() => handler(request, subject));
  };

/** What `work` gives, with 200. Bad input throws zod's error or `RangeError`. */
async function answer(work: () => unknown): Promise<ControlAnswer> {
  try {
    return { status: 200, body: await work() };
  } catch (error) {
    const sentence = sentenceFor(error);
    if (sentence === undefined) throw error;
    return { status: 400, body: { message: sentence } };
  }
}

function sentenceFor(error: unknown): string | undefined {
  if (error instanceof RangeError) return `${error.message}.`;
  if (!(error instanceof z.ZodError)) return undefined;
  const [issue] = error.issues;
  const where = issue === undefined || issue.path.length === 0 ? 'The body' : `"${issue.path.join('.')}"`;
  return `${where} is wrong: ${issue?.message ?? 'it cannot be read'}.`;
}
