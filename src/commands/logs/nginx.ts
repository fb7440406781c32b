import { pathOf } from './requests.ts';

/** The request that nginx was serving when it logged an entry. */
export type Cause = {
  /** The visitor's alias. */
  readonly client: string | undefined;
  /** Method and path, without the query: `GET /shop/?…`. */
  readonly request: string;
  readonly host: string | undefined;
};

/** The content of an error log entry, without the wrapper that nginx, Apache or php-fpm puts around it. */
export type Unwrapped = {
  /** The messages: several if PHP logged several for one request, none if these are lines of a stack trace. */
  readonly messages: readonly string[];
  /** Whether the last message was cut off. */
  readonly isCut: boolean;
  readonly cause: Cause | undefined;
};

/** nginx's prefix: level, process and connection, and a note if the message is from PHP. */
const head = /^(\[[a-z]{1,10}\] )\d+#\d+: (?:\*\d+ )?(FastCGI sent in stderr: ")?/i;
/** php-fpm's prefix, if it forwards the output of its processes. */
const poolHead = /^[A-Z]{4,7}: \[pool [^\]]{1,80}\] child \d+ said into std(?:err|out): "/;
/** Apache's prefix for what php-fpm says, and the end of such an entry. */
const apacheHead =
  /^\[proxy_fcgi:[a-z]{1,10}\] (?:\[pid [^\]]{1,60}\] )?(?:\[client [^\]]{1,80}\] )?AH01071: Got error '/;
const apacheTail = /'(?:, referer: .{0,2000})?$/;
const opening = 'PHP message: ';
const separator = '; ';
/** How wrapped entries start. Most entries of PHP's own log, and all entries of other logs, don't start like this. */
const wrapped = /^(?:\[[a-z]+\] \d|\[proxy_fcgi:|PHP message: |(?:WARNING|NOTICE): (?:\[pool |PHP message: ))/i;
/** Entries that programs write in one line: of nginx and Apache about themselves, of php-fpm, and JSON. */
const oneLine =
  /^(?:\[[a-z]{1,10}\] \d+#\d+: (?!(?:\*\d+ )?FastCGI )|\[[\w.-]{1,40}:[a-z\d]{1,10}\] \[pid (?!.{0,200}AH01071)|(?:ALERT|ERROR|WARNING|NOTICE|DEBUG): (?:\[pool |fpm |ready |systemd |PHP message: )|\{.*\}$)/;
/** What another program puts in front of PHP's words, and Apache behind them. */
const around = /^(?:\[[^\]]{1,80}\] ?){1,6}(?=PHP [A-Z])/;
const referrer = /, referer: .*$/;
/** A line of PHP's stack trace, or of what it says of the exception before. Each may have the time in front. */
const trace =
  /^(?:\s*\[[^\]]{0,60}\])*\s*(?:(?:PHP )?Stack trace:|PHP +\d{1,4}\. |#\d{1,4} (?:\{main\}|\[internal function\]|[\\/]|[A-Z]:\\|[\w\\{}]{1,200}(?:->|::|\())|thrown in \S|Next [\w\\]{0,100}(?:Exception|Error)\b)/;
/** nginx's suffix: what it was doing, and for which visitor. A cut line may end in the middle of it. */
const tail =
  /"(?: while [\w ]{1,80})?, client: |" while (?:reading|connecting|sending)[\w ]{0,60}(?:upstream|client),|" while [\w ]{0,80}(?:…|$)/;
const ownTails = [' while reading ', ' while connecting ', ' while sending ', ', client: '];
const leftOut = /… \(\d{1,12} more characters\)$/;
/** Possible separators between two messages. */
const between = ['NOTICE:', '\\n', ';'];
const requestPart =
  /, client: (client-[\da-f]{4,64})?[^,]{0,100}, server: [^,]{0,260}, request: "([A-Z]{3,12} [^\s"]{1,1000})/;
const host = /, host: "([^"]{1,253})/;

/** Whether a masked line is a part of a stack trace. */
export const isTrace = (body: string): boolean => trace.test(body);

