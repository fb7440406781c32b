import { casedOf } from './case-sensitive-groups.ts';
import { isCodeExpression, isPlaceholder } from './value-shapes.ts';
import { startsIn, type NamePattern } from './credential-names.ts';
import { isBare } from './syntax.ts';

/**
 * A kind of credential. `hint` is the source of a fast expression that matches every text with such a credential; its
 * alternatives are not in brackets. `shape` is global and takes linear time. Its groups `before` and `open` are kept;
 * the rest of a match is the credential, unless `isSecret` rejects it. If a match can hold several credentials, `shown`
 * returns the masked match.
 */
export type MaskingRule = {
  readonly hint: string;
  /** Words of which at least one must also be present, in the form of `hint`. */
  readonly also?: string;
  readonly shape: RegExp;
  /** If set, the shape is tried only where such a name begins. */
  readonly begins?: NamePattern;
  /**
   * `lead` is up to forty characters before the match. `line` is the line in which it starts, shortened around the
   * match.
   */
  readonly isSecret?: (value: string, before: string, lead: string, line: string) => boolean;
  readonly shown?: (match: string, groups: Groups) => string;
};
export type Groups = Readonly<Record<string, string | undefined>>;

/** Returns the next match from a position on, which is the end of the match before. */
type Next = (from: number) => RegExpExecArray | null;

/** Compiled expressions by shape; each is compiled when its rule is first needed. */
const compiled = new Map<RegExp, RegExp>();
/** The compiled expression of a rule: sticky if it is tried only where a name begins. */
function expressionOf({ shape, begins }: MaskingRule): RegExp {
  const known = compiled.get(shape) ?? casedOf(shape.source, begins === undefined ? shape.flags : `${shape.flags}y`);
  compiled.set(shape, known);
  return known;
}

/** Searches the whole text. */
const searchAll = (text: string, shape: RegExp): Next => {
  return (from) => {
    shape.lastIndex = from;
    return shape.exec(text);
  };
};

/** Searches only at the positions where such a name begins. */
function searchAtNames(text: string, there: RegExp, begins: NamePattern): Next {
  const starts = startsIn(begins, text);
  let at = 0;
  return (from) => {
    for (; at < starts.length; at += 1) {
      const start = starts[at] ?? 0;
      if (start < from) continue;
      there.lastIndex = start;
      const match = there.exec(text);
      if (match !== null) return match;
    }
    return null;
  };
}

/** Longer matches that were rejected are not searched again, which keeps the time linear. */
const maxSearchedAgain = 300;

/** Masks all matches of a rule in a text. */
export function maskWith(text: string, rule: MaskingRule): string {
  const shape = expressionOf(rule);
  const next = rule.begins === undefined ? searchAll(text, shape) : searchAtNames(text, shape, rule.begins);
  let [left, from] = ['', 0];
  for (let match = next(0); match !== null; match = next(from)) {
    const shown = shownOf(match, rule);
    left += text.slice(from, match.index);
    from = match.index;
    // A rejected match may contain a credential: `type=password;token=…`
    const kept = shown === match[0] && shown.length < maxSearchedAgain ? lengthToSkip(match) : 0;
    left += kept > 0 ? match[0].slice(0, kept) : shown;
    from += kept > 0 ? kept : match[0].length;
  }
  return from === 0 ? text : left + text.slice(from);
}

const keptOf = ({ groups = {} }: RegExpExecArray): string => `${groups['before'] ?? ''}${groups['open'] ?? ''}`;

/**
 * How much of a rejected match to skip: the rest is searched again, because it may name something else. 0: skip all of
 * it.
 */
