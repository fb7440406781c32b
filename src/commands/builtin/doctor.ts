import { bold, inline, say, type Text } from '../../text.ts';
import { builtin, type Check } from '../kit/builtin.ts';

export const doctor = builtin({
  summary: 'Check that everything Sitehand needs works',
  button: 'Run the checks',
  right: 'read',
  fields: {},
  answer: async ({ queryService }) => {
    const checks = await queryService.health();
    const isHinted = checks.some(({ hint }) => hint !== undefined);
    return {
      title: titleOf(checks),
      parts: [
        {
          kind: 'table',
          columns: ['OK', 'What', 'Status', ...(isHinted ? ['What to do'] : [])],
          rows: checks.map(({ what, ok, says, hint }) => [
            inline(ok === undefined ? '❔' : ok ? '✅' : '⚠️'),
            ok ? inline(what) : [bold(what)],
            says,
            ...(isHinted ? [hint ?? []] : []),
          ]),
        },
      ],
      source: 'checked just now; nothing was changed',
      offers: [{ label: 'Check again', args: ['doctor'] }],
    };
  },
});

/** Failed checks come first. Unknown is not a failure, but it is not a success either. */
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
