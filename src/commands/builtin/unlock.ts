import { builtin } from '../kit/builtin.ts';
import { environments, flag } from '../kit/fields.ts';

export const unlock = builtin({
  summary: 'Unlock environments; with force, one even from a change of unknown outcome',
  button: 'Unlock',
  also: `
    un-lock, clear lock, undo lock, break lock, remove lock, stop lock, lift lock, release lock, take lock off,
    lock away, lock go away, lock off, lock can go, lock go, lock gone, lock over, turn off lock, lock no longer,
    unlock <environment>, release <environment>, unblock <environment>, free <environment>, open again, open
    <environment> again`,
  right: 'named',
  shows: ['environments'],
  changes: true,
  urgent: true,
  ownRight: 'force',
  examples: ['acme-shop/live', 'acme-*/live'],
  fields: {
    env: environments(),
    force: {
      ...flag('Force'),
      hint: "Removes the lock of a change of unknown outcome instead of a person's. It doesn't say whether the change happened.",
    },
  },
});
