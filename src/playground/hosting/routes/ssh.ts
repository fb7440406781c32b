import { isIP } from 'node:net';
import { z } from 'zod';
import type { Route } from '../endpoint.ts';
import { nothing, ok } from '../reply.ts';

const address = z.string().refine(isAddress, 'an IP address, or a range in CIDR notation');
const allowlist = z.object({ ip_allowlist: z.array(address).max(10_000) });
const expiry = z.object({ exp_interval: z.enum(['hours_24', 'days_7', 'days_30', 'days_90', 'never']) });

/** SFTP and SSH access of an environment. */
export const sshRoutes: readonly Route[] = [
  {
    section: '4.15',
    method: 'POST',
    path: '/sites/environments/{env_id}/ssh/change-expiration-interval',
    errors: [400, 401, 500],
    answer: (call, { world }) => {
      const { exp_interval } = call.body(expiry);
      world.environment(call.uuid()).passwordExpiry = exp_interval;
      return nothing;
    },
  },
  {
    section: '4.16',
    method: 'POST',
    path: '/sites/environments/{env_id}/ssh/set-allowed-ips',
    errors: [400, 401, 500],
    answer: (call, { world }) => {
      const { ip_allowlist } = call.body(allowlist);
      world.environment(call.uuid()).allowlist = ip_allowlist;
      return nothing;
    },
  },
  {
    section: '4.17',
    method: 'GET',
    path: '/sites/environments/{env_id}/ssh/get-allowed-ips',
    errors: [400, 401, 404, 500],
    answer: (call, { world, dialect }) => {
      const { allowlist } = world.environment(call.uuid());
      // The public service has been seen to use this spelling.
      const key = dialect === 'kinsta' ? 'stfp_ip_allowlist' : 'sftp_ip_allowlist';
      return ok({ environment: { active_container: { [key]: allowlist } } });
    },
  },
  {
    section: '4.18',
    method: 'POST',
    path: '/sites/environments/{env_id}/ssh/set-password-status',
    errors: [400, 401, 500],
    answer: (call, { world }) => {
      const { is_enabled } = call.body(z.object({ is_enabled: z.boolean() }));
      world.environment(call.uuid()).passwordEnabled = is_enabled;
      return nothing;
    },
  },
];

/** Zone ids are not external addresses, and some parsers would read a leading zero as octal. */
function isAddress(text: string): boolean {
  const [host = '', prefix, ...more] = text.split('/');
  const version = host.includes('%') ? 0 : isIP(host);
  if (version === 0 || more.length > 0) return false;
  return prefix === undefined || (/^(0|[1-9]\d{0,2})$/.test(prefix) && Number(prefix) <= (version === 4 ? 32 : 128));
}
