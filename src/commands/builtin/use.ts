import { mention, sample, say, typed } from '../../words/text.ts';
import { builtin } from '../kit/builtin.ts';
import { anySite, flag, withHint } from '../kit/fields.ts';
import { paragraph } from '../kit/page.ts';

export const use = builtin({
  summary: 'Bind this channel to a site, so its environments can be typed without it',
  button: 'Bind channel',
  also: `
    bind, bind channel, set site, use site, channel site, connect channel, default site, bind site, this channel is
    for, channel always, channel mean, channel always mean, unbind, unbind channel, forget site, channel only
    about, channel don't type, channel dont type, don't type, dont type`,
  right: 'named',
  changes: true,
  examples: ['acme-shop', '--forget'],
  fields: { site: anySite(), forget: withHint('Ends the binding.', flag('Forget', ['unbind'])) },
  answer: async ({ input: { site, forget }, queryService }) => {
    if (forget) {
      const before = await queryService.forget();
      return {
        title: before
          ? say`**This channel is no longer bound to ${before.name}**`
          : say`This channel wasn't bound to a site. Nothing was changed.`,
        parts: [],
      };
    }
    if (site === undefined) {
      const bound = await queryService.bound();
      return {
        title: bound
          ? say`**This channel is bound to ${bound.name}**, by ${mention(bound.by)}`
          : say`**This channel isn't bound to a site**`,
        parts: [paragraph(say`${sample('use acme-shop')} binds it to that site; ${typed('use --forget')} ends that.`)],
      };
    }
    const isNew = await queryService.use(site);
    return {
      title: isNew
        ? say`**This channel is now bound to ${site.name}**`
        : say`This channel is already bound to ${site.name}. Nothing was changed.`,
      parts: [
        paragraph(
          say`Here ${sample('logs live')} means ${sample(`logs ${site.name}/live`)}. Answers still show full names, and you have to type them for anything destructive.`,
        ),
      ],
      offers: [{ label: 'Forget it', args: ['use', '--forget'] }],
    };
  },
});
