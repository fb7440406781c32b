import type { HostTrouble } from '../../hosting/client.ts';
import type { Database } from '../../storage/database.ts';
import type { PipelineContext } from '../context.ts';

/** The parts of a bot that the checks read; the bot need not be running. */
export type HealthContext = Pick<
  PipelineContext,
  | 'askSlack'
  | 'lookAt'
  | 'freshenNames'
  | 'listing'
  | 'read'
  | 'policy'
  | 'policyIsBroken'
  | 'membersOf'
  | 'groupTrouble'
  | 'unencrypted'
  | 'unverified'
  | 'isHostHere'
  | 'auditOut'
  | 'onTrouble'
> & {
  readonly siteCheck: Pick<PipelineContext['siteCheck'], 'instead'>;
  readonly database: Pick<Database, 'db' | 'kind' | 'now'>;
};
/** What the host says about the key, or host trouble; undefined: no answer in time. */
export type KeyAnswer = { readonly expires_at?: number | undefined } | HostTrouble | undefined;
