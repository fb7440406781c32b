import { z } from 'zod';
import { readEndpoint, writeEndpoint } from './endpoint.ts';
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
} from './fields.ts';

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
export type EnvironmentTheme = z.output<typeof environmentTheme>;

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
