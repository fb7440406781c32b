import { getNextDownloadableBackup } from '../../hosting/contract/environment.ts';
import { say, time, type Inline } from '../../words/text.ts';
import { environment } from '../kit/fields.ts';
import { freeText, readAt, paragraph } from '../kit/page.ts';
import { report } from '../kit/report.ts';

export const backupsNext = report({
  summary: 'Show when a backup of an environment can be downloaded next',
  button: 'Next download',
  also: `
    download backup, get backup, next downloadable backup, when download backup, when next backup, backup link`,
  examples: ['acme-shop/live'],
  fields: { env: environment() },
  target: 'env',
  show: async ({ input: { env }, read, now }) => {
    const { is_backup_available: isAvailable, reset_at: resetAt } = await read(
      getNextDownloadableBackup({ env_id: env.id }),
    );
    const when = whenOf(resetAt);
    const from =
      when === undefined ? say`The host does not say when the next one is.` : say`The next one is from ${when}.`;
    const state = isAvailable
      ? say`A backup can be downloaded **now**.`
      : isAvailable === false
        ? say`No backup can be downloaded now. ${from}`
        : say`The host does not say whether one can be downloaded now. ${from}`;
    return {
      title: say`**${env.name} · next downloadable backup**`,
      parts: [paragraph(state)],
      source: say`${readAt(now)}; backups are downloaded in its panel`,
      offers: [{ label: 'List backups', args: ['backups', 'list', env.id] }],
    };
  },
});

/** The time to show, read as UTC if it names no zone. If it can't be read for certain, the host's own text. */
function whenOf(resetAt: string | undefined): Inline {
  const text = resetAt?.trim();
  if (!text) return undefined;
  const hasZone = /(?:Z|UTC|GMT|[+-]\d{2}:?\d{2})(?:\s*\([^)]*\))?$/i.test(text);
  const isWhole = /(?<!\d)\d{4}(?!\d)/.test(text) && /\d:\d{2}/.test(text);
  const zoned = hasZone ? text : `${text}${/^\d{4}-\d{2}-\d{2}T/.test(text) ? 'Z' : ' UTC'}`;
  const at = isWhole ? Date.parse(zoned) : Number.NaN;
  return at >= earliest && at <= latest
    ? time(at, 'date')
    : `${freeText(text, 100)} (in the host's own words${hasZone ? '' : ', UTC'})`;
}

/** A time outside these bounds was misread. */
const earliest = Date.UTC(2000, 0);
const latest = Date.UTC(2100, 0);
