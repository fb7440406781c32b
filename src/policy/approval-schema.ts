import { z } from 'zod';
import { dayMs, showDuration } from '../words/duration.ts';
import { quoted } from './yaml-document.ts';
import { maxLinkLength, maxMatchLength, wrongLink, wrongMatch } from './reason-match.ts';
import { defaultApprovals, defaultExpiryMs, defaultReason } from './rules.ts';
import { durationUpTo, fields, refuse } from './shapes.ts';

/** `approval:` of a rule. */

const maxApprovals = 20;
const maxExpiryMs = 30 * dayMs;

const wholeNumber = `expected a whole number from 1 to ${maxApprovals}`;

const match = z
  .string('expected a regular expression, like "[A-Z]+-\\\\d+"')
  .max(maxMatchLength, `a regular expression has at most ${maxMatchLength} characters`)
  .superRefine((text, ctx) => {
    const wrong = text.length > maxMatchLength ? undefined : wrongMatch(text);
    if (wrong !== undefined) ctx.addIssue(`${quoted(text)} cannot be looked for: ${wrong}`);
  });
const link = z
  .string('expected a link, like "https://tracker.example/browse/$0"')
  .max(maxLinkLength, `a link has at most ${maxLinkLength} characters`);
const matched = fields(
  {
    match: match.describe('A regular expression (RE2) that has to be found in the reason'),
    link: link.optional().describe('Where what was found leads: $0 is all of it, $1 to $9 are its groups'),
  },
  '{ match, link }',
)
  .superRefine((one, ctx) => {
    const wrong = one.link === undefined ? undefined : wrongLink(one);
    if (wrong !== undefined) refuse(ctx, ['link'], `${quoted(one.link ?? '')} cannot be a link: ${wrong}`);
  })
  .transform((one) => [one] as const);
const reasons = 'expected "required", "optional" or { match, link }';

/** How an approval is written in the file. */
export const expectedApproval = '{ by, notify, then, count, expires, reason }';

/** `approvers`: the shape of a list of groups. */
export const approvalShape = (approvers: z.ZodType<readonly string[]>) =>
  fields(
    {
      by: approvers.describe('The groups whose members can approve'),
      notify: approvers.optional().describe('The groups whose members are notified instead; they need not approve'),
      // oxlint-disable-next-line unicorn/no-thenable -- a key of the file, and no function
      then: fields(
        {
          after: durationUpTo(maxExpiryMs).describe('How long after asking; shorter than "expires"'),
          by: approvers.describe('The groups whose members can approve as well from then on, and are asked then'),
        },
        '{ after, by }',
      )
        .optional()
        .describe('Who else is asked if it still waits then'),
      count: z.int(wholeNumber).min(1, wholeNumber).max(maxApprovals, wholeNumber).default(defaultApprovals),
      expires: durationUpTo(maxExpiryMs)
        .prefault(showDuration(defaultExpiryMs))
        .describe('How long a change waits: 90s, 30m, 1h or 7d'),
      reason: z
        .union([z.enum(['required', 'optional'], reasons), matched], reasons)
        .prefault(defaultReason)
        .describe('Whether a reason is needed, and what has to be in it'),
    },
    expectedApproval,
  )
    .superRefine(({ then, expires }, ctx) => {
      if (then && then.after >= expires)
        refuse(
          ctx,
          ['then', 'after'],
          `${showDuration(then.after)} is not shorter than "expires" (${showDuration(expires)}): nobody would be asked`,
        );
    })
    .transform(({ then, ...approval }) => ({
      ...approval,
      ...(then && { escalate: { after: then.after, to: then.by } }),
    }));
