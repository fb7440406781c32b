import type { z } from 'zod';
import type { secretReference } from './fields.ts';

/** A secret as a call refers to it: its name, and the hash of its value when the call was made. */
export type SecretReference = z.output<typeof secretReference>;

/** A certificate on this machine with its key. Neither is sent through Slack or stored in the database. */
export type Certificate = {
  readonly key: SecretReference;
  readonly chain: SecretReference;
  /** The domains it covers, including wildcards. */
  readonly names: readonly string[];
  /** Epoch milliseconds. */
  readonly validUntil: number;
};
