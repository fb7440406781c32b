import { suffix } from './credential-names.ts';

/** How a name and its value are written: in PHP, JSON, XML, SQL, addresses, headers, settings and on command lines. */

/** A quotation mark as JSON in JSON, pages, addresses and nginx write it. */
export const quote = `(?:\\\\{0,8}["'\`]|&quot;|&#0?39;|%(?:25)?2[27]|\\\\u002[27]|(?:\\\\x5C){0,4}\\\\x2[27])`;
/** Whether none stands before a value. */
export const isBare = (before: string): boolean => !/["'`;>]$|%22$|\\[ux0]{1,3}22$/.test(before);
/** The colours of a terminal, by what shows them. */
const colour = '(?:\\^\\[|\\\\e|\\\\x1b|\\\\0?33|#0?33|\\\\u001b)\\[[\\d;]{0,8}m';
/** What ends a name in quotes or brackets; `:protected` and `:"Class":private` is how PHP prints properties. */
export const ends = `(?:${quote}|\\]|%5D|\\)(?=\\\\{0,8}["'])|(?:\\[|%5B)(?:[a-z_]\\w{0,11}(?:\\]|%5D)|\\d{1,2}(?:\\]|%5D)(?==|%3D))|(?:\\]\\[|%5D%5B)\\w{0,12}(?=\\]|%5D)|${colour}|:(?:\\\\{0,8}"[\\w\\\\]{1,80}":)?(?:[\\w\\\\]{1,80}:)?(?:private|protected)(?=\\])){0,4}`;
/**
 * What is empty ends with its line: the next one is about something else. A value stands there only where its kind is
 * printed first, or in quotes, behind an arrow, behind a name in quotes or indented.
 */
const onward = `(?:(?:\\s|\\\\[rn]){0,40}(?=\\(?string\\b|(?<=(?:=>|["'\`][ \\t]{0,20}:)(?:\\s|\\\\[rn]){0,40}|[ \\t])\\\\{0,8}["'])|[ \\t]{0,40})`;
/** What stands between a name and its value, its first sign first, since that is looked at faster than what is before; a comma in the arguments of a call, a space in those of a program. */
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
/** How YAML says that the value stands in the lines below. */
export const blockOpens = '[|>][-+\\d]{0,2}[ \\t]{0,8}(?:#[^\\n]{0,80})?\\r?';
/** What is none though it stands where a credential would, and a variable of a program. */
const nothing = (end: string): string =>
  `(?!\\*{3}(?=${end})|${blockOpens}(?:$|\\\\{1,4}n)|&[a-z_-]{2,40}[ \\t]{0,4}$|generated \\d{1,12} bytes |[aO]:\\d{1,5}:[{\\\\"]|(?<=\\] => {0,2})\\[[\\w:-]{1,80}\\] =>|(?<=\\w= )[a-z_]{2,40}=[^=]|\\$_?[a-z]\\w{0,40}(?:->|[[;),]))`;
/** Where JSON or nginx goes on: no value without quotes reaches beyond. */
export const within = '(?!\\\\{0,8}"(?:\\s{0,2}[,:}\\]]| while |$))[^\\n]';
/** A quotation mark that ends the text of JSON begins no value, and one that begins the name of another neither. */
export const begun = `(?!\\s{0,2}[,:}\\]](?:\\s{0,2}["{}[\\]]|$)|;\\s{0,2}(?:expect|interact|(?:exp_)?send|$)|\\s?\\{\\s?(?:exp_)?send|[\\w-]{1,60}${quote}\\s?(?::(?!:)|=>)\\s?(?:${quote}|[[{]|array\\b))`;
const quoted = `(?<!\`[^\`'\\s]{1,80}=)(?<open>${quote})${begun}${nothing('\\||\\k<open>')}(?:(?!(?<!\\\\)\\k<open>)${within}){LEAST,500}(?=\\k<open>)`;
/** How `print_r` writes a value: up to the next key, the closing parenthesis or the end of the line. */
const printed = `(?<=\\] => ?)(?!["'\\s])${nothing('[ \\t]{0,4}(?:$| [[()])')}(?:(?! [[)])${within}){LEAST,500}`;
/** A whole line of YAML. */
const ofLine = `(?<=^[ \\t]{0,20}(?:- )?[\\w.-]{1,60}: {1,4})(?!["'\\s]|# )${nothing('\\W|$')}(?:(?! #)${within}){LEAST,500}`;
/** Some words, up to the next name in brackets or a list, or to the end of the line. */
const one = '[^\\s"\'`(){}[\\],;:=&<>|\\\\]{1,40}';
const recorded = `(?<=[({[,;→] {0,2}[\\w.-]{1,40} ?[=:] {0,2})(?!${quote})${nothing('\\W|$')}${one}(?: ${one}){1,5}(?=[,;] {0,2}[\\w.-]{1,30} ?[=:]|[)}\\]])`;
const phrase = `(?<=(?: ?[:=]|=>) {1,2})(?!${quote}|#|//)${nothing('\\W|$')}${one}(?: ${one}){1,4}(?=[ \\t.!]{0,3}(?:$|\\\\{0,8}["']| \\(| # | // ))`;
/** All of what is in quotation marks with its name: `-e "db_password=… …"` */
const wholly = `(?<=(?<around>["'])[\\w.-]{1,60}=)(?=[^\\s"']{1,100} )[^"'\\n&=;]{3,200}(?=\\k<around>)`;
/** What stands between the tags of XML, and in a column of a table. */
const tagged = `(?<=(?<![=-])>\\s{0,40}(?:<!\\[CDATA\\[)?)(?![\\s\\]])${nothing('<|\\]|$')}(?:(?:(?!<)${within}){1,500}?(?=\\]\\]>|<)|[^<\\s"]{1,500}$)`;
const column = `(?<=\\|[ \\t]{0,20})(?![\\s|])${nothing('\\W|$')}(?:(?!\\|)${within}){1,200}?(?=[ \\t]{1,40}\\|)`;
/** A variable of the environment has all up to the next space. */
const variable = `(?<=(?:^|[\\s;])(?-i:[A-Z][A-Z\\d_]{2,60})=)(?!${quote})${nothing('\\W|$')}[^\\s"'\`<>\\\\;]{BARE,}`;
/** What a machine makes, where it stands alone behind words: base64 and its kin, and no full stop at its end. */
export const made = (least: number, most: number): string => `[\\w.~+/=-]{${least - 1},${most - 1}}[\\w~+/=-]`;
/** A call: with a text or a number, with what another one gives, or any where a variable is set. */
const call = `[\\w.]{1,24}\\(${quote}|(?:(?-i:[a-z]{1,15})|(?-i:[A-Z]{1,15}))\\(\\d{1,7}\\)|(?-i:[a-z_][a-z_\\d]{2,40}\\(\\s?(?:\\$(?=[a-z_])|[a-z_\\d]{1,40}\\())|(?<=\\$[\\w>-]{1,60}\\s?=\\s?)(?-i:[a-z_\\d\\\\:>-]{2,60})\\(`;
/** It ends a field of a form or of an address, where another name follows or one stood before, and else belongs to it. */
const ampersand = `&(?=[^\\s&"';]{1,60};(?:[\\s"'A-Z]|$))(?<!(?:[?&#]|&amp;)[\\w.[\\]%-]{0,80}=[^\\s&"'?]{0,500}&)(?!(?:amp|quot|[lg]t|nbsp|#\\w{1,5});)|&(?!(?:amp|quot|[lg]t|nbsp|#\\w{1,5});|[\\w.[\\]%-]{1,60}=)(?=[^\\s&"'])(?<!(?:[?&#]|&amp;)[\\w.[\\]%-]{0,80}=[^\\s&"'?]{0,500}&)`;
const bare = `(?:(?<open>${quote})${begun}|(?!${quote}|${call}))${nothing('[^\\w-]|$')}(?:[^\\s"'\`&,;<>\\\\]|[,;](?=[^\\s,;"'\\\\])(?![\\w.-]{1,40}["']?[=:])|'(?=[a-z\\d])|${ampersand}|[<>](?=[\\w!@#$%^*][^\\s<>"'=]{0,60}(?:\\s|$))|<(?=[^\\s<>"'=/]{1,60}>(?:\\s|$))|>(?<=<[^\\s<>"'=/]{1,60}>)(?=\\s|$)|\\\\(?:[\\\\/]|(?=[^\\s"'\\\\nrtuxbf\\d/]))){BARE,}`;
/** ODBC writes what has a semicolon in braces. */
const braced = `(?<=[:=]\\{)[^{}\\n"']{1,100}(?=\\})`;
const value = [quoted, printed, ofLine, wholly, recorded, phrase, tagged, column, variable, braced, bare].join('|');

/** Values of at least this many characters in quotes, and of that many without. */
export const named = (names: string, least: number, alone: number): RegExp =>
  new RegExp(
    `(?<before>(?:${names})${suffix}${ends}(?:${between})(?:[\\w.]{1,24}\\((?=${quote}))?)(?:${value.replaceAll('LEAST', String(least)).replaceAll('BARE', String(alone))})`,
    'gim',
  );
