/**
 * Parses JSON that Sitehand itself stored. The only place that trusts stored text to have the type it was written with:
 * nothing else writes these tables, and a fingerprint also guards what is sent.
 */
export const parseStored = <T>(json: string): T => JSON.parse(json) as T;
