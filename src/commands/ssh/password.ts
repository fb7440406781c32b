import { setPasswordAccess } from '../../hosting/contract/environment.ts';
import { say } from '../../words/text.ts';
import { action } from '../kit/action.ts';
import { choice, environment } from '../kit/fields.ts';

const opposite = { on: 'off', off: 'on' } as const;

const means = { enable: 'on', allow: 'on', disable: 'off', forbid: 'off', deactivate: 'off' };

export const sshPassword = action({
  summary: 'Turn SSH and SFTP access by password on or off',
  button: 'Set password access',
  also: `
    password login, password access, password authentication, password auth, ssh login password, disable password,
    enable password, disable ssh password, enable ssh password, disable ssh login password, turn off password, turn
    on password, turn off ssh password, turn on ssh password, switch off password, switch on password`,
  examples: ['acme-shop/live off'],
  risk: 'sensitive',
  fields: {
    env: environment(),
    access: { ...choice('Password access', ['on', 'off']), means, hint: 'off: whoever connects needs a key.' },
  },
  target: 'env',
  call: ({ input }) => setPasswordAccess({ env_id: input.env.id, is_enabled: input.access === 'on' }),
  card: ({ input: { env, access } }) => ({
    title: say`Switch SSH password access of ${env.name} ${access}`,
    done: say`Switched SSH password access of ${env.name} ${access}`,
    warning:
      access === 'on'
        ? say`**Everybody who knows the password of ${env.name} can connect** from wherever the allowlist lets them.`
        : say`**People and programs that connect to ${env.name} with a password no longer can.**`,
    facts: { Before: 'not known: the host does not show this setting' },
  }),
  after: 'This setting cannot be read back: try to connect.',
  next: ({ input: { env, access } }) => [
    {
      label: `Switch it ${opposite[access]} on ${env.name}`,
      args: ['ssh', 'password', env.id, opposite[access]],
    },
  ],
});
