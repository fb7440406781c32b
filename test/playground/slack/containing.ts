/** Matches any text, or any list, that contains this. */
export const containing = (part: string): unknown => ({
  asymmetricMatch: (value: unknown) => (typeof value === 'string' || Array.isArray(value)) && value.includes(part),
  toString: () => `containing ${part}`,
});
