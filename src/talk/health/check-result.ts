import type { Check } from '../../commands/kit/builtin.ts';
import { inline } from '../../words/text.ts';

/** The result of a check, without its name. */
export type CheckResult = Omit<Check, 'what'>;

export const well = (says: CheckResult['says']): CheckResult => ({ ok: true, says });
export const bad = (says: CheckResult['says'] | string, hint: CheckResult['says'] | string): CheckResult => ({
  ok: false,
  says: inline(says),
  hint: inline(hint),
});
/** It has to be mended before Sitehand starts, or can do anything. */
export const broken = (...found: Parameters<typeof bad>): CheckResult => ({ ...bad(...found), isBroken: true });
export const unknown = (says: CheckResult['says']): CheckResult => ({ ok: undefined, says });
