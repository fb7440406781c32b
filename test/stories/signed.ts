import { createHmac } from 'node:crypto';
import { canaries } from './scenario.ts';

/** The headers of a delivery as Slack signs it. `at`: its time as written, by default now in seconds. */
export function signed(body: string, at = String(Math.floor(Date.now() / 1_000))): Readonly<Record<string, string>> {
  const signature = createHmac('sha256', canaries.signingSecret).update(`v0:${at}:${body}`).digest('hex');
  return {
    'x-slack-request-timestamp': at,
    'x-slack-signature': `v0=${signature}`,
    'content-type': 'application/json',
  };
}
