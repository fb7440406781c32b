import { Refusal, type Args } from '../../base/errors.ts';
import { builtin } from '../kit/builtin.ts';
import { optional, wordField } from '../kit/fields.ts';

export const digest = builtin({
  summary: 'Tell this channel every Monday what needs a look at a site',
  button: 'Weekly digest',
  also: `
    weekly, weekly report, weekly summary, weekly digest, monday report, every monday summary, every monday report,
    every monday, every week, summary every week, summary, newsletter`,
  right: 'named',
  shows: ['themes show', 'backups list', 'check', 'timers', 'changes', 'status'],
  changes: true,
  examples: ['acme-shop'],
  fields: {
    names: optional(
      wordField<Args>('Sites', {
        many: true,
        takes: 'a site',
        shown: 'site|site/environment…',
        hint: 'What it is about; left out, the site of this channel.',
        example: 'acme-shop, or acme-shop/live',
        read: (words) => {
          const names = words.flatMap((word) => word.split(/[\s,]+/)).filter((word) => word !== '');
          if (names.length === 0) throw new Refusal('No site was named. Nothing was done.');
          return names;
        },
      }),
    ),
  },
});
