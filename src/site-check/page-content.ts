import { beginning, unseen } from '../words/text.ts';
import type { Body } from './request.ts';

/** What the text of a page says. Linear in the length of the text, because the site chooses it. */

const maxTitle = 120;
/** A page with one of the phrases below is an error page only if it is short: articles quote such phrases too. */
const maxErrorPage = 16_384;
/** How far into a page its title may begin. */
const headLength = 65_536;

/** Phrases of error pages with status 200, and how we word them. */
const phrases: readonly (readonly [RegExp, string])[] = [
  [/error establishing a database connection/i, 'WordPress cannot reach its database'],
  [/there has been a critical error on (?:this|your) website/i, 'WordPress reports a critical error'],
  [/briefly unavailable for scheduled maintenance/i, 'WordPress is in maintenance mode'],
];
const titles: readonly (readonly [RegExp, string])[] = [
  [/^(?:error )?5\d\d\b/i, 'the page is a server error'],
  [/^database error$/i, 'WordPress cannot reach its database'],
  [/^welcome to nginx|^apache2? .{0,40}default page|^index of \//i, "the page is the web server's own"],
  [/^account suspended|^no site for domain|^site not found/i, 'the host has no site here'],
];
/** A fatal error of PHP ends the page, so nothing closes the document after it. */
const fatal = /(?:fatal error|parse error)(?:<\/b>)?:\s[^<]{1,2000}/gi;

/** Why an answer with status 200 is not a real page: it is empty, or shows an error. Undefined: it looks real. */
export function troubleIn({ text, isWhole }: Body): string | undefined {
  if (isWhole && text.trim() === '') return 'the page is empty';
  if (!isWhole) return undefined;
  const title = titleIn({ text, isWhole }) ?? '';
  const named = titles.find(([pattern]) => pattern.test(title));
  if (named) return named[1];
  const said = text.length > maxErrorPage ? undefined : phrases.find(([pattern]) => pattern.test(text));
  return said?.[1] ?? (endsInFatalError(text) ? 'the page ends in a fatal error of PHP' : undefined);
}

function endsInFatalError(text: string): boolean {
  const ending = text.slice(-4_096);
  return [...ending.matchAll(fatal)].some(
    ({ index }) => /\bon line\b/i.test(ending.slice(index)) && !/<\/html/i.test(ending.slice(index)),
  );
}

/** The title of a page on one line, at most 120 characters; undefined if it has none. */
export function titleIn({ text }: Body): string | undefined {
  const head = text.slice(0, headLength);
  const open = head.search(/<title[\s>]/i);
  const from = open === -1 ? -1 : head.indexOf('>', open) + 1;
  if (from <= 0) return undefined;
  const rest = head.slice(from, from + 2_000);
  const end = rest.search(/<\/title/i);
  const title = spaced(decoded(end === -1 ? rest : rest.slice(0, end)).replaceAll(new RegExp(unseen, 'gv'), ''))
    .trim()
    .toWellFormed();
  return title === '' ? undefined : title.length > maxTitle ? `${beginning(title, maxTitle)}…` : title;
}

/** Finds texts on a page, either as written in its HTML or as people read them. */
export function finderIn({ text }: Body): (wanted: string) => boolean {
  let asRead: string | undefined;
  return (wanted) => text.includes(wanted) || (asRead ??= spaced(decoded(text))).includes(spaced(wanted));
}

const spaced = (text: string): string => text.replaceAll(/\s+/g, ' ');

/** The names of U+00A0 to U+00FF, in order. */
const latin =
  'nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr deg plusmn sup2 sup3 acute micro para ' +
  'middot cedil sup1 ordm raquo frac14 frac12 frac34 iquest Agrave Aacute Acirc Atilde Auml Aring AElig Ccedil Egrave ' +
  'Eacute Ecirc Euml Igrave Iacute Icirc Iuml ETH Ntilde Ograve Oacute Ocirc Otilde Ouml times Oslash Ugrave Uacute Ucirc ' +
  'Uuml Yacute THORN szlig agrave aacute acirc atilde auml aring aelig ccedil egrave eacute ecirc euml igrave iacute icirc ' +
  'iuml eth ntilde ograve oacute ocirc otilde ouml divide oslash ugrave uacute ucirc uuml yacute thorn yuml';
const named: ReadonlyMap<string, string> = new Map([
  ...latin.split(' ').map((name, at): [string, string] => [name, String.fromCodePoint(0xa0 + at)]),
  ...Object.entries({ amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", ndash: '–', mdash: '—', hellip: '…' }),
  ...Object.entries({ lsquo: '‘', rsquo: '’', sbquo: '‚', ldquo: '“', rdquo: '”', bdquo: '„', euro: '€', trade: '™' }),
]);

/** The text with the usual character references decoded. */
const decoded = (text: string): string =>
  text.replaceAll(
    /&(?:#(\d{1,7})|#x([\da-f]{1,6})|([a-z]{2,6}\d{0,2}));/gi,
    (whole, decimal?: string, hex?: string, name?: string) => {
      if (name !== undefined) return named.get(name) ?? named.get(name.toLowerCase()) ?? whole;
      const point = decimal === undefined ? Number.parseInt(hex ?? '', 16) : Number(decimal);
      return point > 0 && point <= 0x10ffff ? String.fromCodePoint(point) : whole;
    },
  );
