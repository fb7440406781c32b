import { code, mention, say, time, typed } from '../../words/text.ts';
import { builtin } from '../kit/builtin.ts';
import { anyEnvironment } from '../kit/fields.ts';
import { counted, listOr } from '../kit/page.ts';

export const queue = builtin({
  summary: 'List the requests that wait for a lock to end',
  button: 'Show the queue',
  also: `
    show queue, list queue, what queue, who queue, whats in queue, waiting line, waiting in line, in line, line,
    line up, who waiting lock, who next, in queue, still in queue, request in queue`,
  right: 'read',
  examples: ['', 'acme-shop/live'],
  fields: { env: anyEnvironment() },
  answer: async ({ input: { env }, queryService }) => {
    const { lines, more } = await queryService.queue(env);
    const own = lines.find(({ isOwn }) => isOwn);
    const title = env ? `The queue for ${env.name}` : 'Queues';
    return {
      title: say`**${title}** · ${more ? `the first ${lines.length}` : counted(lines.length, 'request')}`,
      parts: listOr(
        say`Nothing that you can see is waiting for a lock.`,
        lines.map(({ number, target, what, requester, isTurn, behind, until }) => {
          const status = isTurn
            ? 'their turn: waits for their review'
            : `waits behind ${behind === undefined ? 'a lock' : `#${behind}`}`;
          return say`${code(String(number))} for **${target}**: ${what} · ${mention(requester)} · ${status} · until ${time(until)}`;
        }),
      ),
      ...(own && { source: say`${typed(`queue leave ${own.number}`)} gives up place ${own.number}` }),
      offers: lines
        .filter(({ isOwn }) => isOwn)
        .map(({ number }) => ({
          label: `Leave the queue: place ${number}`,
          args: ['queue', 'leave', String(number)],
        })),
    };
  },
});
