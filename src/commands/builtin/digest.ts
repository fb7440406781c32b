import { Refusal, type Args } from '../../base/errors.ts';
import { code, list, say, time } from '../../words/text.ts';
import { builtin } from '../kit/builtin.ts';
import { optional, wordField } from '../kit/fields.ts';
import { paragraph } from '../kit/page.ts';

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
  answer: async ({ input, queryService }) => {
    const { line, next } = await queryService.digest(input.names ?? []);
    return {
      title: say`**Digest ${code(`#${line.number}`)} of ${list(line.names, 5)} is on** until ${time(line.until, 'date')}`,
      parts: [
        paragraph(
          say`Every Monday at 09:00 (${line.zone}) I tell this channel, with your rights, about vulnerable themes, old backups, certificates that expire, timed access that ends, open changes, and locks without end. The first one, in your own time zone: ${time(next, 'date')}.`,
        ),
      ],
      offers: [{ label: 'Stop', args: ['watch', 'stop', String(line.number)] }],
    };
  },
});
