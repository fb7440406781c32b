import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { expect, test } from 'vitest';
import { inScenario } from './scenario.ts';

test(
  'in Socket Mode, too, at most two hundred unfinished requests stay open, and probes are still answered',
  inScenario({}, async (scenario) => {
    const sockets = Array.from({ length: 600 }, (): Socket => {
      const socket = connect(scenario.port(), '127.0.0.1');
      socket.on('error', () => undefined).write('GET /readyz HTTP/1.1\r\nhost: bot\r\nx: ');
      return socket.resume();
    });
    const open = (): number => sockets.filter(({ closed }) => !closed).length;
    try {
      await Promise.all(sockets.map(async (socket) => socket.connecting && once(socket, 'connect')));
      // Sooner than the timeout for unfinished headers.
      await expect.poll(open, { timeout: 3_000 }).toBeLessThanOrEqual(200);
      for (const [path, says] of [
        ['healthz', 'ok'],
        ['readyz', 'ready'],
      ])
        expect(await (await fetch(`http://127.0.0.1:${scenario.port()}/${path}`)).text()).toBe(says);
    } finally {
      for (const socket of sockets) socket.destroy();
    }
  }),
);
