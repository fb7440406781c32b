import { bold, inline, say } from '../../text.ts';
import { desk } from '../kit/builtin.ts';

export const doctor = desk({
  summary: 'Look whether everything works that Sitehand needs',
  button: 'Look how I am',
  right: 'read',
  fields: {},
  answer: async ({ office }) => {
    const checks = await office.health();
    const ill = checks.filter(({ ok }) => !ok);
    const isHinted = checks.some(({ hint }) => hint !== undefined);
    return {
      title:
        ill.length === 0
          ? say`✅ **All ${checks.length} checks are well**`
          : say`⚠️ **${ill.length} of ${checks.length} checks ${ill.length === 1 ? 'needs' : 'need'} a look**`,
      parts: [
        {
          kind: 'table',
          columns: ['OK', 'What', 'How it stands', ...(isHinted ? ['What to do'] : [])],
          rows: checks.map(({ what, ok, says, hint }) => [
            inline(ok ? '✅' : '⚠️'),
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
