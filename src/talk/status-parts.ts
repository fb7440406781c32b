import type { LoudestError, NewestBackup, StatusPart } from '../commands/kit/site-status.ts';
import { createJustBegun } from '../base/caches.ts';

/** How many parts are kept for a second. */
const maxKept = 100;

export type StatusParts = ReturnType<typeof createStatusParts>;

/** What was read from the host in the last second, by environment. It is the same for everybody who may see it. */
export const createStatusParts = () => ({
  backup: createJustBegun<StatusPart<NewestBackup>>(maxKept),
  errors: createJustBegun<StatusPart<LoudestError>>(maxKept),
});
