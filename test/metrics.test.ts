import { expect, test } from 'vitest';
import { createMetrics, serveMetrics } from '../src/metrics.ts';

test('what is counted is served on loopback, and nothing else is', async () => {
  const metrics = createMetrics();
  metrics.moves.inc({ event: 'send' });
  metrics.faults.inc({ what: 'x' });
  metrics.host.observe({ section: '4.12', outcome: 'accepted' }, 0.2);
  metrics.ack.observe({ kind: 'command' }, 0.004);
  const server = await serveMetrics(metrics, 0);
  try {
    const place = server.address();
    if (place === null || typeof place === 'string') throw new Error('it has no port');
    const { address, port } = place;
    expect(address).toBe('127.0.0.1');
    const answer = await fetch(`http://127.0.0.1:${port}/metrics`);
    const text = await answer.text();
    expect(answer.headers.get('content-type')).toContain('text/plain');
    expect(text).toContain('sitehand_moves_total{event="send"} 1');
    expect(text).toContain('sitehand_ack_seconds_bucket{le="0.005",kind="command"} 1');
    expect(text).toContain('sitehand_host_seconds_count{section="4.12",outcome="accepted"} 1');
    expect((await fetch(`http://127.0.0.1:${port}/`)).status).toBe(404);
    await expect(serveMetrics(createMetrics(), port)).rejects.toThrow('EADDRINUSE');
  } finally {
    server.closeAllConnections();
    await new Promise((closed) => server.close(closed));
  }
});
