import type { z } from 'zod';
import type { HostReader } from '../../hosting/contract/call.ts';
import { listRedirects, redirectTypes } from '../../hosting/contract/domains.ts';
import type { Environment } from '../../hosting/contract/target.ts';
import { clipped, code, say, type Inline } from '../../words/text.ts';
import { comparableHostname } from '../kit/values/hostnames.ts';

/** A rule as the host lists it. It has no id, so requests name it by its whole value. */
export type RedirectRule = z.output<ReturnType<typeof listRedirects>['reply']>['rules'][number];

/** Filters and order of a listing. */
type RuleFilter = Omit<Parameters<typeof listRedirects>[0], 'env_id' | 'limit' | 'offset'>;
/** The rules of an environment, without duplicates; `whole` is false if there are, or may be, more that can't be read. */
export type RuleListing = { readonly rules: readonly RedirectRule[]; readonly whole: boolean };

const pageSize = 500;
const maxPages = 50;
/** The most characters in each value of a rule that a request names. */
const maxCellLength = 4_096;

/** Reads every page; a host that ignores paging returns everything at once. */
export async function allRules(read: HostReader, { id }: Environment, wanted: RuleFilter = {}): Promise<RuleListing> {
  const rules = new Map<string, RedirectRule>();
  let came = 0;
  for (let page = 0; page < maxPages; page += 1) {
    const answer = await read(listRedirects({ env_id: id, limit: pageSize, offset: came, ...wanted }));
    const known = rules.size;
    for (const rule of answer.rules) rules.set(comparableRule(rule), rule);
    const { redirect_rules_count: count } = answer;
    const isNew = rules.size > known;
    if (isNew) came += answer.rules.length;
    if (count !== undefined && came >= count) return listingOf(rules, true);
    if (isNew) continue;
    // The same full page came again: the host ignores the page number, so the list is incomplete.
    return listingOf(rules, count === undefined && answer.rules.length !== pageSize);
  }
  return listingOf(rules, false);
}

/** A rule of which something can't be read may be any rule that somebody looks for. */
function listingOf(found: ReadonlyMap<string, RedirectRule>, isAll: boolean): RuleListing {
  const rules = [...found.values()];
  return { rules, whole: isAll && rules.every((rule) => typeof rule.from === 'string' && !rule.hasUnread) };
}

/** Whether it can be read what a rule does. */
export const isKnownRule = ({ from, to, type }: Core): boolean =>
  [from, to, type].every((cell) => typeof cell === 'string');

/** Refuses changes if not every rule can be read. */
export const incompleteListing = ({ name }: Environment) =>
  ({
    says: say`I can't read all redirects of ${name}, or not every part of them, so the wrong ones could be touched. Nothing was changed.`,
    hint: "Try again. If that doesn't help, change them in the host's panel.",
  }) as const;

const cellsOf = (rule: RedirectRule) => [
  rule.from,
  rule.to,
  rule.type,
  rule.domain,
  rule.traffic_from_country,
  rule.traffic_from_country_name,
  rule.traffic_from_city,
  rule.displayed_location,
];

/** The whole value of a rule as one string, for comparing. */
export const comparableRule = (rule: RedirectRule): string =>
  JSON.stringify([...cellsOf(rule), ...(rule.hasUnread ? ['unread'] : [])]);

/** A precondition: these rules, in any order. */
export const sortedRules = (rules: readonly RedirectRule[]): readonly string[] => rules.map(comparableRule).sort();

/** A rule as a request names it: as it was read, but always with a domain. */
export const inRequest = <R extends Pick<RedirectRule, 'domain'>>(rule: R): R & { readonly domain: string | null } => ({
  ...rule,
  domain: rule.domain ?? null,
});

/** Whether a request can name this rule; the host may list values that are too long or have control characters. */
export const canBeNamed = (rule: RedirectRule): boolean =>
  cellsOf(rule).every((cell) => (cell ?? '').length <= maxCellLength && !/\p{Cc}/u.test(cell ?? ''));

/** The requests that a rule covers: its domain, and where the visitors are. Empty: all of them. */
export type RuleScope = { readonly domain: string; readonly country: string; readonly city: string };

