import { isPlaceholder } from './placeholders.ts';

/**
 * What a kind of credential looks like. `hint` is the source of an expression that is found in every text with such a
 * credential, fast; its alternatives stand outside of brackets. `shape` is global and takes linear time; what its groups
 * `before` and `open` hold is kept, the rest of a match is the credential, unless `isSecret` says that it is none. Where
 * a match holds more than one credential, `shown` says what is left of it.
 */
export type Rule = {
  readonly hint: string;
  /** Words of which one is found as well; of the same kind. */
  readonly also?: string;
  readonly shape: RegExp;
  /** `lead` are the characters before the match, forty at most. */
  readonly isSecret?: (value: string, before: string, lead: string) => boolean;
  readonly shown?: (match: string, groups: Groups) => string;
};
export type Groups = Readonly<Record<string, string | undefined>>;

/** The text without what the rule finds. */
export function without(text: string, rule: Rule): string {
  rule.shape.lastIndex = 0;
  let [left, from] = ['', 0];
  for (let match = rule.shape.exec(text); match !== null; match = rule.shape.exec(text)) {
    left += text.slice(from, match.index) + shownOf(match, rule);
    from = match.index + match[0].length;
  }
  return from === 0 ? text : left + text.slice(from);
}

function shownOf({ 0: whole, groups = {}, index, input }: RegExpExecArray, { isSecret, shown }: Rule): string {
  if (shown !== undefined) return shown(whole, groups);
  const kept = `${groups['before'] ?? ''}${groups['open'] ?? ''}`;
  const value = whole.slice(kept.length);
  if (isPlaceholder(value)) return whole;
  const lead = input.slice(Math.max(0, index - 40), index);
  return isSecret === undefined || isSecret(value, kept, lead) ? `${kept}***` : whole;
}

/** No letter and no digit, unless they are a part of an escaped character, as in `%3Dghp_…` and `\nghp_…`. */
export const begins = '(?<![A-Za-z0-9](?<!%[0-9A-Fa-f]{2}|\\\\[nrt]))';
