import { hostname, userInfo } from 'node:os';
import { attempt } from '../base/errors.ts';

/** The user of this machine: `deploy@web1`; a user without a name is given by number. */
export const whoRunsThis = (): string =>
  `${attempt(() => userInfo().username) ?? `user ${process.getuid?.()}`}@${hostname()}`;
