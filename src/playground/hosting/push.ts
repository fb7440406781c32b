import { touches, withPaths } from './file-tree.ts';
import type { Environment, InstalledTheme } from './resources.ts';
import type { World } from './world.ts';

/** What a push copies; files by path, relative to the site root. */
export type Pushed = { readonly database: boolean; readonly files: 'none' | 'all' | readonly string[] };

/** Overwrites parts of `target` with `source`. Redirects are always copied, as in the service. */
export function push(world: World, source: Environment, target: Environment, what: Pushed, now: number): void {
  target.redirects = structuredClone(source.redirects);
  if (what.files === 'all') target.files = structuredClone(source.files);
  else if (what.files !== 'none') target.files = withPaths(target.files, source.files, what.files);
  if (what.files !== 'none') target.themes = themesAfter(source.themes, target.themes, what.files);
  if (!what.database) return;
  target.database = { from: world.words(source), since: now };
  for (const theme of target.themes) {
    theme.status = source.themes.find(({ name }) => name === theme.name)?.status ?? 'inactive';
  }
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
