import { isPlaceholder } from './placeholders.ts';
import { isJumbled, isRandom } from './randomness.ts';
import { isBare } from './syntax.ts';
import { isTelling } from './credential-names.ts';

/** Recognises program code in the place of a credential: an expression, a call or a type. */

/** One step of a chain: `.password`, `->password`, `::password`, `?.password`. */
const step = '(?:\\??\\.|->|::)[A-Za-z_]\\w{0,40}';
const chain = new RegExp(`^(?:(?:await|new|return|typeof)\\s)?[$@]?[A-Za-z_]\\w{0,40}(?:${step}){1,6}[,;)]{0,3}$`);
const roots =
  /^(?:this|self|req|request|params?|args?|argv|opts?|options?|config|cfg|conf|settings?|data|input|form|body|ctx|context|state|props|event|payload|row|process|app|env|values?|session|response|res|result|user|account|credentials?|creds|secrets?|local|var|module|each|inputs|outputs|github|steps|vars)$/i;
/** A function call. Function names consist of words: `models.CharField(`, `generate_password_hash(`. */
const called = /^(?:(?:await|new|return)\s)?[$@]?((?:[A-Za-z_]{1,40}(?:\??\.|->|::)){0,6}[A-Za-z_]{1,40})\(/;
const types =
  /^&?(?:(?:readonly |mut )?(?:str(?:ing)?|bytes|text|any|unknown|buffer|secret(?:str|string|<\w{1,20}>)?|securestring|varchar|charfield|nullable)(?:\[\])?|(?:optional|option)[[<]\w{1,20}[\]>])\??(?: ?[|=] ?[^\n]{0,60})?[,;)}]{0,3}$/i;

/** What may follow an expression: a default, a condition or a remark. */
const trailer = /\s+(?:\|\||&&|\?\??|\?:|or|and|if|unless|#|\/\/|--)(?:\s.*)?$/s;

const isChain = (value: string): boolean => {
  if (!chain.test(value)) return false;
  const names = value.replace(/^(?:await|new|return|typeof)\s/, '').match(/[A-Za-z_]\w*/g) ?? [];
  const [root = '', last = ''] = [names[0], names.at(-1)];
  // `DataTypes.STRING`
  return isTelling(last) || roots.test(root) || (/^[A-Z][a-z]/.test(root) && /^[A-Z_]+$/.test(last));
};
const isCall = (value: string): boolean => {
  const name = called.exec(value)?.[1];
  if (name === undefined || isRandom(value) || isJumbled(value)) return false;
  return /\.|->|::|_|[a-z][A-Z]/.test(name) || /^\w+\((?:[:$@?]|\)|[a-z_]+[,)])/.test(value);
};
/** The start of an assignment: a property, or a variable with its type. */
const declares =
  /(?:\.|->|::|\b(?:auto|const|final|let|private|protected|public|readonly|static|string|val|var) \$?)[\w$]{0,20}$/i;
/** The start of a declaration in a typed language: a value without quotation marks is an expression there. */
const declared =
  /(?:\b(?:const|final|let|val|var|auto|char\[\]|(?:private|protected|public|static|readonly)(?: [\w<>[\]]{1,20}){0,2}|[Ss]tring) (?:mut )?[\w$]{0,20}|\b(?:self|this)(?:\.|->)_{0,2}[\w$]{0,20}|(?:^|[\s(])\$[\w>-]{0,20})$/;
const isExpression = (value: string, before: string, lead: string): boolean =>
  /\s(?::?=)\s*$/.test(before) &&
  declared.test(lead) &&
  /^[A-Za-z_$@!][\w$.]*(?:[([;,?&|].*)?$/.test(value) &&
  !/\d/.test(value);
/** A variable name such as `hashedPassword` in code. In a settings file, an ordinary word may be the value. */
const isVariable = (value: string, before: string, lead: string): boolean =>
  /[)\w\]] (?:[!=]?={1,2}|=>|:=) $|: $/.test(before) &&
  (/^[a-z]{2,20}(?:[A-Z][a-z]{1,20}){1,3}[,;)]{0,2}$/.test(value) ||
    /^[a-z]{2,20}(?:_[a-z]{2,20}){1,3}[,;)]{1,2}$/.test(value) ||
    (before.trimEnd().endsWith(' ==') && /^[a-z]{2,20}(?:_[a-z]{2,20}){0,3}:?$/.test(value)) ||
    (declares.test(lead) && /^[a-z_]{2,40}[,;)]{0,2}$/.test(value))) &&
  isTelling(value.replace(/[,;)]+$/, ''));

/**
 * Whether a quoted text is a prompt (`"Password: "`), a configuration key (`"Auth:Password"`) or a path
 * (`"/run/secrets/key"`).
 */
export const isAsked = (value: string): boolean => {
  const [last = ''] = value.replace(/[\s:?>*]+$/, '').match(/[^:./]*$/) ?? [];
  return isTelling(last.trim()) || /^(?:proxy-)?authorization$/i.test(last) || /^(?:\.{0,2}|~)\/[\w.-]+\//.test(value);
};

/** Code by itself, whatever stands around it. */
const isCode = (value: string): boolean =>
  isChain(value) ||
  isCall(value) ||
  /^(?:await|async|new|yield|return|typeof|lambda|function)$/.test(value) ||
  types.test(value) ||
  /^[$@]?[A-Za-z_][\w.]{0,40}(?:\(|\[["']?[\w.:-]{0,40}["']?\]?[;,)]*)$/.test(value);

/** `${DB_PASSWORD:?must be set}` */
const isDemand = (value: string, lead: string): boolean => /^[?+]/.test(value) && /\$\{\w*$/.test(lead);

/** `login(user=user, password=password)` */
const isOwnName = (value: string, before: string, lead: string): boolean =>
  /[(,] ?\w{0,30}$/.test(lead) &&
  /^\w+ ?= ?$/.test(before) &&
  before.replace(/\W+$/, '').endsWith(value.replace(/[,;)]+$/, ''));

/** Go prints an empty field like this: `{Token: Expires:0}`. */
const isNextField = (value: string, lead: string): boolean =>
  /\{[^{}]{0,40}$/.test(lead) && /^[A-Z][A-Za-z]{1,30}:(?:\d+|false|true|<nil>|[[{].*|map\[.*)?[,}\]]*$/.test(value);

/** Whether a value is code: an expression, or the name that a function looks up. */
export function isCodeExpression(value: string, before: string, lead: string): boolean {
  // `${DB_PASSWORD:-$OTHER}`
  if (/^[-=]/.test(value) && /\$\{\w*$/.test(lead) && isPlaceholder(value.slice(1))) return true;
  // In serialised PHP, this may be the name of the next value.
  if (/;s:\d{1,5}:\\{0,8}["']$/.test(before)) return isTelling(value);
  if (!isBare(before)) return /[\w\]][[(]\s?\\{0,8}["']$/.test(before) && isAsked(value);
  if (value.length > 300) return false;
  const first = value.replace(trailer, '');
  return (
    isCode(first) ||
    isVariable(first, before, lead) ||
    isExpression(first, before, lead) ||
    isOwnName(first, before, lead) ||
    isDemand(value, lead) ||
    (before.endsWith('{') && isTelling(value)) ||
    isNextField(first, lead)
  );
}
