import { bold, inline, say, type Text } from '../../text.ts';
import { builtin, type Check } from '../kit/builtin.ts';

export const doctor = builtin({
  summary: 'Look whether everything works that Sitehand needs',
  button: 'Look how I am',
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
          columns: ['OK', 'What', 'How it stands', ...(isHinted ? ['What to do'] : [])],
          rows: checks.map(({ what, ok, says, hint }) => [
            inline(ok === undefined ? '❔' : ok ? '✅' : '⚠️'),
            ok ? inline(what) : [bold(what)],
            says,
            ...(isHinted ? [hint ?? []] : []),
          ]),
        },
      ],
      source: 'looked at just now; nothing was changed',
      offers: [{ label: 'Look again', words: ['doctor'] }],
    };
  },
});

/** What needs a look comes first; what is unknown is no illness, but nothing is well with it either. */
function titleOf(checks: readonly Check[]): Text {
  const ill = checks.filter(({ ok }) => ok === false).length;
  const unknown = checks.filter(({ ok }) => ok === undefined).length;
  if (ill > 0) {
    const more = unknown > 0 ? `, ${unknown} ${unknown === 1 ? 'is' : 'are'} unknown` : '';
    return say`⚠️ **${ill} of ${checks.length} checks ${ill === 1 ? 'needs' : 'need'} a look${more}**`;
  }
  return unknown > 0
    ? say`❔ **${unknown} of ${checks.length} checks ${unknown === 1 ? 'is' : 'are'} unknown**`
    : say`✅ **All ${checks.length} checks are well**`;
}
