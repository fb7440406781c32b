import { beginsValue, lineOfBlock } from './rules/yaml-blocks.ts';
import { casedOf } from './case-sensitive-groups.ts';
import { isPlaceholder } from './placeholders.ts';
import { isCoined } from './randomness.ts';
import { isTelling, passwords } from './credential-names.ts';

/** What a line of a log tells of those after it: a key goes over many, and a value stands below its name. */

const keyBegins = /\bBEGIN\s(?:[A-Z\d]+\s){0,3}PRIVATE\s+KEY\b|^\s*Private-Lines: \d/i;
const keyEnds = /\bEND\s(?:[A-Z\d]+\s){0,3}PRIVATE\s+KEY\b|^\s*Private-MAC: /i;
/** OpenSSL prints the bytes of a key below the name of each part. */
const bytesBegin = /^\s*(?:privateExponent|prime\d|exponent\d|coefficient|priv):\s*$/i;
const bytesGoOn = /^\s*(?:[\da-f]{2}:){0,40}[\da-f]{2}:?\s*$/i;
const keyGoesOn = /^\s*(?:[A-Za-z\d+/=]{1,100}|(?:Proc-Type|DEK-Info): .{1,100})?\s*$/;

/** A name as the value of `name`, or between tags: what follows is what it names. */
const namesNext =
  /(?:["'[]?(?:name|key|field|option_name|meta_key)["'\]]?\s?(?:=>|[:=])\s?["']?|<(?:name|key|string)>\s?)([\w.-]{1,60})["']?(?:,|<\/(?:name|key|string)>)?$/i;
const ofForm = /\bform-data;[^\n]{0,20}\bname=\\?"([^"\\]{1,100})\\?"\s*$/i;
const asksMail =
  /\bAUTH (?:LOGIN|PLAIN|XOAUTH2?|OAUTHBEARER|CRAM-MD5|DIGEST-MD5|NTLM)\s*$|\b334(?: [\w+/=]{0,500})?\s*$/i;
const endsMail =
  /\b(?:235|250|421|454|5\d\d)[ -]|MAIL FROM|(?:^|[\s:>])(?:DATA|NOOP|QUIT|RSET|STARTTLS|\*)\s*$|\b(?:EHLO|HELO) /;
const isAsked = /\bSERVER -> |\b334 /;
const saysMail =
  /^(.{0,120}?(?:^|[\s:>]))((?:[A-Za-z\d+/]{4}){0,50}(?:[A-Za-z\d+/]{4}|[A-Za-z\d+/]{3}=|[A-Za-z\d+/]{2}==)|[A-Za-z\d+/]{8,200}={1,2})\s*$/;

