import type { Environment, Environments } from '../../hosting/contract/target.ts';
import { builtin } from '../kit/builtin.ts';
import { environments, type NameField } from '../kit/fields.ts';

const env: NameField<Environment | Environments, true> = { ...environments(), optional: true };

export const status = builtin({
  summary: 'Show how a site is doing and what helps',
  button: 'Show status',
  also: `
    health, healthy, uptime, how is, how doing, how look, how running, state, broken, is broken, is up, up, up
    again, is alive, alive, not working, what wrong, something wrong, problem, trouble, incident, fire, slow, why
    slow, is ok, is fine, everything ok, overview, ping, what happening, info, error page, white screen, white
    page, blank page, look at, check health, <environment>, <host>, how go, probe fail, health check fail`,
  right: 'read',
  shows: ['check', 'logs', 'changes', 'backups list', 'timers', 'environments'],
  examples: ['acme-shop/live', 'acme-*/live'],
  fields: { env },
});
