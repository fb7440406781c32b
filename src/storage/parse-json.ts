/**
 * Parses JSON that Sitehand itself stored. The only place that trusts stored text to have the type it was written with:
 * nothing else writes these tables, and a fingerprint also guards what is sent.
 */
export const parseStored = <T>(json: string): T => JSON.parse(json) as T;

type Fields = Readonly<Record<string, unknown>>;

/** The fields of an object or of a JSON object; otherwise no fields. Never throws. */
export function fieldsOf(value: unknown): Fields {
  try {
    const read = typeof value === 'string' ? parseStored<unknown>(value) : value;
    return isObject(read) ? read : {};
  } catch {
    return {};
  }
}

const isObject = (value: unknown): value is Fields => typeof value === 'object' && value !== null;
