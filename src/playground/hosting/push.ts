import { breakEnvironment } from './breakages.ts';
import { touches, withPaths } from './file-tree.ts';
import type { Breakage, Environment, InstalledTheme } from './resources.ts';
import type { World } from './world.ts';

/** What a push copies; files by path, relative to the site root. */
export type PushedParts = { readonly database: boolean; readonly files: 'none' | 'all' | readonly string[] };

/** The files in which a breakage is. `database` is in the database instead, `slow` in the running PHP. */
const brokenFiles = { error: 'wp-content/plugins/quick-cart', empty: 'wp-content/themes' } as const;

/** Overwrites parts of `target` with `source` and clears its cache. Redirects are always copied, as in the service. */
export function push(world: World, source: Environment, target: Environment, parts: PushedParts, now: number): void {
  target.redirects = structuredClone(source.redirects);
  target.cacheGeneration += 1;
  target.broken = breakagesAfter(source, target, parts);
  if (target.nextPushBreaks) breakEnvironment(target, 'error', now);
  target.nextPushBreaks = false;
  if (parts.files === 'all') target.files = structuredClone(source.files);
  else if (parts.files !== 'none') target.files = withPaths(target.files, source.files, parts.files);
  if (parts.files !== 'none') target.themes = themesAfter(source.themes, target.themes, parts.files);
  if (!parts.database) return;
  target.database = { from: world.fullName(source), since: now };
  target.products = structuredClone(source.products);
  for (const theme of target.themes) {
    theme.status = source.themes.find(({ name }) => name === theme.name)?.status ?? 'inactive';
  }
}

/** The breakages of a target after a push: what it copies brings the source's, and replaces the target's own. */
function breakagesAfter(source: Environment, target: Environment, parts: PushedParts): Breakage[] {
  const isCopied = (breakage: Breakage): boolean => {
    if (breakage === 'slow') return false;
    if (breakage === 'database') return parts.database;
    return parts.files === 'all' || (parts.files !== 'none' && touches(parts.files, brokenFiles[breakage]));
  };
  return [...target.broken.filter((one) => !isCopied(one)), ...source.broken.filter(isCopied)];
}

/** The database says which theme is active; the files say which version is installed. */
function themesAfter(
  from: readonly InstalledTheme[],
  present: readonly InstalledTheme[],
  files: 'all' | readonly string[],
): InstalledTheme[] {
  const copied = from.filter(({ name }) => files === 'all' || touches(files, `wp-content/themes/${name}`));
  const before = (name: string): InstalledTheme | undefined => present.find((theme) => theme.name === name);
  const kept = files === 'all' ? [] : present.filter(({ name }) => copied.every((theme) => theme.name !== name));
  const arrived = copied.map((theme) => ({ ...theme, status: before(theme.name)?.status ?? ('inactive' as const) }));
  return [...kept, ...arrived];
}