function lengthToSkip(match: RegExpExecArray): number {
  const { length } = keptOf(match);
  return length > 0 && /[=:;,"'\s]/.test(match[0].slice(length)) ? length : 0;
}

function shownOf(match: RegExpExecArray, { isSecret, shown }: MaskingRule): string {
  const { 0: whole, groups = {}, index, input } = match;
  if (shown !== undefined) return shown(whole, groups);
  const kept = keptOf(match);
  const found = whole.slice(kept.length);
  const value = found.slice(0, found.length - closing(found, kept, input, index));
  const isTicked = kept.endsWith('`') || value.startsWith('`');
  const lead = input.slice(Math.max(0, index - 40), index);
  // Judge the value without a remark that follows it.
  const judged = isBare(kept) ? value.replace(remark, '') || value : value;
  if (isPlaceholderValue(value, kept) || isCodeExpression(judged, kept, lead) || (isTicked && shellCommand.test(value)))
    return whole;
  const isMeant = isSecret === undefined || isSecret(judged, kept, lead, lineAt(input, index));
  return isMeant ? `${kept}***${found.slice(value.length)}` : whole;
}

/** A remark or another item after the value. */
const remark = /(?:(?:^|\s{1,8})(?:#|\/\/|--|\/\*)\s|\s\(|[,;] ).*$/s;
/** Only signs, or an opening bracket with a word. */
const signs = /^(?:[^\p{L}\p{N}]{1,2}|\(\p{Ll}+)$/u;
/** Whether a value is a placeholder: as it is, percent-decoded, or without the remark after it. */
function isPlaceholderValue(value: string, kept: string): boolean {
  if (isPlaceholder(value) || signs.test(value)) return true;
  if (value.includes('%') && isPlaceholder(decoded(value))) return true;
  if (!isBare(kept) || !/\s/.test(value)) return false;
  if (value.indexOf('***') > 0 || /^\([^()]*\)?$/.test(value)) return true;
  const rest = value.replace(remark, '');
  return rest !== value && (rest === '' || signs.test(rest) || isPlaceholder(rest));
}
const decoded = (value: string): string =>
  value.replaceAll(/%([2-7][\da-f])/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));

/** A shell command in backticks. */
const shellCommand =
  /^`?(?:aws|bw|cat|cut|date|gcloud|gopass|gpg|grep|head|jq|kubectl|op|openssl|pass|printenv|pwgen|sed|sops|tail|uuidgen|vault) [-\w./]/;

/** Only this much of a line is read around a match, so that long lines do not cost more per match. */
const contextLength = 1_000;
function lineAt(text: string, at: number): string {
  const before = text.slice(Math.max(0, at - contextLength), at);
  const behind = text.slice(at, at + contextLength);
  const end = behind.indexOf('\n');
  return before.slice(before.lastIndexOf('\n') + 1) + (end === -1 ? behind : behind.slice(0, end));
}

const opens: Readonly<Record<string, string>> = { ')': '(', ']': '[', '}': '{' };
const count = (text: string, sign: string): number => text.split(sign).length - 1;

/** How many closing brackets at the end of the value were opened before it in the line, and so are not part of it. */
function closing(value: string, kept: string, text: string, at: number): number {
  if (!/[)\]}]$/.test(value) || /["'`]$/.test(kept)) return 0;
  const before = (text.slice(Math.max(0, at - 200), at) + kept).replace(/^[^]*\n/, '');
  let length = value.length;
  for (; length > 1; length -= 1) {
    const sign = value.charAt(length - 1);
    const open = opens[sign];
    if (open === undefined) break;
    // A bracket belongs to the value if the value opened it, or if no open bracket before it is left to close.
    const isOwn = count(value.slice(0, length), sign) <= count(value.slice(0, length), open);
    if (isOwn || count(before, open) <= count(before, sign) + count(value.slice(length), sign)) break;
  }
  return value.length - length;
}

/** The position before a token: no letter or digit, unless it ends an escape, as in `%3Dghp_…` and `\nghp_…`. */
export const begins = '(?<![A-Za-z0-9](?<!%[0-9A-Fa-f]{2}|\\\\[nrt]))';
