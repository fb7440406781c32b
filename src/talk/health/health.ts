import { inline, say } from '../../words/text.ts';
import { TooLate, within } from '../../base/time-limit.ts';
import type { HealthContext, KeyAnswer } from './context.ts';
import { answers, auditOut, auditTrail, changes, replicas, reviews, sending, storedData, work } from './database.ts';
import { host, key, validate } from './host.ts';
import { encryption, rules, siteChecks, versions } from './settings.ts';
import { opsChannel, slack, userGroups } from './slack.ts';
import { bad, unknown, type Check, type CheckResult } from './check-result.ts';

type Probe = {
  readonly run: (context: HealthContext, keyAnswer: Promise<KeyAnswer>) => Promise<CheckResult> | CheckResult;
  /** Whose answer it needs, to begin a sentence with. */
  readonly needs: string;
  /** It checks that answer itself, so a missing answer counts as a problem, not as unknown. */
  readonly isItself?: true;
};

const outName = 'Audit trail elsewhere';
/** In the order shown. */
const probes = {
  Slack: { run: slack, needs: 'Slack', isItself: true },
  'Hosting API': { run: host, needs: 'the host', isItself: true },
  'Key of the hosting API': { run: key, needs: 'the host or the database' },
  Encryption: { run: encryption, needs: 'this process' },
  'Site checks': { run: siteChecks, needs: 'this process' },
  Database: { run: answers, needs: 'the database', isItself: true },
  'Stored data': { run: storedData, needs: 'the database' },
  Replicas: { run: replicas, needs: 'the database' },
  Rules: { run: rules, needs: 'the database' },
  'Slack user groups': { run: userGroups, needs: 'Slack' },
  'Ops channel': { run: opsChannel, needs: 'Slack or the database' },
  Sending: { run: sending, needs: 'the database' },
  Changes: { run: changes, needs: 'the database' },
  Reviews: { run: reviews, needs: 'the database' },
  Work: { run: work, needs: 'the database' },
  'Audit trail': { run: auditTrail, needs: 'the database' },
  [outName]: { run: auditOut, needs: 'the database' },
  Versions: { run: versions, needs: 'this process' },
} satisfies Readonly<Record<string, Probe>>;

/** How long one check may take. */
const timeoutMs = 5_000;

/** Runs all checks at the same time, except those with a `known` result. A failing check doesn't reject. */
export function healthOf(
  context: HealthContext,
  known: Partial<Readonly<Record<keyof typeof probes, CheckResult>>> = {},
): Promise<readonly Check[]> {
  // The host is asked about the key once; several checks share the answer.
  const keyAnswer = validate(context);
  const all = Object.entries<Probe | CheckResult>({ ...probes, ...known }).filter(
    ([what]) => what !== outName || context.auditOut,
  );
  return Promise.all(
    all.map(async ([what, probe]) => ({
      what,
      ...('run' in probe ? await probed(context, keyAnswer, what, probe) : probe),
    })),
  );
}

/** What could not be asked is unknown. An error's message goes to the log only: it may contain secrets. */
function probed(
  context: HealthContext,
  keyAnswer: Promise<KeyAnswer>,
  what: string,
  { run, needs, isItself }: Probe,
): Promise<CheckResult> {
  return within(
    timeoutMs,
    Promise.resolve().then(() => run(context, keyAnswer)),
  ).catch((error: unknown) => {
    if (!(error instanceof TooLate)) {
      context.onTrouble(`checking: ${what}`, error);
      return { ...unknown(say`unknown: the check itself failed`), hint: say`My log says why.` };
    }
    const silence = say`has not answered for ${timeoutMs / 1_000} s`;
    const hint = inline('Try again in a minute. My log may say more.');
    return isItself ? bad(silence, hint) : { ...unknown(say`unknown: ${needs} ${silence}`), hint };
  });
}
