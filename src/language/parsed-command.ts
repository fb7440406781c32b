import type { Command } from '../commands/index.ts';
import type { Given } from './bind-arguments.ts';

/** A parsed line; names are not resolved yet. */
export type ParsedCommand = {
  readonly path: string;
  readonly command: Command;
  readonly given: Given;
  readonly reason: string | undefined;
  /** The line as it would be typed, if it was guessed from other words. */
  readonly readAs?: string;
  readonly dryRun: boolean;
  /** Waits in the queue if a lock is in the way. */
  readonly queue?: boolean;
  /** The environment of a batch that goes first and alone, as typed. */
  readonly canary?: string | undefined;
  /** If this person may not run it, asks people who may. */
  readonly handOn?: boolean;
  /** The id of the handed-on request that this runs. */
  readonly handedOn?: string | undefined;
};
