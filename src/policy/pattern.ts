import { domainToASCII } from 'node:url';
import type { Target } from '../hosting/contract/target.ts';
import { unseen } from '../words/text.ts';

/** A folded name with wildcards, as the pieces between the `*`. */
export type Glob = readonly string[];

/** One entry of `where`: `site/environment`, `domain:example.com` or `company`. */
export type Pattern =
  | { readonly kind: 'environment'; readonly site: Glob; readonly environment: Glob }
  | { readonly kind: 'domain'; readonly name: Glob }
  | { readonly kind: 'company' };

const maxLength = 253;

/** The form in which names are compared: NFKC, in lower case. Look-alike letters stay different. */
export const comparableName = (name: string): string =>
  // `normalize` does not change plain ASCII, and the test is faster.
  (/[^\u0000-\u007F]/.test(name) ? name.normalize('NFKC') : name).toLowerCase();

const everyUnseen = new RegExp(unseen, 'gv');

/** A comparable name as people see it: without invisible characters, and without dots at its end. */
const asSeen = (name: string): string =>
  // Most names are seen as they are, and the test is faster.
  /[^ -~]|\.$/.test(name) ? comparableName(name.replaceAll(everyUnseen, '')).replace(/\.+$/, '') : name;

/** Reads a name in which `*` stands for any run of characters. A returned string says what is wrong. */
export function readGlob(text: string): Glob | string {
  if (text === '' || text.trim() !== text) return 'a name is missing, or has spaces around it';
  if (text.length > maxLength) return `a name has at most ${maxLength} characters`;
  if (unseen.test(text) || /[\p{Cc}\p{Cf}\p{Cs}]/u.test(text)) return 'a name has invisible characters in it';
  if (/[?[\]{}!]|\*\*/.test(text)) return 'the only wildcard is a single *';
  return comparableName(text).split('*');
}

/** Reads an entry of `where` or `live`. A returned string says what is wrong. */
export function readPattern(text: string): Pattern | string {
  if (text === 'company') return { kind: 'company' };
  if (text.startsWith('domain:')) return readDomain(text.slice('domain:'.length));
  const [left, right, ...more] = text.split('/');
  if (left === undefined || right === undefined || more.length > 0) {
    return 'expected site/environment, domain:example.com or company';
  }
  const site = readGlob(left);
  const environment = readGlob(right);
  if (typeof site === 'string') return site;
  return typeof environment === 'string' ? environment : { kind: 'environment', site, environment };
}

function readDomain(text: string): Pattern | string {
  if (text === '*') return { kind: 'domain', name: ['', ''] };
  const below = text.startsWith('*.');
  const name = host(below ? text.slice(2) : text);
  if (name.length > maxLength || !/^[a-z0-9_-]+(\.[a-z0-9_-]+)+$/.test(name)) {
    return 'expected domain:example.com, domain:*.example.com or domain:*';
  }
  return { kind: 'domain', name: below ? ['', `.${name}`] : [name] };
}

/** Whether the glob matches the whole name. Never backtracks, so a long glob cannot make it slow. */
export const matches = (glob: Glob, name: string): boolean => matchesFolded(glob, comparableName(name));

/** As `matches`, and also if the glob matches what people see of the name. For what forbids or protects. */
export const matchesSeen = (glob: Glob, name: string): boolean => reads(glob, foldName(name), 'deny');

/** A name in comparable form, and as people see it. */
type FoldedName = { readonly name: string; readonly seen: string };

function foldName(text: string): FoldedName {
  const name = comparableName(text);
  return { name, seen: asSeen(name) };
}

/** A name that only looks like the one of a rule is forbidden with it, and not allowed with it. */
const reads = (glob: Glob, { name, seen }: FoldedName, effect: 'allow' | 'deny'): boolean =>
  matchesFolded(glob, name) || (effect === 'deny' && seen !== name && matchesFolded(glob, seen));

function matchesFolded(glob: Glob, folded: string): boolean {
  const last = glob.length - 1;
  const [head = ''] = glob;
  if (last <= 0) return folded === head;
  if (!folded.startsWith(head)) return false;
  let from = head.length;
  // By index: a decision runs this hundreds of times, and copying the glob would cost more than comparing.
  for (let at = 1; at < last; at += 1) {
    const piece = glob[at] ?? '';
    const found = folded.indexOf(piece, from);
    if (found < 0) return false;
    from = found + piece.length;
  }
  const tail = glob[last] ?? '';
  return folded.length - tail.length >= from && folded.endsWith(tail);
}

