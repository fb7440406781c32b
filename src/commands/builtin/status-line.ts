import { code, joined, say, type Text } from '../../words/text.ts';
import type { StatusPart } from '../kit/site-status.ts';

/** One part of a status in words. ✅ well, ⚠️ needs a look, • just a fact, ❔ unknown, 🚫 not allowed for this person. */
export type StatusLine = {
  readonly mark: '✅' | '⚠️' | '•' | '❔' | '🚫';
  readonly label: string;
  readonly says: Text;
};

/** The mark and text of a part. */
export type StatusText = Omit<StatusLine, 'label'>;

/** Why a part has no result. */
export function whyMissing(part: Exclude<StatusPart<unknown>, { readonly kind: 'found' }>): StatusText {
  switch (part.kind) {
    case 'late':
      return { mark: '❔', says: say`unknown: no answer within ${part.afterMs / 1_000} s, so I stopped waiting.` };
    case 'failed':
      return { mark: '❔', says: say`unknown: ${part.why}` };
    case 'not allowed':
      return { mark: '🚫', says: say`not shown: the rules don't let you run ${code(part.path)} here.` };
    case 'rights unknown':
      return {
        mark: '🚫',
        says: say`not shown: I can't tell whether you may run ${code(part.path)}, because Slack doesn't say who is in ${joined(part.userGroups.map(code), ', ')}.`,
      };
  }
}
