import { builtin } from '../kit/builtin.ts';
import { anyEnvironment } from '../kit/fields.ts';

export const queue = builtin({
  summary: 'List the requests that wait for a lock to end',
  button: 'Show the queue',
  also: `
    show queue, list queue, what queue, who queue, whats in queue, waiting line, waiting in line, in line, line,
    line up, who waiting lock, who next, in queue, still in queue, request in queue`,
  right: 'read',
  examples: ['', 'acme-shop/live'],
  fields: { env: anyEnvironment() },
});
