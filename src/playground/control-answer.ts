import { z } from 'zod';
import type { ControlAnswer } from './http.ts';

/** A whole number in the query of a control request. */
export const count = z
  .string()
  .regex(/^\d{1,9}$/, 'a whole number')
  .transform(Number);

/** What `work` gives, with 200; bad input (zod's errors and `RangeError`) is answered 400 with one sentence. */
export async function controlAnswer(work: () => unknown): Promise<ControlAnswer> {
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
