import type { AuditBatch, SentLine } from '../audit-out.ts';

/** The version of the documented formats. Raise it for any change that readers could notice. */
const version = 1;

/** The body of a POST: `{ version, installation, lines }`, JSON. */
export const postBody = ({ installation, lines }: AuditBatch): string =>
  JSON.stringify({ version, installation, lines: lines.map(ordered) });

/** One JSON object with a line break for each line of the trail. The key `audit` tells them from lines of the log. */
export const jsonLines = ({ installation, lines }: AuditBatch): string =>
  lines.map((line) => `${JSON.stringify({ audit: version, installation, ...ordered(line) })}\n`).join('');

/** The two databases return columns in different orders. */
const ordered = ({ seq, at, event, change, actor, details, previous, hash }: SentLine): SentLine => ({
  seq,
  at,
  event,
  change,
  actor,
  details,
  previous,
  hash,
});
