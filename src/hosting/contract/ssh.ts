import { z } from 'zod';
import { allowlistKeys, values } from '../dialect.ts';
import { readEndpoint, writeEndpoint } from './endpoint.ts';
import { filledLine, trueOrFalse, wholeList } from './fields.ts';

/** How long an SSH password may be valid. */
export const expirationIntervals = values.expirationIntervals;

/** 4.15 */
export const setPasswordExpiration = writeEndpoint({
  section: '4.15',
  method: 'POST',
  path: '/sites/environments/{env_id}/ssh/change-expiration-interval',
  body: { exp_interval: z.enum(expirationIntervals) },
  statuses: [200, 400, 401, 500],
});

/** An entry that can be sent. */
export const allowlistEntry = filledLine.max(128);

/** 4.16. Replaces the whole list. Addresses the host already lists may have any form. */
export const setAllowedIps = writeEndpoint({
  section: '4.16',
  method: 'POST',
  path: '/sites/environments/{env_id}/ssh/set-allowed-ips',
  body: { ip_allowlist: z.array(allowlistEntry).max(10_000).readonly() },
  statuses: [200, 400, 401, 500],
});

const allowlist = wholeList(z.string());
const [documented, seen] = allowlistKeys;

/** 4.17. This list decides who may connect, so a missing list is an odd answer, never an empty one. */
export const getAllowedIps = readEndpoint({
  section: '4.17',
  path: '/sites/environments/{env_id}/ssh/get-allowed-ips',
  statuses: [200, 400, 401, 404, 500],
  reply: z
    .object({
      environment: z.object({
        active_container: z.union([z.object({ [documented]: allowlist }), z.object({ [seen]: allowlist })]),
      }),
    })
    .transform(({ environment: { active_container: container } }) =>
      documented in container ? container[documented] : container[seen],
    ),
});

/** 4.18 */
export const setPasswordAccess = writeEndpoint({
  section: '4.18',
  method: 'POST',
  path: '/sites/environments/{env_id}/ssh/set-password-status',
  body: { is_enabled: trueOrFalse },
  statuses: [200, 400, 401, 500],
});
