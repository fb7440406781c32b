import { inline, say, time, type Inline } from '../../words/text.ts';
import { environment } from '../kit/fields.ts';
import { age, counted, tableOr } from '../kit/page.ts';
import { report } from '../kit/report.ts';
import {
  listUpdatedAt,
  themesOf,
  titled,
  vulnerableMark,
  type InstalledTheme,
  type ThemeListing,
} from './installed.ts';

export const themesShow = report({
  summary: 'Show the themes of an environment and their updates',
  button: 'Show themes',
  also: `
    theme <environment>, theme of, theme installed, active theme`,
  examples: ['acme-shop/live'],
  fields: { env: environment() },
  target: 'env',
  show: async ({ input: { env }, now, ...sources }) => {
    const listing = await themesOf(env, sources);
    const { themes, isWhole } = listing;
    const updates = themes.filter(({ hasUpdate }) => hasUpdate).length;
    return {
      title: say`**${env.name} · themes** · ${isWhole ? '' : 'at least '}${counted(themes.length, 'theme')}${updates > 0 ? `, ${counted(updates, 'update')}` : ''}`,
      parts: tableOr(
        say`The host lists no theme of ${env.name}.`,
        ['Theme', 'Status', 'Version', 'Update to', 'Vulnerable'],
        themes.map((theme) => [
          titled(theme),
          inline(theme.status ?? 'not known'),
          inline(theme.version ?? 'not known'),
          inline(theme.hasUpdate ? (theme.newVersion ?? 'a newer version') : undefined),
          inline(safetyOf(theme)),
        ]),
        isWhole
          ? undefined
          : say`**The host doesn't tell about all themes of ${env.name},** so others may be missing here.`,
      ),
      source: sourceOf(listing, now),
      offers: updates > 0 ? [{ label: 'Update themes', opens: 'form', args: ['themes', 'update', env.id] }] : [],
    };
  },
});

function safetyOf({ vulnerable, newVulnerable }: InstalledTheme): Inline {
  if (vulnerable === null) return 'not told';
  if (vulnerable && newVulnerable) return vulnerableMark('vulnerable, the update too');
  if (vulnerable) return vulnerableMark();
  return newVulnerable ? vulnerableMark('the update is') : 'no';
}

function sourceOf({ from, at, themes }: ThemeListing, now: number): Inline {
  if (from !== 'company') {
    const why = from === 'environment: not allowed' ? 'is closed to my key' : 'knows nothing of it';
    const untold = themes.some(({ vulnerable }) => vulnerable === null)
      ? '; it does not tell of all whether they are vulnerable'
      : '';
    return `read from the environment’s own list, because the company’s list ${why}${untold}`;
  }
  const moment = listUpdatedAt(at);
  const when = moment === undefined ? '' : say`, as the host saw it ${time(moment, 'date')} (${age(now - moment)})`;
  return say`from the company’s list of themes${when}; it can be 12 hours old`;
}
