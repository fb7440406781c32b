import { isAuditOut, isWebhook } from './addresses.ts';

type Given = Readonly<Record<string, string>>;

/** Settings that contradict each other: one needs another, or excludes it. One sentence each. */
export function contradictionsIn(given: Given): readonly string[] {
  const { SLACK_APP_TOKEN, SLACK_SIGNING_SECRET, METRICS_HOST, METRICS_PORT } = given;
  const { DATABASE_LISTEN_URL, DATABASE_URL = 'sqlite:' } = given;
  return [
    ...(SLACK_APP_TOKEN || SLACK_SIGNING_SECRET
      ? []
      : ['SLACK_APP_TOKEN or SLACK_SIGNING_SECRET is not set: the first means Socket Mode, the second HTTP']),
    ...formerKeysAlone(given),
    ...webhookHalves(given),
    ...(METRICS_HOST && !METRICS_PORT ? ['METRICS_HOST is set, but METRICS_PORT is not: set both, or neither'] : []),
    ...(DATABASE_LISTEN_URL && DATABASE_URL.startsWith('sqlite:')
      ? ['DATABASE_LISTEN_URL is set, but DATABASE_URL is not PostgreSQL: leave one of them out']
      : []),
  ];
}

/** Reports former keys of the audit chain without a current key. */
export const formerKeysAlone = ({ AUDIT_KEY, AUDIT_KEYS_FORMER }: Given): readonly string[] =>
  AUDIT_KEYS_FORMER && !AUDIT_KEY ? ['AUDIT_KEYS_FORMER is set, but AUDIT_KEY, the key in use now, is not'] : [];

function webhookHalves({ AUDIT_OUT = '', AUDIT_OUT_KEY }: Given): readonly string[] {
  if (isWebhook(AUDIT_OUT) === Boolean(AUDIT_OUT_KEY) || (AUDIT_OUT && !isAuditOut(AUDIT_OUT))) return [];
  return AUDIT_OUT_KEY
    ? ['AUDIT_OUT_KEY is set, but AUDIT_OUT is not an https:// address: only what goes to one is signed']
    : ['AUDIT_OUT_KEY is not set: it signs what goes to AUDIT_OUT; openssl rand -hex 32 makes one'];
}
