import { builtin } from '../kit/builtin.ts';
import { count, withHint } from '../kit/fields.ts';

export const change = builtin({
  summary: 'Show a change and everything that happened to it',
  button: 'Show change',
  also: `
    change <change>, change <number>, show <change>, show change <number>, what <change>, what about <change>, what
    happened <change>, happened to <change>, where <change>, how <change>, look <change>, detail <change>, detail
    change <number>, status <change>, status change <number>, request <change>, request <number>, number <number>,
    <change>, <number>, who approve change <number>, who approve <number>`,
  right: 'read',
  examples: ['42'],
  fields: { number: withHint('As its card shows it, such as #42.', count('Number', 1, 999_999_999)) },
});
