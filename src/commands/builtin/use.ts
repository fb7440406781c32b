import { code, person, say } from '../../text.ts';
import { builtin } from '../kit/builtin.ts';
import { anySite, flag } from '../kit/fields.ts';

export const use = builtin({
  summary: 'Bind this channel to a site: its environments need no site before them',
  button: 'Bind channel',
  right: 'named',
  changes: true,
  fields: { site: anySite(), forget: flag('Forget') },
  answer: async ({ input: { site, forget }, queryService }) => {
    if (forget) {
      const before = await queryService.forget();
      return {
        title: before
          ? say`**This channel is not bound to ${before.name} any more**`
          : say`This channel was bound to no site. Nothing was changed.`,
        parts: [],
      };
    }
    if (site === undefined) {
      const bound = await queryService.bound();
      return {
        title: bound
          ? say`**This channel is about ${bound.name}**, said ${person(bound.by)}`
          : say`**This channel is bound to no site**`,
        parts: [{ kind: 'text', text: say`${code('use')} and a site binds it; ${code('use --forget')} ends that.` }],
      };
    }
    const isNew = await queryService.use(site);
    return {
      title: isNew
        ? say`**This channel is about ${site.name} now**`
        : say`This channel is about ${site.name} already. Nothing was changed.`,
      parts: [
        {
          kind: 'text',
          text: say`Here ${code('logs live')} means ${code(`logs ${site.name}/live`)}. Answers still show whole names, and what destroys something wants them.`,
        },
      ],
      offers: [{ label: 'Forget it', words: ['use', '--forget'] }],
    };
  },
});
