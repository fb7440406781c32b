import type { Askers } from '../policy/approvers.ts';
import type { Needed } from '../policy/approval-requirement.ts';
import { defaultBatchValidityMs, type Calling } from '../policy/rules.ts';
import type { Change } from '../storage/changes.ts';
import { parseStored } from '../storage/parse-json.ts';

/** One requirement as asked: `count` approvals from `people` (known Slack user ids) in these policy groups. */
export type AskedRequirement = {
  readonly count: number;
  readonly people: readonly string[];
  /** Their display names when they were asked, in the same order. */
  readonly names: readonly string[];
  readonly groups: readonly string[];
  /** Slack user groups with unknown members. */
  readonly userGroups?: readonly string[];
  /** People for whom Slack didn't say whether they are members, so they can't be told directly. */
  readonly unsure?: readonly string[];
  /** Whether others, who were not looked up, might approve it too. */
  readonly mayBeOthers?: true;
  /** Who is notified, if the rules name others than those who may approve. */
  readonly notify?: Notified;
};

/** People of these policy groups who are notified of a request; all of them may see what it is about. */
export type Notified = {
  readonly groups: readonly string[];
  readonly people: readonly string[];
  readonly names: readonly string[];
  /** Slack user groups among them with unknown members. */
  readonly unknown: readonly string[];
  readonly unsure?: AskedRequirement['unsure'];
};

/** What the rules required when the change was asked for; stored with it. */
export type Authorization = {
  readonly approval: 'none' | Needed;
  /** Line numbers of the rules that allow it. */
  readonly rules: readonly number[];
  /** How long a batch may begin changes after its start, in milliseconds; missing: the default, or it is no batch. */
  readonly batchValidity?: number;
  /** Hash of the policy's text. */
  readonly policy: string;
  /** Who was asked, with one entry for each requirement. */
  readonly asks?: readonly AskedRequirement[];
  /** Who is told directly, by one id for each person; missing: nobody was asked. */
  readonly told?: readonly string[];
  /** The caller through which it was asked for, with its key and its operators at that time. */
  readonly calling?: Calling & { readonly operators: readonly string[] };
  /** For a change made by a timer: the number of the change that set the timer. */
  readonly timerOf?: number;
};

/** Those who asked for a stored change. */
export const askersOf = (change: Pick<Change, 'requester' | 'handed_on_by' | 'authorization'>): Askers => ({
  requester: change.requester,
  handedOnBy: change.handed_on_by,
  caller: authorizationOf(change).calling,
});

/** How long a stored batch may begin changes after its start, in milliseconds. */
export const batchValidityOf = (change: Pick<Change, 'authorization'>): number =>
  authorizationOf(change).batchValidity ?? defaultBatchValidityMs;

/** The authorization of a stored change. */
export const authorizationOf = (change: Pick<Change, 'authorization'>): Authorization =>
  parseStored(change.authorization);
