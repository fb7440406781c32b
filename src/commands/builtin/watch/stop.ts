import { builtin } from '../../kit/builtin.ts';
import { count, withHint } from '../../kit/fields.ts';

export const watchStop = builtin({
  summary: 'End a watch or a digest now',
  button: 'Stop a watch',
  also: `
    unwatch, silence, silence watch, cancel watch, remove watch, disable watch, stop watch <number>, stop watch
    <change>, silence watch <number>, stop digest, cancel digest`,
  right: 'read',
  shows: ['watches'],
  changes: true,
  examples: ['3'],
  fields: { number: withHint('Its number, as the list of watches shows it.', count('Watch', 1, 999_999_999)) },
});