/** The scope of a rule in a comparable spelling. */
export const ruleScope = (rule: Partial<RedirectRule>): RuleScope => ({
  domain: comparableHostname((rule.domain ?? '').trim().replace(/^https?:\/\/|\/$/gi, '')),
  country: folded(rule.traffic_from_country),
  city: folded(rule.traffic_from_city),
});

const folded = (text: string | null | undefined): string => (text ?? '').trim().toLowerCase();

/** Whether two rules cover the same requests, ignoring their path. */
export function samePlace(one: Partial<RedirectRule>, other: Partial<RedirectRule>): boolean {
  const [here, there] = [ruleScope(one), ruleScope(other)];
  return here.domain === there.domain && here.country === there.country && here.city === there.city;
}

type Core = Pick<RedirectRule, 'from' | 'to' | 'type'> & Partial<RedirectRule>;
/** Whether two rules do the same, however the host spells the visitors' place. */
export const isSame = (one: Core, other: Core): boolean =>
  one.from === other.from && one.to === other.to && one.type === other.type && samePlace(one, other);

/** The type of a rule, if it is one that can be requested. */
export const typeOf = ({ type }: Pick<RedirectRule, 'type'>): (typeof redirectTypes)[number] | undefined =>
  redirectTypes.find((one) => one === type);

/** The HTTP status of a type. */
const statusOf = ({ type }: Pick<RedirectRule, 'type'>): string =>
  type === 'permanent' ? '301' : type === 'redirect' ? '302' : type || 'unknown type';

/** A type and its meaning, for people. */
export const ofType = (rule: Pick<RedirectRule, 'type'>): string =>
  rule.type === 'permanent'
    ? '301, for good: browsers remember it'
    : `${statusOf(rule)}${rule.type === 'redirect' ? ', for now' : ''}`;

/** The ASCII host of an address, so that lookalike names show. */
export function toHost(to: string): Readonly<Record<string, Inline>> {
  const host = to.startsWith('/') ? undefined : URL.parse(to)?.host;
  return host ? { 'Leads to the host': code(host) } : {};
}

/** Where visitors must be for a rule to apply: `Berlin, DE`; empty: anywhere. */
export const visitorsOf = (rule: Partial<RedirectRule>): string =>
  [rule.traffic_from_city, rule.traffic_from_country || rule.traffic_from_country_name].filter(Boolean).join(', ');

/** A rule as people read it: `/old → /new (301), acme.com, visitors from Berlin, DE`. */
export const ruleInShort = (rule: Core): string => worded(rule, brief);

/** As `ruleInShort`, with the path and the target in full. */
export const inFull = (rule: Core): string => worded(rule, (text) => text || brief(text));

function worded(rule: Core, shown: (text: string | null | undefined) => string): string {
  const visitors = visitorsOf(rule);
  const unread = rule.hasUnread && "with a part that I can't read";
  const where = [rule.domain, visitors && `visitors from ${visitors}`, unread]
    .filter(Boolean)
    .map((part) => `, ${part}`);
  return `${shown(rule.from)} → ${shown(rule.to)} (${statusOf(rule)})${where.join('')}`;
}

const maxSpoken = 5;

/** The first few rules in words, and how many more. */
export function spokenAll(rules: readonly RedirectRule[]): string {
  const shown = rules.slice(0, maxSpoken).map(ruleInShort).join('; ');
  return rules.length > maxSpoken ? `${shown}; and ${rules.length - maxSpoken} more` : shown;
}

/** The rules with this text in their path, target or domain, ignoring case; all rules if `search` is undefined. */
export function withWords(rules: readonly RedirectRule[], search: string | undefined): readonly RedirectRule[] {
  const wanted = (search ?? '').toLowerCase();
  return rules.filter(({ from, to, domain }) =>
    [from, to, domain].some((cell) => (cell ?? '').toLowerCase().includes(wanted)),
  );
}

/** A path, shortened to fit in a title; `nothing` if it is empty. */
export const brief = (text: string | null | undefined): string =>
  text ? clipped(text, 80) : text === '' ? 'nothing' : 'unknown';