/** A command that shows what it names, alone on the next line. */
const shows =
  /(?:\bwp [^\n]{0,80}\b(?:config|option|transient|pluck|meta)\b[^\n]{0,40} get|\bprintenv|(?<=[$#>] ?)echo) [^\n]{0,60}?["']?\$?\{?([A-Za-z_][\w.-]{2,60})\}?["']?(?: --[\w-]{1,20}(?:=\S{1,40})?){0,3}\s*$/;
/** It shows a password that was just made. */
const makes = /\bwp [^\n]{0,80}\bapplication-password create .{1,120}--porcelain\b/;
/** What a program answers that has nothing to show. */
const answers = /^(?:Error|Warning|Notice|Deprecated|PHP |Success|bash:|sh:|zsh:|\S{0,60}[$#>] |\[)/;
/** When a line was written; a password alone may stand behind it. */
const written =
  /^(?<when>\[?(?:\d{4}-\d\d-\d\d[T ])?\d\d:\d\d:\d\d\S{0,12} |\[[^\]]{1,40}\] |[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d (?:[\w.-]{1,60} \S{1,40}: )?)(?<said>.*)$/;

/** Rows of a table whose head names a column of credentials. */
type Table = {
  readonly separator: string;
  readonly width: number;
  readonly hidden: readonly number[];
  /** A column of names, and the one that says what they stand for. */
  readonly named: readonly [name: number, value: number] | undefined;
};
const namesRow = /^(?:name|key|option_name|meta_key|constant|option|setting|variable)$/i;
const saysRow = /^(?:value|option_value|meta_value)$/i;
const head = /^"?[a-z_]\w{0,30}"?(?:([,;\t])"?[a-z_][\w -]{0,30}"?){1,30}$/i;
const stamp = /^\[[^\]]{1,40}\] /;

function tableOf(line: string): Table | undefined {
  if (line.length >= 200) return undefined;
  const plain = line.replace(stamp, '');
  const separator = head.exec(plain)?.[1];
  if (separator === undefined) return undefined;
  const names = plain.split(separator).map((name) => name.replaceAll('"', '').trim());
  const hidden = names.flatMap((name, at) => (isTelling(name) ? [at] : []));
  const [name, value] = [names.findIndex((one) => namesRow.test(one)), names.findIndex((one) => saysRow.test(one))];
  const named = name === -1 || value === -1 ? undefined : ([name, value] as const);
  return hidden.length === 0 && named === undefined ? undefined : { separator, width: names.length, hidden, named };
}

/** What is in quotation marks may hold the separator. */
function joined(cells: readonly string[], separator: string): readonly string[] {
  const whole: string[] = [];
  let isOpen = false;
  for (const cell of cells) {
    if (isOpen) whole[whole.length - 1] += separator + cell;
    else whole.push(cell);
    if (cell.split('"').length % 2 === 0) isOpen = !isOpen;
  }
  return whole;
}

/** A row with one credential or more, as it may be shown. */
function rowOf(line: string, { separator, width, hidden, named }: Table): string | undefined {
  const plain = line.split(separator);
  const cells = plain.length === width ? plain : joined(plain, separator);
  if (cells.length !== width) return undefined;
  const isNamed = named !== undefined && isTelling((cells[named[0]] ?? '').replaceAll('"', '').trim());
  const isHidden = (at: number): boolean => hidden.includes(at) || (isNamed && at === named[1]);
  return cells.map((cell, at) => (isHidden(at) && cell.trim() !== '' ? '***' : cell)).join(separator);
}

/** A line without what the lines before say is a credential, and what it is to be looked at behind of. */
export type Step = { readonly line: string; readonly behind: string };

/** Reads lines in their order: what the lines before make of one, and then what was shown of it. */
export class Follower {
  #isKey = false;
  #isBytes = false;
  #behind = '';
  #form: 'no' | 'head' | 'body' = 'no';
  #mail = 0;
  /** A list begins that may hold a name and a password. */
  #list = '';
  /** A block of YAML, in which a key opens nothing, and how far in it stands. */
  #block: readonly [behind: string, indent: number] | undefined;
  /** A block of YAML that is a credential, and how far in its name stands; the line before may have named it. */
  #value: number | undefined;
  #before = '';
  /** The line before asked for a credential. */
  #isShown = false;
  #table: Table | undefined;
  #isCodes = false;
  /** The line was no key, and yet nothing is left of it. */
  #isHidden = false;

  step(line: string): Step {
    // Bounded: what is longer than a line of a key is none.
    const start = line.slice(0, 200);
    this.#isHidden = false;
    if (this.#isKey && (keyGoesOn.test(start) || keyEnds.test(start))) return { line: '***', behind: '' };
    if (this.#isBytes && bytesGoOn.test(start)) return { line: '***', behind: '' };
    if (this.#isShown && line.trim() !== '') {
      const { when = '', said = line } = written.exec(start)?.groups ?? {};
      this.#isHidden = when === '' ? !answers.test(start) : /^\S+\s*$/.test(said) && isCoined(said.trim());
      if (this.#isHidden) return { line: `${when}***`, behind: '' };
    }
    this.#isHidden = this.#isCodes && isCode(start);
    if (this.#isHidden) return { line: '***', behind: '' };
    const left = this.#value === undefined ? undefined : lineOfBlock(line, this.#value);
    this.#isHidden = left !== undefined;
    if (left !== undefined) return { line: left, behind: '' };
    this.#value = undefined;
    const said = this.#form !== 'no' && this.#isOfForm(line) ? '' : this.#mail > 0 ? this.#saidIn(start) : undefined;
    this.#isHidden = said !== undefined && !isPlaceholder(line.trim());
    if (this.#isHidden) return { line: `${said ?? ''}***`, behind: '' };
    const row = this.#table === undefined ? undefined : rowOf(line, this.#table);
    if (row === undefined) this.#table = undefined;
    if (row !== undefined) return { line: row, behind: '' };
    const isKey = this.#block !== undefined && ofBlock.test(start);
    return { line, behind: isKey ? (this.#block?.[0] ?? '') : this.#behind };
  }

  /** Whether it is what was filled in: behind an empty line, and up to the next field. */
  #isOfForm(line: string): boolean {
    const isEmpty = line.trim() === '';
    if (this.#form === 'body' && !line.startsWith('--')) return !isEmpty;
    this.#form = isEmpty ? 'body' : /^content-/i.test(line) ? 'head' : 'no';
    return false;
  }

  /** What stands before an answer to a mail server that asks who is there. */
  #saidIn(line: string): string | undefined {
    this.#mail = endsMail.test(line) ? 0 : this.#mail - 1;
    return this.#mail === 0 || isAsked.test(line) ? undefined : saysMail.exec(line)?.[1];
  }

  /** What is as short as no line of a key, and was named above it. */
  #isAnnounced(line: string): boolean {
    return line.trim().length < 50 && this.#behind.trimEnd().endsWith(':');
  }

  told(line: string, masked: string): void {
    const end = line.slice(-200).trimEnd();
    const start = line.slice(0, 200);
    this.#value ??= beginsValue(start, this.#before);
    this.#before = start;
    this.#block = blockAt(end, start, this.#block);
    // A search may have left out the line that says so: the beginning of the key itself is known as well.
    const mayBeKey = this.#isKey || (masked.trim() === '***' && !this.#isHidden && !this.#isAnnounced(start));
    this.#isKey = (keyBegins.test(line) || (mayBeKey && keyGoesOn.test(start))) && !keyEnds.test(line);
    this.#isBytes = (this.#isBytes && bytesGoOn.test(start)) || (end.endsWith(':') && bytesBegin.test(start));
    this.#isShown = line.length < 160 && /get |printenv |echo |--porc/.test(end) && asksFor(end);
    this.#isCodes =
      (this.#isCodes && (isCode(start) || end.trim() === '')) || (end.endsWith(':') && beginsCodes.test(end));
    const isBefore = end.endsWith('>') || end.endsWith('=') || end.endsWith('link created!') || isName(line, end);
    const before = `${this.#behind}\n`;
    const isBelow = end === '' && this.#behind.endsWith(':\n') && !this.#behind.endsWith('\n\n');
    this.#list = this.#list === '' ? (beginsList.test(end) ? `${end}\n` : '') : longer(this.#list, end);
    this.#behind = this.#list === '' ? (isBefore || asksOnce.test(end) ? `${end}\n` : '') : this.#list;
    if (isBelow) this.#behind = before;
    if (end.endsWith('"') && end.includes('form-data')) this.#form = isTelling(field(end)) ? 'head' : 'no';
    if ((end.includes('AUTH ') || end.includes('334')) && asksMail.test(end)) this.#mail = 6;
    this.#table ??= tableOf(start);
  }
}

/** The lines of a text, read like the lines of a log. */
export function lineByLine(text: string): string {
  const follower = new Follower();
  return text
    .split('\n')
    .map((whole) => {
      const { line } = follower.step(whole);
      follower.told(whole, line);
      return line;
    })
    .join('\n');
}

const ofBlock = /^\s{1,40}["']?key["']?:/;
const beginsBlock = /^\s{0,40}["']?(?:cache|concurrency|hash|index|sort)["']?:$/;
/** In which block the next line may stand. */
function blockAt(
  end: string,
  start: string,
  block: readonly [string, number] | undefined,
): readonly [string, number] | undefined {
  const indent = start.length - start.trimStart().length;
  if (end.endsWith(':') && beginsBlock.test(end)) return [`${end}\n`, indent];
  return end === '' || (block !== undefined && indent > block[1]) ? block : undefined;
}
/** `[auth] => Array`, `"auth": [`, and how `expect` waits for who asks. */
const beginsList = /(?:auth|credentials)["'\]]{1,2}\s?(?:=>|[:=])\s?(?:Array|\[|array ?\()?$/i;
const asksOnce = /\bexpect\b[^\n]{0,60}(?:ass(?:wor[dt]|wd|phrase)|ennwort)[^\n]{0,20}["'}{]$/i;
/** A list of codes for one login each stands below. */
const beginsCodes =
  /\b(?:backup|recovery|scratch|emergency|one-time|2fa|herstel|reserve|nood|wiederherstellungs|ersatz|notfall|secours|récupération)[ -]?codes?\b[^:]{0,40}:$/i;
const isCode = (line: string): boolean =>
  /^\s*(?:[-*•] |\d{1,2}[.):] ?)?(?=\S*\d)[\da-z]{3,10}(?:[ -][\da-z]{3,10}){0,5}\s*$/i.test(line);
/** Up to its end, as far as two texts go; a dump writes six lines before the second. */
const longer = (list: string, end: string): string =>
  /^\s*[)\]}],?$/.test(end) || list.length > 600 || list.split('\n').length > 6 ? '' : `${list}${end}\n`;
const asksFor = (end: string): boolean => isTelling(shows.exec(end)?.[1] ?? '') || makes.test(end);
const field = (end: string): string => ofForm.exec(end)?.[1] ?? '';
/** `Please use the following password to proceed:` */
const announces = casedOf(`(?:${passwords})(?: [^\\s:="']{1,30}){1,8}:$`, 'i');
/** Most lines are told apart without an expression. */
const isName = (line: string, end: string): boolean =>
  line.length < 200 &&
  ((/name|key|field|string/i.test(end) && isTelling(namesNext.exec(end)?.[1] ?? '')) ||
    (end.endsWith(':') && (isTelling(end.slice(0, -1)) || announces.test(end))));
