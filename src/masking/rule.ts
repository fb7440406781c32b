/**
 * What a kind of credential looks like. `hint` is the source of an expression that is found in every text with such a
 * credential, fast. `shape` is global and takes linear time; what its group `before` holds is kept, the rest of a match
 * is the credential.
 */
export type Rule = { readonly hint: string; readonly shape: RegExp };

/** No letter and no digit, unless they are a part of an escaped character, as in `%3Dghp_…` and `\nghp_…`. */
export const begins = '(?<![A-Za-z0-9](?<!%[0-9A-Fa-f]{2}|\\\\[nrt]))';
