import { counted } from '../../commands/kit/page.ts';
import { readKv } from '../../storage/kv.ts';
import { dayMs } from '../../words/duration.ts';
import { code, joined, say, time, type Text } from '../../words/text.ts';
import { policyInForceKey } from '../../audit/policy-history.ts';
import { version } from '../build-info.ts';
import type { HealthContext } from './context.ts';
import { bad, well, type CheckResult } from './check-result.ts';

/** Checks of this process: its rules, addresses and versions. */

/** How long before its keys are refused a caller is named. */
const warnBeforeMs = 30 * dayMs;

export async function rules({ policy, policyIsBroken, database }: HealthContext): Promise<CheckResult> {
  const { hash, groups, callers } = policy();
  const known = await readKv(database.db, policyInForceKey);
  const since = known?.value === hash ? say` since ${time(known.at, 'date')}` : '';
  const says = say`${code(hash.slice(0, 8))} in force${since}, ${counted(groups.size, 'group')}`;
  if (policyIsBroken())
    return bad(
      say`the file can't be used; ${says}`,
      'Its mistakes are in the log and the ops channel, with line numbers.',
    );
  const now = callers.size === 0 ? 0 : await database.now();
  const ending = [...callers.values()].filter(({ expires }) => expires - now < warnBeforeMs);
  const named = joined(
    ending.map(({ name, expires }) => say`${code(name)} ${expires <= now ? 'since' : 'from'} ${time(expires, 'date')}`),
    ', ',
  );
  return ending.length === 0
    ? well(says)
    : bad(
        say`keys of callers are refused: ${named}; ${says}`,
        say`${code('sitehand caller new')} makes a key; a caller can have two at a time.`,
      );
}

export function encryption({ unencrypted, unverified }: HealthContext): CheckResult {
  const plainly = unencrypted.length > 0;
  if (!plainly && unverified.length === 0)
    return well(say`nothing leaves this machine unencrypted for Slack, the host or the database`);
  const names = (all: readonly string[]): Text => joined(all.map(code), ' and ');
  return bad(
    joined(
      [
        plainly
          ? say`${names(unencrypted)}: no encryption to another machine, so anybody on the way can read what is sent there`
          : undefined,
        unverified.length > 0
          ? say`${names(unverified)}: no certificate is checked, so somebody on the way can answer instead`
          : undefined,
      ],
      '; ',
    ),
    plainly
      ? say`Whoever runs Sitehand should use https://, or ${code('sslmode=verify-full')} for PostgreSQL, and remove ${code('ALLOW_PLAIN_HTTP')}.`
      : say`Whoever runs Sitehand should write ${code('sslmode=verify-full')} there, with ${code('sslrootcert')} if the authority is their own.`,
  );
}

export const versions = (): CheckResult => well(say`Sitehand ${version} on Node ${process.versions.node}`);

export function siteChecks({ siteCheck: { instead }, isHostHere, policy }: HealthContext): CheckResult {
  if (instead !== undefined && isHostHere) return well(say`they go to ${code(instead)}; the hosting API is here, too`);
  if (instead !== undefined)
    return bad(
      say`${code('CHECK_CONNECT_TO')} sends all of them to ${code(instead)}, so they say nothing about your sites`,
      say`Whoever runs Sitehand should remove ${code('CHECK_CONNECT_TO')}: it is for the playground.`,
    );
  return well(policy().checks === 'off' ? say`the policy turns them off` : say`they ask the sites themselves`);
}
