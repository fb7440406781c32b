/**
 * JSON that Sitehand itself wrote into a row, as what it was. The one place where a stored text is believed to have the
 * shape it went in with: nobody else writes these tables, and what is sent is guarded by its fingerprint besides.
 */
export const parseStored = <T>(json: string): T => JSON.parse(json) as T;