/** The names of a target in comparable form, made once and compared with many patterns. Undefined: unknown. */
export type FoldedNames =
  | {
      readonly kind: 'environment';
      readonly site: FoldedName | undefined;
      readonly environment: FoldedName | undefined;
    }
  | { readonly kind: 'domain'; readonly name: FoldedName; readonly site: FoldedName | undefined }
  | { readonly kind: 'company' };

/** Folds the names of a target for `coversFolded`. */
export function foldNames(target: Target): FoldedNames {
  if (target.kind === 'company') return { kind: 'company' };
  const site = target.site && foldName(target.site.name);
  if (target.kind === 'domain') return { kind: 'domain', name: foldName(host(target.name)), site };
  const own = target.site && environmentIn(target.site.name, target.name);
  return { kind: 'environment', site, environment: own === undefined ? undefined : foldName(own) };
}

/**
 * Whether a rule with this pattern covers the target. An unknown part of a target (the site of an environment or a
 * domain, the environment of a domain) never matches an `allow` and always matches a `deny`.
 */
export function coversFolded(pattern: Pattern, target: FoldedNames, effect: 'allow' | 'deny'): boolean {
  if (target.kind === 'company') return pattern.kind === 'company';
  if (target.kind === 'domain') return coversDomain(pattern, target, effect);
  const { site, environment } = target;
  if (pattern.kind !== 'environment') return false;
  if (site === undefined || environment === undefined) return effect === 'deny';
  return reads(pattern.environment, environment, effect) && reads(pattern.site, site, effect);
}

/** As `coversFolded`, for one target. */
export const covers = (pattern: Pattern, target: Target, effect: 'allow' | 'deny'): boolean =>
  coversFolded(pattern, foldNames(target), effect);

/** A pattern as one writes it, in comparable form. */
export function showPattern(pattern: Pattern): string {
  if (pattern.kind === 'company') return 'company';
  if (pattern.kind === 'domain') return `domain:${pattern.name.join('*')}`;
  return `${pattern.site.join('*')}/${pattern.environment.join('*')}`;
}

/** Whether the pattern can cover some target of that kind (for an `allow`), or covers all of them (for a `deny`). */
export function coversOfKind(pattern: Pattern, kind: Target['kind'], amount: 'some' | 'all'): boolean {
  if (pattern.kind === 'company' || kind === 'company') return pattern.kind === kind;
  if (pattern.kind === 'domain') return kind === 'domain' && (amount === 'some' || isAny(pattern.name));
  if (amount === 'some') return kind === 'environment' || isAny(pattern.environment);
  return isAny(pattern.site) && (kind === 'domain' || isAny(pattern.environment));
}

/** Whether the glob is only stars. */
const isAny = (glob: Glob): boolean => glob.length > 1 && glob.every((piece) => piece === '');

type FoldedDomain = Extract<FoldedNames, { kind: 'domain' }>;

function environmentIn(site: string, name: string): string | undefined {
  return name.startsWith(`${site}/`) ? name.slice(site.length + 1) : undefined;
}

function coversDomain(pattern: Pattern, { name, site }: FoldedDomain, effect: 'allow' | 'deny'): boolean {
  if (pattern.kind === 'company') return false;
  if (pattern.kind === 'domain') return reads(pattern.name, name, effect);
  if (site === undefined) return effect === 'deny';
  return (isAny(pattern.environment) || effect === 'deny') && reads(pattern.site, site, effect);
}

/** A domain name as in DNS: folded, in ASCII, without a final dot. */
function host(name: string): string {
  const folded = comparableName(name).replace(/\.$/, '');
  // Only for non-ASCII names: `domainToASCII` also turns `%61` into `a` and `0x7f.1` into an address.
  const foreign = /^[\p{L}\p{M}\p{N}.-]+$/u.test(folded) && /[^ -~]/.test(folded);
  return (foreign && domainToASCII(folded)) || folded;
}
