import type { z } from 'zod';
import type { secretReference } from './fields.ts';

/** A secret as a call names it: by a name, and by what it was when the call was made. */
export type SecretReference = z.output<typeof secretReference>;

/** A certificate that lies on this machine with its key; neither travels through Slack or stands in a database. */
export type Certificate = {
  readonly key: SecretReference;
  readonly chain: SecretReference;
  /** The domains that it speaks for, wildcards among them. */
  readonly names: readonly string[];
  /** Epoch milliseconds. */
  readonly validUntil: number;
};
