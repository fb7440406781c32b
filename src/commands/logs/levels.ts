import { isJsonLine, jsonFields } from './json-line.ts';

/**
 * How grave a message is. `error` and `lesser` (warnings, notices and all below) are stated by PHP or by the message's
 * format. `possible` could be an error: nothing is stated and a word says so, or it is a warning of an outage. Of
 * `unstated` nothing is known.
 */
export type Level = Stated | 'possible' | 'unstated';
type Stated = 'error' | 'lesser';

/** For sorting, the gravest first. */
export const rankOf = (level: Level): number => (level === 'error' ? 0 : level === 'possible' ? 1 : 2);

/** Whether a message is an error, or could be one. */
export const needsLook = (level: Level): boolean => level === 'error' || level === 'possible';

/** How many characters are searched for a level that a format states. */
const headCharacters = 400;

/** What somebody else said: not what wrappers have in quotation marks, nor the values of JSON. */
const quotation = /(?<!\w|": ?|std(?:err|out): )(["'])(?!PHP message: ).*?\1/g;
/** PHP's own words. Whatever stands around them, such as the level of the program that passed them on, is not PHP's. */
const byPhp =
  /(?:(?<![\w/])PHP |<b>)(?:((?:Recoverable |Catchable )?[Ff]atal error|(?:Parse|Compile|Core|User|Unknown) error)|Warning|Notice|Deprecated|Strict Standards|(?:User|Core|Compile) (?:warning|notice|deprecated))(?:<\/b>)?:/;
const errorWords = 'error|err|critical|crit|alert|emergency|emerg|fatal error|parse error|fatal|panic|severe';
const lesserWords =
  'warning|warn|notice|informational|information|info|debug|deprecated|strict standards|trace\\d?|verbose|success';
export const anyWord = `(?:(${errorWords})|(?:${lesserWords}))`;
/** `[error] 7#7:`, `[INFO] [2626]`, Apache's `[core:notice] [pid 31]`: among the brackets that the message begins with. */
const bracketed = new RegExp(String.raw`^(?:\s*\[[^\]]{0,200}\])*?\s*\[(?:[\w.-]{1,40}:)?${anyWord}\](?!\s*=>)`, 'i');
/** `ERROR x`, `Warning: x`, Monolog's `app.INFO: x`, `[main] ERROR x`, `- shop - ERROR - x`: the first word. */
const leading = new RegExp(
  String.raw`^(?:\s*\[[^\]]{0,200}\])*[\s|-]*(?:[\w.-]{1,60} - )?(?:[\w-]{1,60}\.){0,5}(${anyWord})(?=(:)|[\s|\]-]|$)`,
  'i',
);
/** `shop.worker INFO: x`, `71 --- ERROR | x`: a word in capitals soon after the beginning, and a sign behind it. */
const later =
  /^(?:[^\s"'{]{1,60}\s{1,20}){1,3}(?:(ERROR|CRITICAL|ALERT|EMERGENCY|FATAL)|WARNING|WARN|NOTICE|INFO|DEBUG)\s{0,20}[:|\]]/;
/** `0 [ERROR] [MY-010119] …`, as MySQL and MariaDB write it behind the time. */
const ofMysql = /^\d{1,20} \[(?:(ERROR)|Warning|Note|System)\]/i;
const named = new RegExp(String.raw`(?:^|\s)(?:level|lvl|severity|loglevel)=["']?${anyWord}\b`, 'i');
const exactly = new RegExp(String.raw`^${anyWord}$`, 'i');
const jsonKeys = ['level_name', 'levelname', 'severity', 'level', 'log.level', 'lvl', 'loglevel', 'severity_text'];

/** What MySQL says, in English in every language that WordPress says the rest in. */
const byMySql =
  /\b(?:Table|View|Column|Field|Key column|Incorrect [\w ]{1,30}:?) '[^']{0,200}' (?:doesn't|already|cannot be|is (?:marked|ambiguous|not)|for column)|\b(?:Unknown (?:column|table|database|collation)|Duplicate (?:entry|column name|key name)|Data too long for column|Out of range value for column|Data truncated for column|Access denied for user) '|\bYou have an error in your SQL syntax|\bMySQL server has gone away|\bLost connection to (?:MySQL |server )|\bDeadlock found when trying|\bLock wait timeout exceeded|\bToo many connections|\bCommands out of sync|\bGot error -?\d+ |\bThe table '[^']{0,200}' is full|\bIllegal mix of collations|\bCan't connect to (?:local )?(?:MySQL |server )|\bServer shutdown in progress|\bQuery execution was interrupted|\bmax_statement_time exceeded/;
/** WordPress's sentence, in English or in any language: a query, then the calls that led to it. */
const byWordPress = /^WordPress database error\b/;
const query = /\b(?:SELECT|INSERT|UPDATE|DELETE|REPLACE|SHOW|CREATE|ALTER|DROP|TRUNCATE|DESCRIBE) /;
const calls = /\b(?:(?:require|include)(?:_once)?|do_action|apply_filters)\('[^']{1,200}'\)/;

/**
 * Warnings that no worker of PHP-FPM is free, that one takes too long, that one of it or of Apache crashed, or that there
 * is no database: visitors get no pages.
 */
const outage =
  /\breached (?:pm\.)?max_children\b|\bexecution timed out \(|\bchild (?:\d+ exited on signal (?!15\b|3\b)\d|pid \d+ exit signal )|\bmysqli_(?:real_)?connect\(\): /;
/** Words of errors, in the languages in which WordPress is used most. */
const errorLike =
  /\b(?:errors?|fatal|uncaught|unhandled|exception|panic|segfault|segmentation fault|critical|emergency|exhausted|refused|timed out|out of memory|gone away|fail(?:ed|ure|ures|s)|crashed|killed|denied|unable to|cannot|could not)\b|fehler|erreur|ошибк|エラー|错误|錯誤|오류/i;

/** How grave a message is: by PHP's own words; else by the level that its format states; else by its words. */
export function levelOf(message: string): Level {
  const stated = statedBy(message);
  if (stated === 'error') return stated;
  if (outage.test(message)) return 'possible';
  if (stated !== undefined) return stated;
  return errorLike.test(isJsonLine(message) ? wordsOfJson(message) : message) ? 'possible' : 'unstated';
}

function statedBy(message: string): Stated | undefined {
  const php = byPhp.exec(message.replace(quotation, ''));
  if (php !== null) return asLevel(php[1]);
  const stated = isJsonLine(message) ? levelOfJson(message) : levelOfHead(message.slice(0, headCharacters));
  return stated ?? (isOfDatabase(message) ? 'error' : undefined);
}

function isOfDatabase(message: string): boolean {
  if (byMySql.test(message) || byWordPress.test(message)) return true;
  const begins = query.exec(message)?.index;
  return begins !== undefined && calls.test(message.slice(begins));
}

/** Whether a line without a time begins a message, because PHP's own words begin it. */
export const beginsWithPhp = (line: string): boolean => byPhp.exec(line)?.index === 0;

const asLevel = (error: string | undefined): Stated => (error === undefined ? 'lesser' : 'error');

function levelOfHead(head: string): Stated | undefined {
  const inBrackets = bracketed.exec(head) ?? ofMysql.exec(head);
  if (inBrackets !== null) return asLevel(inBrackets[1]);
  const first = leading.exec(head);
  if (first !== null) {
    const [, word = '', error, colon] = first;
    // “Error establishing a connection” is a sentence, “ERROR x” and “error: x” are levels.
    if (colon !== undefined || word === word.toUpperCase()) return asLevel(error);
  }
  const other = later.exec(head) ?? named.exec(head);
  return other === null ? undefined : asLevel(other[1]);
}

function levelOfJson(line: string): Stated | undefined {
  const fields = jsonFields(line);
  for (const key of jsonKeys) {
    const value = fields?.get(key) ?? '';
    if (/^\d{1,3}$/.test(value)) return levelOfNumber(Number(value));
    const word = exactly.exec(value);
    if (word !== null) return asLevel(word[1]);
  }
  return undefined;
}

/** Of syslog (0 to 7, the gravest first), pino (10 to 60) or Monolog (100 to 600). */
function levelOfNumber(level: number): Stated {
  if (level < 10) return level <= 3 ? 'error' : 'lesser';
  return level >= (level < 100 ? 50 : 400) ? 'error' : 'lesser';
}

/** The text of a JSON object: a field that holds nothing, such as `"error":null`, says nothing. */
const wordsOfJson = (line: string): string =>
  [...(jsonFields(line) ?? [])]
    .filter(([, value]) => !['', 'null', 'false', '0', '['].includes(value))
    .map(([key, value]) => `${key} ${value}`)
    .join(' ');
