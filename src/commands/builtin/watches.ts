import { builtin } from '../kit/builtin.ts';

export const watches = builtin({
  summary: 'List the watches and digests of this channel, and yours elsewhere',
  button: 'List watches',
  also: `
    which watch, what watch, show watch, list watch, running watch, active watch, all watch, our watch, my watch,
    current watch, who watch`,
  right: 'read',
  fields: {},
});
