import { suffix } from './credential-names.ts';

/** How a name and its value are written in PHP, JSON, XML, SQL, URLs, headers, settings and command lines. */

/** A quotation mark, as nested JSON, HTML, URLs and nginx encode it. */
export const quote = `(?:\\\\{0,8}["'\`]|&quot;|&#0?39;|%(?:25)?2[27]|\\\\u002[27]|(?:\\\\x5C){0,4}\\\\x2[27])`;
/** Whether the value has no quotation mark before it. */
export const isBare = (before: string): boolean => !/["'`;>]$|%22$|\\[ux0]{1,3}22$/.test(before);
/** Terminal colour codes, in the notations of different programs. */
const colour = '(?:\\^\\[|\\\\e|\\\\x1b|\\\\0?33|#0?33|\\\\u001b)\\[[\\d;]{0,8}m';
/** The text after a name in quotes or brackets. PHP prints properties as `:protected` and `:"Class":private`. */
export const nameEnd = `(?:${quote}|\\]|%5D|\\)(?=\\\\{0,8}["'])|(?:\\[|%5B)(?:[a-z_]\\w{0,11}(?:\\]|%5D)|\\d{1,2}(?:\\]|%5D)(?==|%3D))|(?:\\]\\[|%5D%5B)\\w{0,12}(?=\\]|%5D)|${colour}|:(?:\\\\{0,8}"[\\w\\\\]{1,80}":)?(?:[\\w\\\\]{1,80}:)?(?:private|protected)(?=\\])){0,4}`;
/**
 * An empty value ends with its line, and the next line is about something else. The value may be on the next line only
 * if its type is printed first, if it is quoted after an arrow or a quoted name, or if it is quoted and indented.
 */
const onward = `(?:(?:\\s|\\\\[rn]){0,40}(?=\\(?string\\b|(?<=(?:=>|["'\`][ \\t]{0,20}:)(?:\\s|\\\\[rn]){0,40}|[ \\t])\\\\{0,8}["'])|[ \\t]{0,40})`;
/**
 * The text between a name and its value. The first sign comes before the lookbehind because that is faster. A comma
 * counts between call arguments, a space between program arguments.
 */
const between = [
  `[ \\t]{0,20}(?:=>|->(?=[ \\t]{0,8}\\(?string\\b)|:=|={1,3}|：|::(?=[ \\t])|:(?!:)(?![^\\s=]{0,100}(?:private|protected)\\])|→|⇒|%(?:25)?3[AD]|&#0?61;|\\\\u003[ad])${onward}(?:\\(?string\\(\\d{1,7}\\)|\\(string\\)|string(?= ["'])|\\[(?![\\w:-]{1,80}\\] =>)|\\{(?=[^\\s"'{}]{1,80}\\})|\\{\\s{0,4}\\\\{0,8}["'](?:value|raw|plain)\\\\{0,8}["'][ \\t]{0,4}:)?[ \\t]{0,20}`,
  ';s:\\d{1,7}:',
  '\\.{5,60}',
  `(?=,)(?<=--[\\wÀ-ž.-]{1,60}${quote}),[ \\t]{0,4}(?=${quote})`,
  `(?=,)(?<=\\w(?<!\\benum|_[_enx])\\(\\s?(?:[$\\w.>[\\]:'"-]{1,40},\\s?)?${quote}[\\wÀ-ž.-]{1,80}${quote}),[ \\t]{0,40}(?=${quote})`,
  '(?=[ \\t])(?<=--[\\wÀ-ž.-]{1,60}|(?<!\\S)-(?:[A-Za-z][\\w.-]{0,60})?)[ \\t]{1,8}(?!-)',
  '(?=[ \\t])(?<=\\b(?:SetEnv|fastcgi_param|uwsgi_param|setenv|(?-i:ENV|ARG)|config set|option (?:add|set|update)|option patch (?:insert|update)(?: [\\wÀ-ž.-]{1,60}){1,3}|(?:meta|transient) (?:add|set|update)(?: \\d{1,12})?) [\\wÀ-ž.-]{1,60})[ \\t]{1,20}(?!--?[a-z])',
  // `set :db_password, "…"`
  '(?=[,\\s])(?<=\\bset[ (]\\s?:[\\wÀ-ž.-]{1,60}\\)?)(?:,|\\s\\{)[ \\t]{0,4}(?=\\\\{0,8}["\'])',
  '(?=[ \\t|])(?<=(?:^|\\|)[ \\t]{0,20}[\\wÀ-ž.-]{1,60})[ \\t]{0,40}(?:\\||\\t)[ \\t]{0,20}',
  '(?=[\\s>])(?<=(?<!=)<[\\wÀ-ž:.-]{1,60})(?:\\s[\\wÀ-ž:.-]{1,60}=[^<>\\n]{0,300})?>(?!@)(?:\\s{0,2}\\n[ \\t]{0,40})?(?:<!\\[CDATA\\[)?',
  `(?=[\\s>])(?<=<[\\w:.-]{1,40}\\s[^<>\\n]{0,80}\\b(?:name|key|id)=${quote}[\\w.:\\[\\]-]{1,80}${quote})(?:\\s[^<>\\n]{0,200})?>(?:\\s{0,2}\\n[ \\t]{0,40})?(?:<(?:value|string)>)?(?:<!\\[CDATA\\[)?`,
  `[ \\t]{1,4}(?:[\\w-]{1,20}=${quote}[\\w-]{0,40}${quote} {1,4}){0,4}value=(?=${quote})`,
  '(?=&gt;)(?<=&lt;[\\wÀ-ž:.-]{1,60})&gt;',
  '</(?:name|key)>\\s{0,40}<(?:value|string)>(?:<string>)?',
].join('|');
/** The YAML sign for a value on the following lines. */
const blockOpens = '[|>][-+\\d]{0,2}[ \\t]{0,8}(?:#[^\\n]{0,80})?\\r?';
/** Excludes text that is never a credential although it follows the name, such as program variables. */
const nothing = (end: string): string =>
  `(?!\\*{3}(?=${end})|${blockOpens}(?:$|\\\\{1,4}n)|&[a-z_-]{2,40}[ \\t]{0,4}$|generated \\d{1,12} bytes |[aO]:\\d{1,5}:[{\\\\"]|(?<=\\] => {0,2})\\[[\\w:-]{1,80}\\] =>|(?<=\\w= )[a-z_]{2,40}=[^=]|\\$_?[a-z]\\w{0,40}(?:->|[[;),]))`;
/** A character of a value. An unquoted value ends where JSON or nginx syntax continues. */
export const valueCharacter = '(?!\\\\{0,8}"(?:\\s{0,2}[,:}\\]]| while |$))[^\\n]';
/** Excludes a quotation mark that ends a JSON text or starts the next name. */
export const begun = `(?!\\s{0,2}[,:}\\]](?:\\s{0,2}["{}[\\]]|$)|;\\s{0,2}(?:expect|interact|(?:exp_)?send|$)|\\s?\\{\\s?(?:exp_)?send|[\\w-]{1,60}${quote}\\s?(?::(?!:)|=>)\\s?(?:${quote}|[[{]|array\\b))`;
const quoted = `(?<!\`[^\`'\\s]{1,80}=)(?<open>${quote})${begun}${nothing('\\||\\k<open>')}(?:(?!(?<!\\\\)\\k<open>)${valueCharacter}){LEAST,500}(?=\\k<open>)`;
/** A value printed by `print_r`: up to the next key, the closing parenthesis or the end of the line. */
const printed = `(?<=\\] => ?)(?!["'\\s])${nothing('[ \\t]{0,4}(?:$| [[()])')}(?:(?! [[)])${valueCharacter}){LEAST,500}`;
/** A value that fills the rest of a YAML line. */
const ofLine = `(?<=^[ \\t]{0,20}(?:- )?[\\w.-]{1,60}: {1,4})(?!["'\\s]|# )${nothing('\\W|$')}(?:(?! #)${valueCharacter}){LEAST,500}`;
/** A few words, up to the next name, a closing bracket or the end of the line. */
const one = '[^\\s"\'`(){}[\\],;:=&<>|\\\\]{1,40}';
const recorded = `(?<=[({[,;→] {0,2}[\\w.-]{1,40} ?[=:] {0,2})(?!${quote})${nothing('\\W|$')}${one}(?: ${one}){1,5}(?=[,;] {0,2}[\\w.-]{1,30} ?[=:]|[)}\\]])`;
const phrase = `(?<=(?: ?[:=]|=>) {1,2})(?!${quote}|#|//)${nothing('\\W|$')}${one}(?: ${one}){1,4}(?=[ \\t.!]{0,3}(?:$|\\\\{0,8}["']| \\(| # | // ))`;
/** A quoted `name=value` with spaces in the value: `-e "db_password=… …"` */
const wholly = `(?<=(?<around>["'])[\\w.-]{1,60}=)(?=[^\\s"']{1,100} )[^"'\\n&=;]{3,200}(?=\\k<around>)`;
/** A value between XML tags, or in a table column. */
const tagged = `(?<=(?<![=-])>\\s{0,40}(?:<!\\[CDATA\\[)?)(?![\\s\\]])${nothing('<|\\]|$')}(?:(?:(?!<)${valueCharacter}){1,500}?(?=\\]\\]>|<)|[^<\\s"]{1,500}$)`;
const column = `(?<=\\|[ \\t]{0,20})(?![\\s|])${nothing('\\W|$')}(?:(?!\\|)${valueCharacter}){1,200}?(?=[ \\t]{1,40}\\|)`;
/** The value of an environment variable, up to the next space. */
const variable = `(?<=(?:^|[\\s;])(?-i:[A-Z][A-Z\\d_]{2,60})=)(?!${quote})${nothing('\\W|$')}[^\\s"'\`<>\\\\;]{BARE,}`;
/** A machine-made string alone after words: base64 or similar, without a full stop at the end. */
export const made = (least: number, most: number): string => `[\\w.~+/=-]{${least - 1},${most - 1}}[\\w~+/=-]`;
/**
 * A function call instead of a value: with a text or a number, with the result of another call, or any call assigned to
 * a variable.
 */
const call = `[\\w.]{1,24}\\(${quote}|(?:(?-i:[a-z]{1,15})|(?-i:[A-Z]{1,15}))\\(\\d{1,7}\\)|(?-i:[a-z_][a-z_\\d]{2,40}\\(\\s?(?:\\$(?=[a-z_])|[a-z_\\d]{1,40}\\())|(?<=\\$[\\w>-]{1,60}\\s?=\\s?)(?-i:[a-z_\\d\\\\:>-]{2,60})\\(`;
/**
 * An ampersand ends a form field or URL parameter if another name follows or came before. Otherwise it is part of the
 * value.
 */
const ampersand = `&(?=[^\\s&"';]{1,60};(?:[\\s"'A-Z]|$))(?<!(?:[?&#]|&amp;)[\\w.[\\]%-]{0,80}=[^\\s&"'?]{0,500}&)(?!(?:amp|quot|[lg]t|nbsp|#\\w{1,5});)|&(?!(?:amp|quot|[lg]t|nbsp|#\\w{1,5});|[\\w.[\\]%-]{1,60}=)(?=[^\\s&"'])(?<!(?:[?&#]|&amp;)[\\w.[\\]%-]{0,80}=[^\\s&"'?]{0,500}&)`;
const bare = `(?:(?<open>${quote})${begun}|(?!${quote}|${call}))${nothing('[^\\w-]|$')}(?:[^\\s"'\`&,;<>\\\\]|[,;](?=[^\\s,;"'\\\\])(?![\\w.-]{1,40}["']?[=:])|'(?=[a-z\\d])|${ampersand}|[<>](?=[\\w!@#$%^*][^\\s<>"'=]{0,60}(?:\\s|$))|<(?=[^\\s<>"'=/]{1,60}>(?:\\s|$))|>(?<=<[^\\s<>"'=/]{1,60}>)(?=\\s|$)|\\\\(?:[\\\\/]|(?=[^\\s"'\\\\nrtuxbf\\d/]))){BARE,}`;
/** ODBC puts values with a semicolon in braces. */
const braced = `(?<=[:=]\\{)[^{}\\n"']{1,100}(?=\\})`;
const value = [quoted, printed, ofLine, wholly, recorded, phrase, tagged, column, variable, braced, bare].join('|');

/** Matches the value after one of these names: at least `least` characters in quotes, or `alone` without. */
export const namedValue = (names: string, least: number, alone: number): RegExp =>
  new RegExp(
    `(?<before>(?:${names})${suffix}${nameEnd}(?:${between})(?:[\\w.]{1,24}\\((?=${quote}))?)(?:${value.replaceAll('LEAST', String(least)).replaceAll('BARE', String(alone))})`,
    'gim',
  );
