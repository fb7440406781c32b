import { z } from 'zod';
import { readEndpoint, writeEndpoint, type HostReader } from './call.ts';
import {
  cell,
  wholeNumber,
  filledLine,
  flagCell,
  idCell,
  line,
  numberCell,
  partialList,
  sortOrder,
  textCell,
  type PartialList,
} from './fields.ts';
import { isAnswered } from '../failure.ts';

/** Themes: of the company, of one environment, and read page by page where the host allows it. */

const themeEnvironment = z.object({
  id: idCell,
  site_display_name: textCell,
  display_name: textCell,
  theme_status: textCell,
  theme_update: textCell,
  theme_version: textCell,
  is_theme_version_vulnerable: flagCell,
  theme_update_version: textCell,
  is_theme_update_version_vulnerable: flagCell,
  theme_update_status: textCell,
  auto_update_type: textCell,
});

const companyTheme = z.object({
  name: textCell,
  title: textCell,
  description: textCell,
  latest_version: textCell,
  is_latest_version_vulnerable: flagCell,
  environment_count: numberCell,
  update_count: numberCell,
  /** Undefined: not known. */
  environments: cell(partialList(themeEnvironment)),
});

const environmentTheme = z.object({
  name: textCell,
  title: textCell,
  status: textCell,
  version: textCell,
  update: textCell,
  update_version: textCell,
  update_status: textCell,
  /** Only the list that replaces 4.14 says how safe a version is. */
  is_version_vulnerable: flagCell,
  is_update_version_vulnerable: flagCell,
});
type EnvironmentTheme = z.output<typeof environmentTheme>;

export type CompanyTheme = z.output<typeof companyTheme>;

/** 4.1. Some deployments ignore the body of this GET, so filter, sort and page the answer too. */
export const listCompanyThemes = readEndpoint({
  section: '4.1',
  path: '/company/{id}/wp-themes',
  body: {
    offset: wholeNumber.optional(),
    limit: wholeNumber.optional(),
    search: line.optional(),
    status: z.enum(['active', 'inactive']).optional(),
    column: z.enum(['vulnerable', 'updatesAvailable']).optional(),
    order_by: z.strictObject({ field: z.enum(['name', 'environments', 'updates']), order: sortOrder }).optional(),
  },
  statuses: [200, 401, 404, 500],
  reply: z
    .object({
      company: z.object({
        themes: z.object({ total: numberCell, last_updated_at: textCell, items: partialList(companyTheme) }),
      }),
    })
    .transform(({ company }) => company.themes),
});

/** 4.13. `themes` are named by `name`. */
export const updateThemes = writeEndpoint({
  section: '4.13',
  method: 'PUT',
  path: '/sites/environments/{env_id}/themes/bulk-update',
  body: {
    themes: z
      .array(z.strictObject({ name: filledLine }))
      .min(1)
      .max(1_000)
      .readonly(),
  },
  operation: 'wp-themes:bulk-update',
  statuses: [202, 401, 404, 500],
});

const themesReply = z
  .object({
    environment: z.object({
      container_info: z.object({ wp_themes: z.object({ data: partialList(environmentTheme) }) }),
    }),
  })
  .transform(({ environment }) => environment.container_info.wp_themes.data);

/** 4.14, deprecated: for environments that 4.1 does not list. */
export const listEnvironmentThemes = readEndpoint({
  section: '4.14',
  path: '/sites/environments/{env_id}/themes',
  statuses: [200, 401, 404, 500],
  reply: themesReply,
});

/** Beyond the document: what the public service has in place of 4.14. */
export const listEnvironmentWpThemes = readEndpoint({
  section: 'wp-themes',
  optional: true,
  path: '/sites/environments/{env_id}/wp-themes',
  statuses: [200, 404],
  reply: themesReply,
});

const perPage = 100;
const maxPages = 50;

/** Filters and order of the list; a deployment may ignore them. */
export type ThemeFilter = Omit<Parameters<typeof listCompanyThemes>[0], 'id' | 'offset' | 'limit'>;

/** The themes of a company, each once. */
export type AllThemes = {
  readonly themes: readonly CompanyTheme[];
  /** When the host last updated its list, as the host writes it. */
  readonly at: string | undefined;
  /** There are, or may be, more themes than these: not listed, or not readable. */
  readonly isCut: boolean;
};

/** Reads all pages. A deployment that ignores paging returns everything on the first. */
export async function allThemes(read: HostReader, company: string, filter: ThemeFilter = {}): Promise<AllThemes> {
  const themes: CompanyTheme[] = [];
  const names = new Set<string | undefined>();
  let at: string | undefined;
  let isCut = true;
  let isUnread = false;
  for (let page = 0; page < maxPages; page += 1) {
    const { total, items, last_updated_at } = await read(
      listCompanyThemes({ ...filter, id: company, offset: themes.length, limit: perPage }),
    );
    const fresh = items.entries.filter(({ name }) => !names.has(name));
    for (const theme of fresh) names.add(theme.name);
    themes.push(...fresh);
    at ??= last_updated_at;
    isUnread ||= items.unread > 0;
    isCut = themes.length < (total ?? (fresh.length === 0 ? 0 : Infinity));
    if (fresh.length === 0 || !isCut) break;
  }
  return { themes, at, isCut: isCut || isUnread };
}

/** The status with which the host refuses the list to a key without rights over the whole company. */
export type Withheld = { readonly withheld: 403 | 404 };

/** As `allThemes`, but returns `Withheld` if this key may not read the list. Any other trouble may pass, so it rejects. */
export async function allThemesIfAllowed(...args: Parameters<typeof allThemes>): Promise<AllThemes | Withheld> {
  try {
    return await allThemes(...args);
  } catch (error) {
    if (isAnswered(error, 403, 404)) return { withheld: error.status };
    throw error;
  }
}

/** An environment's own list: 4.14, or what has replaced it. If the host has neither, rejects as 4.14 did. */
export async function environmentThemes(read: HostReader, env_id: string): Promise<PartialList<EnvironmentTheme>> {
  try {
    return await read(listEnvironmentThemes({ env_id }));
  } catch (error) {
    if (!isAnswered(error, 404, 410)) throw error;
    return read(listEnvironmentWpThemes({ env_id })).catch((other: unknown) => {
      throw isAnswered(other, 404, 410) ? error : other;
    });
  }
}
