import type { Check } from '../../../commands/kit/builtin.ts';
import { inline } from '../../../text.ts';

/** What a check says. */
export type State = Omit<Check, 'what'>;

export const well = (says: State['says']): State => ({ ok: true, says });
export const bad = (says: State['says'] | string, hint: State['says'] | string): State => ({
  ok: false,
  says: inline(says),
  hint: inline(hint),
});
export const unknown = (says: State['says']): State => ({ ok: undefined, says });
