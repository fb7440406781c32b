import { HostTrouble } from '../../hosting/client.ts';
import { validateKey } from '../../hosting/contract/sites.ts';
import { code, say, time } from '../../words/text.ts';
import { TooLate, within } from '../../base/time-limit.ts';
import { troubleText } from '../../hosting/host-trouble.ts';
import type { HealthContext, KeyAnswer } from './context.ts';
import { bad, broken, unknown, well, type CheckResult } from './check-result.ts';
import { dayMs } from '../../words/duration.ts';

/** Checks of the host. */

/** Shorter than the limit of a check, so that the check can still report what is known. */
const hostTimeoutMs = 4_000;
const expiresSoonMs = 14 * dayMs;

export async function host(
  { freshenNames, listing }: HealthContext,
  keyAnswer: Promise<KeyAnswer>,
): Promise<CheckResult> {
  // The listing may be seconds old, so the host's answer about the key counts too.
  const [since, answer] = await Promise.all([freshenNames(hostTimeoutMs), keyAnswer]);
  const { at, trouble: lasting, cut } = listing();
  const trouble = lasting ?? (answer instanceof HostTrouble && isOfHost(answer) ? answer : undefined);
  const last = at === undefined ? say`have not been listed yet` : say`were last listed ${time(at, 'date')}`;
  if (trouble) return bad(say`${troubleText(trouble)} The sites ${last}.`, 'Try again in a minute.');
  if (answer === undefined || (at !== undefined && at < since))
    return bad(
      say`has not answered for ${hostTimeoutMs / 1_000} s; the sites ${last}`,
      "Try again in a minute. The host's own status page may say more.",
    );
  if (at === undefined) return bad(say`the sites ${last}`, 'Try again in a minute.');
  if (cut)
    return bad(
      'it has more sites or domains than I can hold',
      "I don't know some names: use the host's panel for those.",
    );
  return well(say`answers; the sites ${last}`);
}

/** Whether the trouble is the host's and says nothing about the key. */
const isOfHost = ({ kind }: HostTrouble): boolean => kind !== 'not found' && kind !== 'unauthorized';

export async function key({ database }: HealthContext, keyAnswer: Promise<KeyAnswer>): Promise<CheckResult> {
  const renew = say`Whoever runs Sitehand should put a new one into ${code('HOSTING_API_KEY')}.`;
  const answer = await keyAnswer;
  if (answer === undefined) return unknown(say`unknown: the host has not answered`);
  if (answer instanceof HostTrouble) {
    if (answer.kind === 'not found') return well(say`the host doesn't say when it expires`);
    return isOfHost(answer) ? unknown(say`unknown: ${troubleText(answer)}`) : broken(troubleText(answer), renew);
  }
  const at = answer.expires_at;
  if (at === undefined) return well(say`accepted; the host doesn't say when it expires`);
  const left = at - (await database.now());
  if (left <= 0) return bad(say`expired ${time(at, 'date')}`, renew);
  return left < expiresSoonMs
    ? bad(say`expires ${time(at, 'date')}`, renew)
    : well(say`valid until ${time(at, 'date')}`);
}

/** Asks the host about the key; undefined if it takes too long. */
export const validate = ({ read }: HealthContext): Promise<KeyAnswer> =>
  within(hostTimeoutMs, read(validateKey({}))).catch((error: unknown) => {
    if (error instanceof TooLate) return undefined;
    if (error instanceof HostTrouble) return error;
    throw error;
  });
