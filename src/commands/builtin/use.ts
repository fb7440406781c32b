import { builtin } from '../kit/builtin.ts';
import { anySite, flag, withHint } from '../kit/fields.ts';

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
});
