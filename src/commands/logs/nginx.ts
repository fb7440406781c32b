import { pathOf } from './requests.ts';

/** What nginx was asked when it had something to tell. */
export type Cause = {
  /** The alias of whoever asked. */
  readonly client: string | undefined;
  /** Method and path, without what stands behind a question mark: `GET /shop/?…`. */
  readonly request: string;
  readonly host: string | undefined;
};

/** What an entry of an error log tells, without what nginx or php-fpm puts around it. */
export type Unwrapped = {
  /** At least one; several where PHP had several things to say about one request. */
  readonly messages: readonly string[];
  /** There was no room for the end of the last message. */
  readonly isCut: boolean;
  readonly cause: Cause | undefined;
};

/** nginx's own words before what it tells: its level, its process and connection, and that PHP said it. */
const head = /^(\[[a-z]{1,10}\] )\d+#\d+: (?:\*\d+ )?(FastCGI sent in stderr: ")?/i;
/** The same of php-fpm, where what its processes say goes through it. */
const poolHead = /^[A-Z]{4,7}: \[pool [^\]]{1,80}\] child \d+ said into std(?:err|out): "/;
const opening = 'PHP message: ';
const parted = '; ';
/** Most entries of PHP's own log, and all of other logs, begin with something else. */
const wrapped = /^(?:\[[a-z]+\] \d|PHP message: |(?:WARNING|NOTICE): (?:\[pool |PHP message: ))/i;
/** Where nginx goes on with what it did meanwhile, and for whom; a cut line may end in the middle of it. */
const tail =
  /"(?: while [\w ]{1,80})?, client: |" while (?:reading|connecting|sending)[\w ]{0,60}(?:upstream|client),|" while [\w ]{0,80}(?:…|$)/;
const ownTails = [' while reading ', ' while connecting ', ' while sending ', ', client: '];
const leftOut = /… \(\d{1,12} more characters\)$/;
/** What stands between two messages, if anything does. */
const between = ['NOTICE:', '\\n', ';'];
const asked =
  /, client: (client-[\da-f]{4,64})?[^,]{0,100}, server: [^,]{0,260}, request: "([A-Z]{3,12} [^\s"]{1,1000})/;
const host = /, host: "([^"]{1,253})/;

/** Reads a masked entry without its time. */
export function unwrapped(body: string): Unwrapped {
  const start = wrapped.test(body) ? body.slice(0, 200) : '';
  const [whole, level, byPhp] = head.exec(start) ?? [poolHead.exec(start)?.[0] ?? ''];
  if (level !== undefined && byPhp === undefined) return ownOf(body, level, whole.length);
  if (start === '' || (whole === '' && !start.includes(opening)))
    return { messages: [body], isCut: false, cause: undefined };
  const end = tail.exec(body)?.index ?? (body.endsWith('"') ? body.length - 1 : undefined);
  const told = body.slice(whole.length, end).replace(leftOut, '');
  const said = end === undefined ? withoutBegun(told) : told;
  const messages = said
    .split(opening)
    .map(bare)
    .filter((message) => message !== '');
  return {
    messages: messages.length > 0 ? messages : [''],
    isCut: end === undefined && whole !== '' && said === told,
    cause: end === undefined ? undefined : causeIn(body.slice(end)),
  };
}

/** Without a further message that was cut off before it said anything. */
function withoutBegun(said: string): string {
  const last = said.lastIndexOf(parted);
  return last !== -1 && opening.startsWith(said.slice(last + parted.length)) ? said.slice(0, last) : said;
}

/** nginx's own entry begins with its level; what PHP says has a level of its own, and to nginx all of it is an error. */
function ownOf(body: string, level: string, start: number): Unwrapped {
  const ends = ownTails.map((words) => body.indexOf(words, start)).filter((at) => at !== -1);
  const end = Math.min(body.length, ...ends);
  return { messages: [level + body.slice(start, end)], isCut: false, cause: causeIn(body.slice(end)) };
}

/** A message without its trace, and without what parts it from the next one. */
function bare(piece: string): string {
  const trace = piece.indexOf('Stack trace:');
  return between.reduce(
    (text, end) => (text.endsWith(end) ? text.slice(0, -end.length).trimEnd() : text),
    (trace > 0 ? piece.slice(0, trace) : piece).trimEnd(),
  );
}

/** The request of which a masked line tells that it was being answered. */
export function causeIn(line: string): Cause | undefined {
  const [, client, request] = asked.exec(line) ?? [];
  return request === undefined ? undefined : { client, request: pathOf(request), host: host.exec(line)?.[1] };
}
