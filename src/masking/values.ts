import { isCoined, isPlace, isFile, isRandom, technical, prose, stateWords } from './value-shapes.ts';
import { isBare } from './syntax.ts';
import { isTelling } from './credential-names.ts';

/** Decides whether the text after a credential's name is the credential, or only says something about it. */

/** The name of a test: a file or a function. Test runners print `PASS: …`, which is not a password. */
const isTest = (value: string): boolean =>
  /^Test[A-Z]\w{1,80}(?:\/\w+)?(?:\s|$)/.test(value) ||
  (/^(?:[\w.@-]{1,60}[/\\]){1,12}[\w.@-]{1,80}(?:\s|$)/.test(value) &&
    /test|spec|\.[a-z]{1,5}(?:\s|$)|^[a-z_-]+(?:\/[a-z_-]+)+(?:\s|$)/i.test(value));

/** Whether the text is a test result and not a password. */
const isResult = (value: string, before: string, lead: string): boolean =>
  (/(?<![a-z_])pass: $/i.test(before) && isTest(value)) ||
  (/(?<![A-Z_])PASS: $/.test(before) &&
    !/user|login|host|name/i.test(lead) &&
    // The description of a test has several words.
    (value.split(' ').length > 2 || (!lead.includes(':') && (!isCoined(value) || isPlace(value)))));

