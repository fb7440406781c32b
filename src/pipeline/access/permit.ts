import type { Needed } from '../../policy/approval-requirement.ts';
import type { Change } from '../../storage/changes.ts';
import { parseStored } from '../../storage/parse-json.ts';

/** So many of these people are asked to approve: Slack user ids, as far as they are known, and the names of their groups. */
export type Ask = {
  readonly count: number;
  readonly people: readonly string[];
  readonly groups: readonly string[];
  /** Slack user groups of theirs whose members are not known. */
  readonly userGroups?: readonly string[];
};

/** What the rules ask before it is sent; kept with the change. */
export type Permit = {
  readonly approval: 'none' | Needed;
  /** Lines of the rules that allow it. */
  readonly rules: readonly number[];
  /** Hash of the policy's text. */
  readonly policy: string;
  /** Whom it was asked of, one entry for each thing the rules want. */
  readonly asks?: readonly Ask[];
  /** The change on whose behalf a timer asks, if it does. */
  readonly timerOf?: number;
};

/** What the rules asked of a stored change. */
export const permitOf = (change: Pick<Change, 'permit'>): Permit => parseStored(change.permit);
