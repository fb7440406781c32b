import type { ReportContext } from '../commands/kit/report.ts';
import type { Dialect } from '../hosting/dialect.ts';
import type { Recent } from '../access/targets.ts';
import type { Semaphore } from '../base/semaphore.ts';
import type { SendContext } from '../send/context.ts';
import type { StatusParts } from './status-parts.ts';

/** What happened to a command: answered, saved as a change, shown in a review, queued, or refused. */
export type CommandOutcome = 'shown' | 'saved' | 'reviewed' | 'queued' | 'refused';

/** Everything that the pipeline works with; `wiring.ts` builds it once. Each room takes its part of it. */
export type PipelineContext = SendContext &
  Pick<ReportContext, 'alias'> & {
    /** As `personOf`, but groups may be some minutes old: for what is only shown or suggested. */
    readonly glanceAt: SendContext['personOf'];
    readonly recent: Recent;
    readonly statusParts: StatusParts;
    /** The turns of reports over many environments. */
    readonly manyTurns: Semaphore;
    /** Slack's last error code for reading a user group; undefined: the read succeeded, or there was none. */
    readonly groupTrouble: (group: string) => string | undefined;
    /** Asks Slack who this bot is; rejects if Slack does not say. */
    readonly askSlack: () => Promise<{ readonly botUserId: string }>;
    /** True while the policy file has mistakes and the last good policy is used. */
    readonly policyIsBroken: () => boolean;
    readonly dialect: Dialect;
    /** Called with a command's path and its outcome, for metrics. */
    readonly onCommand: (command: string, outcome: CommandOutcome) => void;
    /** Environment variables whose address leads to another machine without encryption. */
    readonly unencrypted: readonly string[];
    /** Those whose other end need not prove who it is. */
    readonly unverified: readonly string[];
    /** Whether the hosting API is on this machine, as a stand-in is. */
    readonly isHostHere: boolean;
  };
