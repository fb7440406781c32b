import { builtin } from '../kit/builtin.ts';
import { anyEnvironment } from '../kit/fields.ts';

export const timers = builtin({
  summary: 'List timed access over SSH and SFTP',
  button: 'List timers',
  also: `
    timed access, who has temporary access, expiring access, running timer, access end, when access end, access
    until, when does access expire`,
  right: 'read',
  examples: ['', 'acme-shop/live'],
  fields: { env: anyEnvironment() },
});
