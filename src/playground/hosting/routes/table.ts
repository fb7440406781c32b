import type { Route } from '../endpoint.ts';
import { backupRoutes } from './backups.ts';
import { beyondRoutes } from './beyond.ts';
import { domainRoutes } from './domains.ts';
import { readingRoutes } from './reading.ts';
import { redirectRoutes } from './redirects.ts';
import { siteRoutes } from './sites.ts';
import { sshRoutes } from './ssh.ts';
import { themeRoutes } from './themes.ts';
import { toolRoutes } from './tools.ts';

/** Every endpoint: the 23 of the document by section, then those beyond it. */
export const routes: readonly Route[] = [
  ...themeRoutes,
  ...redirectRoutes,
  ...domainRoutes,
  ...siteRoutes,
  ...toolRoutes,
  ...sshRoutes,
  ...readingRoutes,
  ...backupRoutes,
  ...beyondRoutes,
];

const matchers = routes.map((route) => ({
  route,
  pattern: new RegExp(`^${route.path.replaceAll(/\{[^}]+\}/g, '([^/]+)')}$`),
}));

/** The route for a method and a path below the base address, with its variable segment decoded. */
export function routeFor(method: string, path: string): { route: Route; id: string } | undefined {
  for (const { route, pattern } of matchers) {
    const match = route.method === method ? pattern.exec(path) : null;
    if (match !== null) return { route, id: decoded(match[1] ?? '') };
  }
  return undefined;
}

/** A segment with a broken escape stays as it is; no resource has such a name. */
function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