export const state = new RegExp(`^[([<-]{0,2}(?:${stateWords})(?:[.,;:!)\\]}]*$|\\|)`, 'i');
/** Whether the text starts or continues like a sentence: `missing in the request`, `rotate it with the others`. */
function readsAsSentence(value: string): boolean {
  const [first = '', ...others] = value.split(/\s+/, 8);
  if (others.length > 0 && /^\d{4,8}$|\p{L}.*\d|\d.*\p{L}/u.test(first) && !/^\d{1,4}\p{L}{1,3}$/u.test(first))
    return false;
  if (others.length > 0 && formInstruction.test(first)) return true;
  return (
    prose.test(first) ||
    (others.length > 0 && (state.test(first) || state.test(others.at(-1) ?? ''))) ||
    (others.length > 1 && others.some((one) => verbs.test(one)))
  );
}
/** Words that occur in sentences but not in passphrases. */
const verbs =
  /^(?:is|are|was|were|has|have|had|does|do|did|must|may|can|can(?:no|'|’)t|should|could|will|would|won't|isn't|not|been|be|but|if|when|because|failed|ist|sind|war|wird|wurde|werden|muss|nicht|moet|wordt|werd|niet|est|sont|doit|debe|deve|não|nie|for|the|your|with|does|doesn't|don't|which|that|this|from|to|at|of|on)$/i;
/** The first words of a form's instructions. */
const formInstruction =
  /^(?:at|choose|click|confirm|enter|forgot|here|hier|insert|klick(?:en)?|klik|kies|max(?:imum)?|maximaal|minimaal|minstens|minimum|no|old|please|repeat|reset|saisi\w{1,6}|select|still|too|type|update|use|verify|vul|wähle\w?|wieder\w+|you|your)$/i;
/** A whole sentence, like an error about a field. */
const isSentence = (text: string): boolean =>
  /^\p{Lu}\p{Ll}+(?: \S+){2,40}[.!]$/u.test(text) &&
  (/^\p{Lu}\p{Ll}+(?: \p{Ll}+,?){3,40}[.!]$/u.test(text) || text.split(' ').some((word) => prose.test(word)));

/** The label of a form field: `Password`, `Forgot your password?` */
const isLabel = (text: string): boolean =>
  (/^\p{Lu}\p{Ll}+(?: \p{Ll}+)?:?$/u.test(text) && isTelling(text.replace(':', ''))) ||
  (/^\p{Lu}\p{Ll}+(?: \p{Ll}+){2,12}[?!.:]?$/u.test(text) &&
    /pass|word|woord|wort|senha|clave|contrase/i.test(text) &&
    text.split(' ').some((one) => prose.test(one)));

/** Calls that read a value by its name: `getenv('DB_PASS')`. */
const readsName = /(?:env(?:_?\w{1,12})?|environ\.get|\bENV\.fetch|get_option|constant|config|__|_e|_x)\(["']$/;
/**
 * The program `passwd` prints messages such as `passwd: user 'bob' does not exist`; `passwd` may also be a field name.
 */
const passwdMessage = /^passwd: {0,2}$/;
const isProgram = (lead: string): boolean => /(?:ch|g|h?t|ldap|ssh|vnc|yp|smb)$/.test(lead);
const says =
  /^\(?(?:all|compat|files|systemd|authentication|cannot|chauthtok|error|failed|invalid|line|matched|must|new|only|password|permission|the|unable|unknown|usage|user|warning|you)\b/i;

/** The start of an error message: `could not save password: confirmation is missing`. */
const errorStart =
  /\b(?:no|without|missing) $|\b(?:unable to|can(?:not|'t)|could(?: not|n't)|failed to|error) (?:[a-z]{1,12} ){1,3}$/i;

const textFile = /^\.{0,2}\/[\w./-]{1,100}\.(?:cnf|conf|env|json|key|pass|pem|txt|ya?ml)$/;
/** A message, a label or a hint of a form field. */
const isFormText = (value: string, before: string, lead: string): boolean =>
  (!isBare(before) &&
    /(?:errors?|messages?|labels?|hints?|placeholders?|titles?|help|translations?)(?:\.|\[["']|["']?: ?\{ ?["']?)\w*$/i.test(
      lead,
    ) &&
    /[a-z] [a-z]/i.test(value)) ||
  isLabel(value);
/** What programs print: a result, an answer, a usage line or a fingerprint. */
const isOutput = (value: string, before: string, lead: string): boolean =>
  isResult(value, before, lead) ||
  /^\d$/.test(value) ||
  // `has_password => yes` answers a question.
  (/(?:can|has|is|needs?|requires?|shows?|uses?|with)_$/i.test(lead) && /^\w{1,5}$/.test(value)) ||
  // `--password PASSWORD` is a usage line.
  (/--\S{1,60}[ \t]$/.test(before) && /^[A-Z_]*(?:PASS|PW)[A-Z_]*$/.test(value)) ||
  /^(?:fingerprint|md5|sha\d{1,3})[ :]/i.test(value);
/** A state, a sentence or an error message. */
const isSaid = (value: string, before: string, lead: string): boolean =>
  (isBare(before) && errorStart.test(lead) && !isCoined(value)) ||
  state.test(value) ||
  (isBare(before) && readsAsSentence(value)) ||
  isSentence(value) ||
  /^\d{1,3} \p{L}/u.test(value);

/** A mapping of an imported column to another one. */
const isColumn = (value: string, before: string): boolean =>
  /[→⇒]\s*$/.test(before) && /^\w+$/.test(value) && isTelling(value);

/**
 * Whether this value of a password field is a password. `password: the …` is a sentence, `pwd` may be a directory, and
 * `pass: 3/3` a test result.
 */
export function isPassword(value: string, before: string, lead: string): boolean {
  if (readsName.test(before) || /^https?:/.test(value) || textFile.test(value)) return false;
  if (isFormText(value, before, lead)) return false;
  if (/file=\W*$/i.test(lead) && isPlace(value)) return false;
  if (passwdMessage.test(before)) return isProgram(lead) ? isCoined(value.replace(/\s.*$/s, '')) : !says.test(value);
  if (isOutput(value, before, lead) || isSaid(value, before, lead)) return false;
  if (/[|\t][ \t]*$/.test(before)) return isCoined(value);
  if (isColumn(value, before)) return false;
  if (/(?<![a-z_])pwd\W*$/i.test(before)) return !isPlace(value);
  return !/(?<![a-z_])pass\W*$/i.test(before) || !/^\d{1,4}(?:\/\d{1,4})?(?:\W|$)/.test(value);
}

const isWordOfCode = (value: string, before: string, lead: string): boolean =>
  // `unexpected token: 'else'` is a syntax error.
  (/\b(?:illegal|invalid|unexpected|unknown) $/i.test(lead) && /^(?:[a-z]{1,10}|\W{1,3})$/.test(value)) ||
  (/\(\\{0,8}["']$/.test(before) && /^[a-z]+(?:[_-][a-z]+)*$/.test(value)) ||
  // The next argument of a call may be another name.
  (/,\s?\\{0,8}["']$/.test(before) && /^[a-z]+(?:[_-][a-z]+){0,4}$/i.test(value));

/** Only signs, a size of an nginx zone, or an age such as `created 3 days ago`. */
const isMeasure = /^\W{1,3}$|^\d{1,5}[kmg]b?$|^[a-z]{4,12} \d{1,4} [a-z]{3,8} ago$/i;
const ofFile = /^[\w-]{1,40}\.(?:asc|bin|cer|crt|gpg|jks|json|jwk|key|p12|pem|pfx|pub|sig|txt|ya?ml)$/i;
const namesFile = (value: string): boolean => isFile(value) || ofFile.test(value);
/** The text before the name of a secret at a cloud provider. */
const isNameOfSecret = /\bsecretsmanager:[\w-]{0,20}:\d{0,12}:$/;
/** Whether this value of a token or key field is a credential. After a colon and a space, a plain word is a status. */
export function isIssued(value: string, before: string, lead: string): boolean {
  if (state.test(value) || isSentence(value) || isMeasure.test(value)) return false;
  if (readsName.test(before) || isNameOfSecret.test(lead) || namesFile(value)) return false;
  if (isBare(before) && /\s/.test(value) && readsAsSentence(value)) return false;
  if (isWordOfCode(value, before, lead)) return false;
  return (
    !isBare(before) ||
    !/[:\s]\s*$/.test(before) ||
    ((isCoined(value) || /^[A-Z2-7]{16,}$/.test(value)) && !isPlace(value))
  );
}

/** Ids of form fields, and names of open-source licences. */
const openValue = /^(?:(?:field|group)_|(?:[AL]?GPL|Apache|BSD|CC|EUPL|ISC|MIT|MPL)\b)/i;
/** Words joined by signs, with a number at the end: `order.created.v2`. */
const isNamed = (value: string): boolean => /^[a-z]{2,15}(?:[._:|][a-z]{2,15}){1,5}(?:[._:|]?v?\d{1,4})?$/.test(value);
/** The text before a build's cache key. */
const isOfCache = /\bcache (?:hit|miss|restored|saved)\b[^\n]{0,20}$/i;
/** Whether the word `key` is the key of a cache: `cache: group=posts key=…`. */
const isKeyOfCache = (before: string, lead: string): boolean => /^. key\W/i.test(before) && /\bcache\b/i.test(lead);
/** Letters and digits, but not a word with a number. */
const isMixed = (value: string): boolean =>
  /\d/.test(value) && /[a-z]/i.test(value) && !/^[a-z]+[-_]?\d{1,4}$/i.test(value);
export const looksIssued = (value: string, before: string, lead: string): boolean =>
  !isOfCache.test(lead) &&
  !isKeyOfCache(before, lead) &&
  // Base64 may start with a slash, but it is long and has no file extension.
  (!isPlace(value) || (/^[\w+/]{40,}={0,2}$/.test(value) && isRandom(value))) &&
  !openValue.test(value) &&
  !(isBare(before) && /\s/.test(value) && readsAsSentence(value)) &&
  !isNamed(value) &&
  !(/app_?id\W*$/i.test(before) && /-.*-/.test(value)) &&
  (isRandom(value, 8) || (before.endsWith('=') && isMixed(value)));

/** Only a status word, with at most one sign after it. */
const stateAlone = new RegExp(`^(?:${stateWords})[.,;:!]?$`, 'i');
/** Whether a value in a sentence looks like a credential. */
export const isWritten = (value: string): boolean =>
  isCoined(value) &&
  !/^[[({]?[a-z_]{1,30}=/i.test(value) &&
  /[\p{L}\d]{3}/u.test(value) &&
  !isPlace(value) &&
  !stateAlone.test(value) &&
  !technical.test(value) &&
  !/^[\w.+-]{1,60}@(?:[\w-]{1,60}\.){1,4}[a-z]{2,10}[.,;:!]?$/i.test(value);
