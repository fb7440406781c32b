import { casedOf } from './case-sensitive-groups.ts';
import { isPlaceholder, isCoined } from './value-shapes.ts';
import { isTelling, passwords } from './credential-names.ts';

/** Masks credentials that span lines: a key has many lines, and a value may stand on the line below its name. */

const keyBegins = /\bBEGIN\s(?:[A-Z\d]+\s){0,3}PRIVATE\s+KEY\b|^\s*Private-Lines: \d/i;
const keyEnds = /\bEND\s(?:[A-Z\d]+\s){0,3}PRIVATE\s+KEY\b|^\s*Private-MAC: /i;
/** OpenSSL prints the bytes of a key below the name of each part. */
const bytesBegin = /^\s*(?:privateExponent|prime\d|exponent\d|coefficient|priv):\s*$/i;
const bytesGoOn = /^\s*(?:[\da-f]{2}:){0,40}[\da-f]{2}:?\s*$/i;
const keyGoesOn = /^\s*(?:[A-Za-z\d+/=]{1,100}|(?:Proc-Type|DEK-Info): .{1,100})?\s*$/;

/** Ends with the name of a credential, as the value of `name` or between tags: the next line has the value. */
const namesNext =
  /(?:["'[]?(?:name|key|field|option_name|meta_key)["'\]]?\s?(?:=>|[:=])\s?["']?|<(?:name|key|string)>\s?)([\w.-]{1,60})["']?(?:,|<\/(?:name|key|string)>)?$/i;
const ofForm = /\bform-data;[^\n]{0,20}\bname=\\?"([^"\\]{1,100})\\?"\s*$/i;
const mailPrompt =
  /\bAUTH (?:LOGIN|PLAIN|XOAUTH2?|OAUTHBEARER|CRAM-MD5|DIGEST-MD5|NTLM)\s*$|\b334(?: [\w+/=]{0,500})?\s*$/i;
const endsMail =
  /\b(?:235|250|421|454|5\d\d)[ -]|MAIL FROM|(?:^|[\s:>])(?:DATA|NOOP|QUIT|RSET|STARTTLS|\*)\s*$|\b(?:EHLO|HELO) /;
const isAsked = /\bSERVER -> |\b334 /;
const mailAnswer =
  /^(.{0,120}?(?:^|[\s:>]))((?:[A-Za-z\d+/]{4}){0,50}(?:[A-Za-z\d+/]{4}|[A-Za-z\d+/]{3}=|[A-Za-z\d+/]{2}==)|[A-Za-z\d+/]{8,200}={1,2})\s*$/;

