import { inline, type Text } from '../../words/text.ts';

/**
 * One check of something that Sitehand needs. `ok` is undefined if unknown; `isBroken`: it does not start, or can do
 * nothing, until that is mended; `hint` says what to do about a problem.
 */
export type Check = {
  readonly what: string;
  readonly ok: boolean | undefined;
  readonly isBroken?: true;
  readonly says: Text;
  readonly hint?: Text;
};

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
