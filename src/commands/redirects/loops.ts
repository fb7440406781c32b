import { code, say, type Text } from '../../words/text.ts';
import { brief, ruleScope, spokenAll, type RuleScope, type RedirectRule } from './rules.ts';

/** A step of a visitor: where a rule sends them, for which requests, and which rule. */
type Visit = {
  readonly to: RedirectRule['to'];
  readonly place: RuleScope;
  readonly by?: RedirectRule;
  readonly after?: Visit;
};
type Stop = { readonly path: string; readonly place: RuleScope };

/**
 * The rules of a loop that starts with `rule`: empty if the rule redirects to itself, undefined if no loop is known. An
 * address counts as this site only if a rule names its host as a domain.
 */
export function loopFrom(
  rule: Pick<RedirectRule, 'from' | 'to'> & Partial<RedirectRule>,
  others: readonly RedirectRule[],
): readonly RedirectRule[] | undefined {
  const start = pathOf(rule.from);
  const own = ruleScope(rule);
  const hosts = new Set([rule, ...others].map((one) => ruleScope(one).domain));
  const byPath = Map.groupBy(others, ({ from }) => pathOf(from));
  const seen = new Set<RedirectRule>();
  const visits: Visit[] = [{ to: rule.to, place: own }];
  for (const visit of visits) {
    const stop = stopOf(visit, hosts);
    if (stop === undefined) continue;
    const held = heldBy(stop.path);
    if (start !== undefined && held.includes(start) && overlap(stop.place, own)) return wayOf(visit);
    for (const next of held.flatMap((path) => byPath.get(path) ?? [])) {
      const place = overlap(stop.place, ruleScope(next));
      if (place === undefined || seen.has(next)) continue;
      seen.add(next);
      visits.push({ to: next.to, place, by: next, after: visit });
    }
  }
  return undefined;
}

/** The paths of rules that hold for a requested path: a rule for a path also holds for that path with a query. */
const heldBy = (requested: string): readonly string[] => [...new Set([requested, requested.replace(/\?.*$/s, '')])];

/** Whether both are the same path, except for a slash at its end and a query: some hosts take that for the same. */
export function mayBeSame(from: string, to: string | null | undefined): boolean {
  const [here, there] = [from, to].map((text) => pathOf(text)?.replace(/\/*(?:\?.*)?$/s, ''));
  return here !== undefined && here === there;
}

/** Warns of a redirect that may lead to itself; undefined if it does not. */
export const slashWarning = (from: string, to: string): Text | undefined =>
  mayBeSame(from, to)
    ? say`**If the host takes ${code(brief(from))} with and without a slash at its end for the same, this leads to itself, and visitors see an error.** Try it after it is done.`
    : undefined;

/** Refuses a redirect loop. */
export const loopRefusal = (from: string, way: readonly RedirectRule[]) =>
  ({
    says:
      way.length === 0
        ? say`This would lead ${code(brief(from))} to itself. Nothing was changed.`
        : say`Visitors would go around in circles: from there they are sent back to ${code(brief(from))} by ${spokenAll(way)}. Nothing was changed.`,
    hint: 'Redirect it to a page that is not redirected itself.',
  }) as const;

function stopOf({ to, place }: Visit, hosts: ReadonlySet<string>): Stop | undefined {
  const path = pathOf(to);
  if (path !== undefined) return { path, place };
  const address = URL.parse(to ?? '');
  if (address === null || !hosts.has(address.host) || address.host === '') return undefined;
  return { path: address.pathname + address.search, place: { ...place, domain: address.host } };
}

/** A path as a browser requests it; undefined if it is not a path. */
function pathOf(text: RedirectRule['from'] | undefined): string | undefined {
  if (!text?.startsWith('/') || text.startsWith('//')) return undefined;
  const address = URL.parse(`http://host${text}`);
  return address === null ? undefined : address.pathname + address.search;
}

/** The requests that both places cover. */
function overlap(one: RuleScope, other: RuleScope): RuleScope | undefined {
  const common = (here: string, there: string): string | undefined =>
    here === '' || there === '' || here === there ? here || there : undefined;
  const domain = common(one.domain, other.domain);
  const country = common(one.country, other.country);
  const city = common(one.city, other.city);
  return domain === undefined || country === undefined || city === undefined ? undefined : { domain, country, city };
}

function wayOf(last: Visit): readonly RedirectRule[] {
  const way: RedirectRule[] = [];
  for (let visit: Visit | undefined = last; visit?.by; visit = visit.after) way.unshift(visit.by);
  return way;
}
