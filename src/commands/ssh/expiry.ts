import { dayMs, parseDuration } from '../../words/duration.ts';
import { expirationIntervals, setPasswordExpiration } from '../../hosting/contract/environment.ts';
import { say } from '../../words/text.ts';
import { action } from '../kit/action.ts';
import { choice, environment } from '../kit/fields.ts';

const inWords = {
  hours_24: 'after 24 hours',
  days_7: 'after 7 days',
  days_30: 'after 30 days',
  days_90: 'after 90 days',
  never: 'never',
} as const;

const intervals = choice('Passwords expire', expirationIntervals);
const lengths = new Map([
  [dayMs, 'hours_24'],
  [7 * dayMs, 'days_7'],
  [30 * dayMs, 'days_30'],
  [90 * dayMs, 'days_90'],
]);
const expiry: typeof intervals = {
  ...intervals,
  hint: 'After what time a password no longer lets anybody in.',
  isTime: true,
  read: ([first = '']) => intervals.read([lengths.get(parseDuration(first) ?? 0) ?? first]),
};

export const sshExpiry = action({
  summary: 'Set when SSH and SFTP passwords of an environment expire',
  button: 'Set password expiry',
  also: `
    password expire, ssh password expire, rotate password, password age, password valid, password run out, password
    run out after, password <time>`,
  examples: ['acme-shop/live days_30'],
  risk: 'sensitive',
  fields: { env: environment(), expiry },
  target: 'env',
  call: ({ input }) => setPasswordExpiration({ env_id: input.env.id, exp_interval: input.expiry }),
  card: ({ input: { env, expiry } }) => {
    const expires = expiry === 'never' ? 'never expire' : `expire ${inWords[expiry]}`;
    return {
      title: say`Let SSH passwords of ${env.name} ${expires}`,
      done: say`SSH passwords of ${env.name} ${expires} from now on`,
      warning:
        expiry === 'never' ? say`**A password that leaks will open ${env.name} until it is changed.**` : undefined,
      facts: {
        'SSH and SFTP passwords expire': inWords[expiry],
        Before: 'not known: the host does not show this setting',
        'The password of today': 'it is not documented whether its time starts again',
      },
    };
  },
  after: 'This setting cannot be read back.',
});
