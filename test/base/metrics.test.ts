import { connect } from 'node:net';
import { text as textOf } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { openMetrics } from '../../src/base/metrics.ts';

test('the metrics, and nothing else, are served on loopback', async () => {
  const { metrics, port, close } = await openMetrics(0);
  metrics.moves.inc({ event: 'send' });
  metrics.faults.inc();
  metrics.host.observe({ section: '4.12', outcome: 'accepted' }, 0.2);
  metrics.ack.startTimer({ kind: 'command' })();
  try {
    const answer = await fetch(`http://127.0.0.1:${port}/metrics`);
    const text = await answer.text();
    expect(answer.headers.get('content-type')).toContain('text/plain');
    expect(text).toContain('sitehand_moves_total{event="send"} 1');
    expect(text).toContain('sitehand_ack_seconds_bucket{le="3",kind="command"} 1');
    expect(text).toContain('sitehand_host_seconds_count{section="4.12",outcome="accepted"} 1');
    expect((await fetch(`http://127.0.0.1:${port}/`)).status).toBe(404);
    await expect(fetch(`http://127.0.0.2:${port}/metrics`)).rejects.toThrow('fetch failed');
    await expect(openMetrics(port)).rejects.toThrow('EADDRINUSE');
  } finally {
    await close();
  }
});

test('a connection that asks a hundred times at once is closed', async () => {
  const { port = 0, close } = await openMetrics(0);
  try {
    const socket = connect(port, '127.0.0.1');
    socket.write('GET /metrics HTTP/1.1\r\nhost: x\r\n\r\n'.repeat(100));
    expect(await textOf(socket).catch(() => '')).toBe('');
  } finally {
    await close();
  }
});

test('without a port nothing is counted', async () => {
  const { metrics, port, close } = await openMetrics(undefined);
  expect(metrics.ack.startTimer({ kind: 'command' })()).toBe(0);
  expect(port).toBeUndefined();
  await close();
});

test('it listens where METRICS_HOST says', async () => {
  const { port, close } = await openMetrics(0, '127.0.0.2');
  expect((await fetch(`http://127.0.0.2:${port}/metrics`)).status).toBe(200);
  await close();
});
