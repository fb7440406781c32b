import { HostTrouble } from '../trouble.ts';
import type { Reader } from './call.ts';
import { listCompanyThemes, type CompanyTheme } from './themes.ts';

const perPage = 100;
const maxPages = 50;

/** What of the list is asked for; a deployment may ignore it. */
export type ThemeWish = Omit<Parameters<typeof listCompanyThemes>[0], 'id' | 'offset' | 'limit'>;

/** All themes of a company, each once; `at`: when the host last looked, as it says it. */
export type AllThemes = { readonly themes: readonly CompanyTheme[]; readonly at: string | undefined };

/** Page by page until all are there; a deployment that ignores paging gives everything on its first page. */
export async function allThemes(read: Reader, company: string, parsed: ThemeWish = {}): Promise<AllThemes> {
  const themes: CompanyTheme[] = [];
  const names = new Set<string | undefined>();
  let at: string | undefined;
  for (let page = 0; page < maxPages; page += 1) {
    const { total, items, last_updated_at } = await read(
      listCompanyThemes({ ...parsed, id: company, offset: themes.length, limit: perPage }),
    );
    const fresh = items.filter(({ name }) => !names.has(name));
    for (const theme of fresh) names.add(theme.name);
    themes.push(...fresh);
    at ??= last_updated_at;
    if (fresh.length === 0 || themes.length >= (total ?? Infinity)) break;
  }
  return { themes, at };
}

/** The status with which the host keeps the list of a company from a key without rights over all of it. */
export type Withheld = { readonly withheld: 403 | 404 };

/** As `allThemes`, where this key may read them; any other trouble rejects, because it may pass. */
export async function allThemesIfAllowed(...asked: Parameters<typeof allThemes>): Promise<AllThemes | Withheld> {
  try {
    return await allThemes(...asked);
  } catch (error) {
    if (error instanceof HostTrouble && (error.status === 403 || error.status === 404))
      return { withheld: error.status };
    throw error;
  }
}
