import type { Command } from '../../commands/index.ts';
import type { Given } from './bind-arguments.ts';

/** What somebody wants, as far as the words alone can tell. */
export type ParsedCommand = {
  readonly path: string;
  readonly command: Command;
  readonly given: Given;
  readonly reason: string | undefined;
  readonly dryRun: boolean;
};
