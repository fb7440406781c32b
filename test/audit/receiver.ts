import { createHmac } from 'node:crypto';
import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import { z } from 'zod';
import { readBody, serve } from '../../src/playground/http.ts';

/** A receiver of the audit trail on loopback, written from the documentation alone. */

const body = z.strictObject({
  version: z.literal(1),
  installation: z.string().regex(/^[\da-f]{16}$/),
  lines: z
    .array(
      z.strictObject({
        seq: z.int().min(1),
        at: z.int(),
        event: z.string(),
        change: z.int().nullable(),
        actor: z.string(),
        details: z.string(),
        previous: z.string(),
        hash: z.string(),
      }),
    )
    .min(1)
    .max(100),
});

type Batch = z.output<typeof body>;
/** One POST: its headers, its body as text, and whether its signature is right. */
type Post = {
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  readonly batch: Batch;
  readonly isSigned: boolean;
};
type Answer = (response: ServerResponse, post: Post) => unknown;

/** What it has received so far. */
export type Receiver = {
  readonly url: string;
  readonly posts: readonly Post[];
  /** The numbers of the lines as they came. */
  readonly seqs: () => readonly number[];
  /** How many POSTs were open at the same time, at most. */
  readonly mostAtOnce: () => number;
  /** Sets the answer from now on; without an argument 204, as at the start. */
  readonly answerWith: (answer?: Answer) => void;
  readonly close: () => Promise<void>;
};

const accept: Answer = (response) => response.writeHead(204).end();

export async function startReceiver(key: string): Promise<Receiver> {
  const posts: Post[] = [];
  let answer = accept;
  let [open, mostAtOnce] = [0, 0];
  const served = await serve((request, response) => {
    open += 1;
    mostAtOnce = Math.max(open, mostAtOnce);
    response.once('close', () => (open -= 1));
    readBody(request).then(
      (bytes) => {
        const text = bytes.toString();
        const isSigned = signatureOf(request.headers, text, key) === request.headers['webhook-signature'];
        const post = { headers: request.headers, text, batch: body.parse(JSON.parse(text)), isSigned };
        posts.push(post);
        answer(response, post);
      },
      () => response.destroy(),
    );
  });
  return {
    url: served.url,
    posts,
    seqs: () => posts.flatMap(({ batch }) => batch.lines.map(({ seq }) => seq)),
    mostAtOnce: () => mostAtOnce,
    answerWith: (next = accept) => void (answer = next),
    close: () => served.close(),
  };
}

const signatureOf = (headers: IncomingHttpHeaders, text: string, key: string): string =>
  `v1,${createHmac('sha256', key)
    .update([headers['webhook-id'], headers['webhook-timestamp'], text].join('.'))
    .digest('base64')}`;