/** Whether a line without a time continues what PHP says of one request. */
export const isFurtherMessage = (line: string): boolean => line.startsWith(opening);

/** Whether an entry, without its time, is complete in one line, so that no other belongs to it. */
export const isOneLine = (body: string): boolean => oneLine.test(body);

/** Whether a line begins with the prefix of nginx, Apache or php-fpm. */
export const isWrapped = (line: string): boolean => wrapped.test(line);

/** Reads a masked entry without its time. */
export function unwrapped(body: string): Unwrapped {
  const prefix = isWrapped(body) ? prefixOf(body) : undefined;
  const { length, own, end } = prefix ?? none;
  if (own !== undefined) return ownOf(body, own, length);
  if (prefix === undefined || (length === 0 && !body.slice(0, 200).includes(opening)))
    return { messages: isTrace(body) ? [] : [withoutAround(body)], isCut: false, cause: undefined };
  const content = body.slice(length, end).replace(leftOut, '');
  const text = end === undefined ? withoutBegun(content) : content;
  return {
    messages: messagesIn(text),
    isCut: end === undefined && length > 0 && text === content,
    cause: end === undefined ? undefined : causeIn(body.slice(end)),
  };
}

function withoutAround(body: string): string {
  const before = body.startsWith('[') ? around.exec(body)?.[0] : undefined;
  return before === undefined ? body : bare(body.slice(before.length).replace(referrer, ''));
}

type Prefix = { readonly length: number; readonly own: string | undefined; readonly end: number | undefined };
const none: Prefix = { length: 0, own: undefined, end: undefined };

/** The prefix of a wrapped entry; with `own`, its level, it is an entry of nginx itself. `end`: where PHP's part ends. */
function prefixOf(body: string): Prefix {
  const start = body.slice(0, 300);
  const apache = apacheHead.exec(start)?.[0];
  if (apache !== undefined) return { length: apache.length, own: undefined, end: apacheTail.exec(body)?.index };
  const [whole, level, byPhp] = head.exec(start) ?? [poolHead.exec(start)?.[0] ?? ''];
  if (level !== undefined && byPhp === undefined) return { length: whole.length, own: level, end: undefined };
  return { length: whole.length, own: undefined, end: endOf(body) };
}

/** PHP's messages; those that are lines of a trace belong to the one before. */
function messagesIn(text: string): readonly string[] {
  const pieces = text.split(opening).filter((piece) => piece.trim() !== '');
  const messages = pieces
    .filter((piece) => !isTrace(piece))
    .map(bare)
    .filter((message) => message !== '');
  return messages.length === 0 && !pieces.some(isTrace) ? [''] : messages;
}

/** Where the messages end; undefined: the line is cut off. */
const endOf = (body: string): number | undefined =>
  tail.exec(body)?.index ?? (body.endsWith('"') ? body.length - 1 : undefined);

/** Drops a last message that was cut off within its prefix. */
function withoutBegun(text: string): string {
  const last = text.lastIndexOf(separator);
  return last !== -1 && opening.startsWith(text.slice(last + separator.length)) ? text.slice(0, last) : text;
}

/** nginx's own entries keep their level. PHP messages have a level of their own, but nginx logs all of them as errors. */
function ownOf(body: string, level: string, start: number): Unwrapped {
  const ends = ownTails.map((words) => body.indexOf(words, start)).filter((at) => at !== -1);
  const end = Math.min(body.length, ...ends);
  return { messages: [level + body.slice(start, end)], isCut: false, cause: causeIn(body.slice(end)) };
}

/** A message without its stack trace and without the separator after it. */
function bare(piece: string): string {
  const trace = piece.indexOf('Stack trace:');
  return between.reduce(
    (text, end) => (text.endsWith(end) ? text.slice(0, -end.length).trimEnd() : text),
    (trace > 0 ? piece.slice(0, trace) : piece).trimEnd(),
  );
}

/** The request named in a masked line. */
export function causeIn(line: string): Cause | undefined {
  const [, client, request] = requestPart.exec(line) ?? [];
  return request === undefined ? undefined : { client, request: pathOf(request), host: host.exec(line)?.[1] };
}
