import { isAnswered } from '../failure.ts';
import type { HostReader } from './call.ts';
import type { PartialList } from './fields.ts';
import {
  listCompanyThemes,
  listEnvironmentThemes,
  listEnvironmentWpThemes,
  type CompanyTheme,
  type EnvironmentTheme,
} from './themes.ts';

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