/** A command that prints the named setting on the next line. */
const printsSetting =
  /(?:\bwp [^\n]{0,80}\b(?:config|option|transient|pluck|meta)\b[^\n]{0,40} get|\bprintenv|(?<=[$#>] ?)echo) [^\n]{0,60}?["']?\$?\{?([A-Za-z_][\w.-]{2,60})\}?["']?(?: --[\w-]{1,20}(?:=\S{1,40})?){0,3}\s*$/;
/** A command that prints the password that it just created. */
const createsPassword = /\bwp [^\n]{0,80}\bapplication-password create .{1,120}--porcelain\b/;
/** Output that is not the requested value, such as an error or a prompt. */
const otherOutput = /^(?:Error|Warning|Notice|Deprecated|PHP |Success|bash:|sh:|zsh:|\S{0,60}[$#>] |\[)/;
/** A log timestamp, after which a password may stand alone. */
const timestamped =
  /^(?<when>\[?(?:\d{4}-\d\d-\d\d[T ])?\d\d:\d\d:\d\d\S{0,12} |\[[^\]]{1,40}\] |[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d (?:[\w.-]{1,60} \S{1,40}: )?)(?<said>.*)$/;

/** A table whose header names a column of credentials. */
type Table = {
  readonly separator: string;
  readonly width: number;
  readonly hidden: readonly number[];
  /** The columns of names and of their values, in a table of settings. */
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

/** Joins cells again that were split inside quotation marks. */
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

/** The row with its credentials masked; undefined if it is not a row of the table. */
function rowOf(line: string, { separator, width, hidden, named }: Table): string | undefined {
  const plain = line.split(separator);
  const cells = plain.length === width ? plain : joined(plain, separator);
  if (cells.length !== width) return undefined;
  const isNamed = named !== undefined && isTelling((cells[named[0]] ?? '').replaceAll('"', '').trim());
  const isHidden = (at: number): boolean => hidden.includes(at) || (isNamed && at === named[1]);
  return cells.map((cell, at) => (isHidden(at) && cell.trim() !== '' ? '***' : cell)).join(separator);
}

/** A line without the credentials that earlier lines announced. `behind`: earlier text to read before the line. */
type FollowedLine = { readonly line: string; readonly behind: string };

/** Reads lines in order: call `step` for each line, then `note` with the line and its masked text. */
export class LineFollower {
  #isKey = false;
  #isBytes = false;
  #behind = '';
  #form: 'no' | 'head' | 'body' = 'no';
  #mail = 0;
  /** The lines so far of a list that may hold a name and a password. */
  #list = '';
  /** The line before is a command that prints a credential. */
  #isPrinted = false;
  #table: Table | undefined;
  /** The line was masked completely although it is not part of a key. */
  #isHidden = false;

  step(line: string): FollowedLine {
    // Bounded: a longer line cannot be part of a key.
    const start = line.slice(0, 200);
    this.#isHidden = false;
    if (this.#isOfKey(start)) return { line: '***', behind: '' };
    const announced = this.#announcedIn(line, start);
    this.#isHidden = announced !== undefined;
    if (announced !== undefined) return { line: announced, behind: '' };
    const row = this.#table === undefined ? undefined : rowOf(line, this.#table);
    if (row === undefined) this.#table = undefined;
    if (row !== undefined) return { line: row, behind: '' };
    return { line, behind: this.#behind };
  }

  #isOfKey(start: string): boolean {
    return (this.#isKey && (keyGoesOn.test(start) || keyEnds.test(start))) || (this.#isBytes && bytesGoOn.test(start));
  }

  /** The line without the credential that an earlier line announced; undefined if it has none. */
  #announcedIn(line: string, start: string): string | undefined {
    const printed = this.#isPrinted && line.trim() !== '' ? withoutPrinted(line, start) : undefined;
    if (printed !== undefined) return printed;
    const prefix =
      this.#form !== 'no' && this.#isOfForm(line) ? '' : this.#mail > 0 ? this.#mailPrefix(start) : undefined;
    return prefix === undefined || isPlaceholder(line.trim()) ? undefined : `${prefix}***`;
  }

  /** Whether this line is the value of the form field: it comes after an empty line and before the next field. */
  #isOfForm(line: string): boolean {
    const isEmpty = line.trim() === '';
    if (this.#form === 'body' && !line.startsWith('--')) return !isEmpty;
    this.#form = isEmpty ? 'body' : /^content-/i.test(line) ? 'head' : 'no';
    return false;
  }

  /** The text before a client's answer to a mail server's login prompt; undefined if the line is not such an answer. */
  #mailPrefix(line: string): string | undefined {
    this.#mail = endsMail.test(line) ? 0 : this.#mail - 1;
    return this.#mail === 0 || isAsked.test(line) ? undefined : mailAnswer.exec(line)?.[1];
  }

  /** Whether a name announced this value on the line above; it is too short for a line of a key. */
  #isAnnounced(line: string): boolean {
    return line.trim().length < 50 && this.#behind.trimEnd().endsWith(':');
  }

  note(line: string, masked: string): void {
    const end = line.slice(-200).trimEnd();
    const start = line.slice(0, 200);
    this.#noteKey(line, masked, end);
    this.#isPrinted = line.length < 160 && /get |printenv |echo |--porc/.test(end) && asksFor(end);
    this.#noteName(line, end);
    if (end.endsWith('"') && end.includes('form-data')) this.#form = isTelling(field(end)) ? 'head' : 'no';
    if ((end.includes('AUTH ') || end.includes('334')) && mailPrompt.test(end)) this.#mail = 6;
    this.#table ??= tableOf(start);
  }

  #noteKey(line: string, masked: string, end: string): void {
    const start = line.slice(0, 200);
    // A search may have left out the BEGIN line, so a masked line may also start a key.
    const mayBeKey = this.#isKey || (masked.trim() === '***' && !this.#isHidden && !this.#isAnnounced(start));
    this.#isKey = (keyBegins.test(line) || (mayBeKey && keyGoesOn.test(start))) && !keyEnds.test(line);
    this.#isBytes = (this.#isBytes && bytesGoOn.test(start)) || (end.endsWith(':') && bytesBegin.test(start));
  }

  /** Keeps what names the values of the next lines. */
  #noteName(line: string, end: string): void {
    const isBefore = end.endsWith('>') || end.endsWith('=') || end.endsWith('link created!') || isName(line, end);
    const before = `${this.#behind}\n`;
    const isBelow = end === '' && this.#behind.endsWith(':\n') && !this.#behind.endsWith('\n\n');
    this.#list = this.#list === '' ? (beginsList.test(end) ? `${end}\n` : '') : extended(this.#list, end);
    this.#behind = this.#list === '' ? (isBefore ? `${end}\n` : '') : this.#list;
    if (isBelow) this.#behind = before;
  }
}

/** The line that a command printed, without the credential; undefined if it is other output. */
function withoutPrinted(line: string, start: string): string | undefined {
  const { when = '', said = line } = timestamped.exec(start)?.groups ?? {};
  const isCredential = when === '' ? !otherOutput.test(start) : /^\S+\s*$/.test(said) && isCoined(said.trim());
  return isCredential ? `${when}***` : undefined;
}

/** Masks the lines of a text as if they were the lines of a log. */
export function lineByLine(text: string): string {
  const follower = new LineFollower();
  return text
    .split('\n')
    .map((whole) => {
      const { line } = follower.step(whole);
      follower.note(whole, line);
      return line;
    })
    .join('\n');
}

/** The start of a list, `[auth] => Array` or `"auth": [`. */
const beginsList = /(?:auth|credentials)["'\]]{1,2}\s?(?:=>|[:=])\s?(?:Array|\[|array ?\()?$/i;
/**
 * Adds a line to the list, up to its end or until it is too long for two values; a dump has six lines before the second
 * one.
 */
const extended = (list: string, end: string): string =>
  /^\s*[)\]}],?$/.test(end) || list.length > 600 || list.split('\n').length > 6 ? '' : `${list}${end}\n`;
const asksFor = (end: string): boolean => isTelling(printsSetting.exec(end)?.[1] ?? '') || createsPassword.test(end);
const field = (end: string): string => ofForm.exec(end)?.[1] ?? '';
/** The end of a sentence such as `Please use the following password to proceed:`. */
const announces = casedOf(`(?:${passwords})(?: [^\\s:="']{1,30}){1,8}:$`, 'i');
/** Whether the line ends with the name of a credential. Cheap checks come first: most lines need no expression. */
const isName = (line: string, end: string): boolean =>
  line.length < 200 &&
  ((/name|key|field|string/i.test(end) && isTelling(namesNext.exec(end)?.[1] ?? '')) ||
    (end.endsWith(':') && (isTelling(end.slice(0, -1)) || announces.test(end))));
