import { inline, type Text, joined, say } from '../../words/text.ts';
import type { Page } from '../../commands/kit/page.ts';

/** What was checked, and how it is told: one check, and the page with the failed checks first. */

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

/** What was checked, the failed checks first. */
export const doctorPage = (checks: readonly Check[]): Page => ({
  title: titleOf(checks),
  parts: [{ kind: 'list', entries: checks.toSorted((one, other) => rankOf(one) - rankOf(other)).map(inWords) }],
  source: 'checked just now; nothing was changed',
  offers: [{ label: 'Check again', args: ['doctor'] }],
});

/** Failed checks come first, then unknown ones. */
const rankOf = ({ ok }: Check): number => (ok === false ? 0 : ok === undefined ? 1 : 2);

/** A check in a line: its mark, what was checked, how it is, and what to do. */
function inWords({ what, says, hint, ...found }: Check): Text {
  return joined([say`${checkMark(found)} **${what}:** ${says}`, hint], ' · ');
}

/** The mark of a check's result. */
export const checkMark = ({ ok, isBroken }: Pick<Check, 'ok' | 'isBroken'>): string =>
  ok === undefined ? '❔' : ok ? '✅' : isBroken ? '❌' : '⚠️';

/** The title of the checks. Unknown is not a failure, but it is not a success either. */
export function titleOf(checks: readonly Check[]): Text {
  const failed = checks.filter(({ ok }) => ok === false).length;
  const unknown = checks.filter(({ ok }) => ok === undefined).length;
  if (failed > 0) {
    const more = unknown > 0 ? `, ${unknown} ${unknown === 1 ? 'is' : 'are'} unknown` : '';
    return say`⚠️ **${failed} of ${checks.length} checks ${failed === 1 ? 'needs' : 'need'} a look${more}**`;
  }
  return unknown > 0
    ? say`❔ **${unknown} of ${checks.length} checks ${unknown === 1 ? 'is' : 'are'} unknown**`
    : say`✅ **All ${checks.length} checks are fine**`;
}
