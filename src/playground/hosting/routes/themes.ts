import { z } from 'zod';
import { mendEnvironment } from '../breakages.ts';
import { direction, paged, type Route } from '../endpoint.ts';
import { missing } from '../refused.ts';
import { ok } from '../reply.ts';
import type { Environment, InstalledTheme, Theme } from '../resources.ts';
import type { World } from '../world.ts';

const listing = z.object({
  offset: z.int().nonnegative().optional(),
  limit: z.int().nonnegative().optional(),
  search: z.string().optional(),
  status: z.enum(['active', 'inactive']).optional(),
  column: z.enum(['vulnerable', 'updatesAvailable']).optional(),
  order_by: z.object({ field: z.enum(['name', 'environments', 'updates']), order: direction }).optional(),
});
type Listing = z.infer<typeof listing>;

const bulkUpdate = z.object({
  themes: z
    .array(z.object({ name: z.string().min(1) }))
    .min(1)
    .max(1_000),
});

/** The themes of a company and of an environment. */
export const themeRoutes: readonly Route[] = [
  {
    section: '4.1',
    method: 'GET',
    path: '/company/{id}/wp-themes',
    errors: [401, 404, 500],
    answer: (call, { world, dialect }) => {
      if (call.uuid().toLowerCase() !== world.company.id) missing('company');
      // Some deployments ignore the body of a GET and answer with everything, unsorted.
      const body = call.bodyIfAny(listing);
      const wanted: Listing = dialect === 'kinsta' ? {} : body;
      const chosen = world.themes.map((theme) => companyTheme(theme, world)).filter((item) => isWanted(item, wanted));
      const items = paged(sorted(chosen, wanted.order_by), wanted.offset, wanted.limit);
      const read = new Date(world.themesReadAt).toISOString();
      return ok({ company: { themes: { total: chosen.length, last_updated_at: read, items } } });
    },
  },
  {
    section: '4.13',
    method: 'PUT',
    path: '/sites/environments/{env_id}/themes/bulk-update',
    errors: [401, 404, 500],
    answer: (call, { world, operations, dialect }) => {
      const id = call.uuid();
      const names = new Set(call.body(bulkUpdate).themes.map((theme) => theme.name));
      const updated = themesNamed(world.environment(id), names);
      for (const theme of updated) theme.updateStatus = 'updating';
      const accepted = operations.start('wp-themes:bulk-update', {
        finish: () => {
          const environment = world.environment(id);
          for (const theme of themesNamed(environment, names)) {
            theme.version = latestOf(theme, world);
            theme.updateStatus = 'updated';
            if (theme.status === 'active') mendEnvironment(environment, 'empty');
          }
          environment.cacheGeneration += 1;
        },
        fail: () => {
          for (const theme of updated) theme.updateStatus = 'failed';
        },
      });
      // The public service says 202 only in the body.
      return dialect === 'kinsta' ? { ...accepted, status: 200 } : accepted;
    },
  },
  {
    section: '4.14',
    method: 'GET',
    path: '/sites/environments/{env_id}/themes',
    errors: [401, 404, 500],
    answer: (call, { world }) => {
      const { id, containerId, themes } = world.environment(call.uuid());
      const listed = themes.map((theme) => legacyTheme(theme, world));
      return ok({ environment: { id, container_info: { id: containerId, wp_themes: { data: listed } } } });
    },
  },
  {
    section: 'beyond',
    method: 'GET',
    path: '/sites/environments/{env_id}/wp-themes',
    errors: [401, 404, 500],
    optional: 'environmentThemes',
    answer: (call, { world }) => {
      const { id, containerId, themes } = world.environment(call.uuid());
      const data = themes.map((theme) => ({ ...legacyTheme(theme, world), ...safetyOf(theme, world) }));
      return ok({ environment: { id, container_info: { id: containerId, wp_themes: { data } } } });
    },
  },
];

function companyTheme(theme: Theme, world: World) {
  const environments = world.environments().flatMap((environment) => {
    const installed = environment.themes.find(({ name }) => name === theme.name);
    return installed === undefined ? [] : [themeEntry(theme, installed, environment, world)];
  });
  return {
    name: theme.name,
    title: theme.title,
    description: theme.description,
    latest_version: theme.latest,
    is_latest_version_vulnerable: theme.vulnerable.includes(theme.latest),
    environment_count: environments.length,
    update_count: environments.filter((entry) => entry.theme_update === 'available').length,
    environments,
  };
}

function themeEntry(theme: Theme, installed: InstalledTheme, environment: Environment, world: World) {
  const outdated = installed.version !== theme.latest;
  return {
    id: environment.id,
    site_display_name: world.site(environment.siteId).displayName,
    display_name: environment.displayName,
    theme_status: installed.status,
    theme_update: outdated ? 'available' : null,
    theme_version: installed.version,
    is_theme_version_vulnerable: theme.vulnerable.includes(installed.version),
    theme_update_version: outdated ? theme.latest : null,
    is_theme_update_version_vulnerable: outdated && theme.vulnerable.includes(theme.latest),
    theme_update_status: installed.updateStatus,
    auto_update_type: installed.autoUpdate,
  };
}

type CompanyTheme = ReturnType<typeof companyTheme>;

function isWanted(item: CompanyTheme, { search = '', status, column }: Listing): boolean {
  const named = `${item.name}\n${item.title}`.toLowerCase().includes(search.toLowerCase());
  const inStatus = status === undefined || item.environments.some((entry) => entry.theme_status === status);
  if (column === 'vulnerable')
    return named && inStatus && item.environments.some((entry) => entry.is_theme_version_vulnerable);
  return named && inStatus && (column === undefined || item.update_count > 0);
}

function sorted(items: readonly CompanyTheme[], by: Listing['order_by']): CompanyTheme[] {
  const sign = by?.order === 'descend' ? -1 : 1;
  const weight = (item: CompanyTheme): number => (by?.field === 'updates' ? item.update_count : item.environment_count);
  const byName = by === undefined || by.field === 'name';
  return items.toSorted((a, b) => sign * (byName ? a.name.localeCompare(b.name) : weight(a) - weight(b)));
}

function legacyTheme({ name, version, status, updateStatus }: InstalledTheme, world: World) {
  const latest = latestOf({ name, version }, world);
  const outdated = latest !== version;
  const title = world.themes.find((theme) => theme.name === name)?.title ?? name;
  const update = { update: outdated ? 'available' : 'none', update_version: outdated ? latest : '' };
  return { name, title, status, version, ...update, update_status: updateStatus ?? '' };
}

function safetyOf(installed: InstalledTheme, world: World) {
  const vulnerable = world.themes.find(({ name }) => name === installed.name)?.vulnerable ?? [];
  const latest = latestOf(installed, world);
  return {
    is_version_vulnerable: vulnerable.includes(installed.version),
    is_update_version_vulnerable: latest !== installed.version && vulnerable.includes(latest),
  };
}

function latestOf({ name, version }: { readonly name: string; readonly version: string }, world: World): string {
  return world.themes.find((theme) => theme.name === name)?.latest ?? version;
}

function themesNamed(environment: Environment, names: ReadonlySet<string>): InstalledTheme[] {
  return [...names].map((name) => environment.themes.find((theme) => theme.name === name) ?? missing('theme'));
}
