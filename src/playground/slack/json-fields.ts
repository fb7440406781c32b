/** A JSON object with unchecked fields. */
export type Fields = { readonly [name: string]: unknown };

/** Whether a value is a JSON object: neither null nor a list. */
export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The value if it is a JSON object, else an empty one. */
export const fieldsOf = (value: unknown): Fields => (isFields(value) ? value : {});

/** The value if it is a list, else an empty one. */
export function listOf(value: unknown): readonly unknown[] {
  if (!Array.isArray(value)) return [];
  const list: readonly unknown[] = value;
  return list;
}

/** The objects in a list; other items are left out. */
export const objectsOf = (value: unknown): readonly Fields[] => listOf(value).filter(isFields);

/** The value if it is a string, else an empty one. */
export const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** The value if it is a non-empty string, else undefined. */
export const nonEmptyTextOf = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined;

/** The text of a Slack text object; empty if it is none. */
export const plainTextOf = (value: unknown): string => textOf(fieldsOf(value)['text']);

/** The options of an input element, including those in groups. */
export const optionsOf = (element: Fields): readonly Fields[] => [
  ...objectsOf(element['options']),
  ...objectsOf(element['option_groups']).flatMap((group) => objectsOf(group['options'])),
];

/** The parsed value of a JSON text, or undefined if it is not JSON. */
export function parseJson(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return value;
  } catch {
    return undefined;
  }
}

/** True for `true` and for the form-encoded `"true"` and `"1"`. */
export const isTrue = (value: unknown): boolean => value === true || value === 'true' || value === '1';
