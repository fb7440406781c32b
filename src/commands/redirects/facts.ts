import { code, say, type Inline } from '../../text.ts';
import { brief, spokenAll, statusOf, type Rule } from './rules.ts';

/** What a type means to a visitor. */
export const ofType = (rule: Pick<Rule, 'type'>): string =>
  rule.type === 'permanent'
    ? '301, for good: browsers remember it'
    : `${statusOf(rule)}${rule.type === 'redirect' ? ', for now' : ''}`;

/** The host that an address names, as computers read it: a name that only looks like another shows here. */
export function toHost(to: string): Readonly<Record<string, Inline>> {
  const host = to.startsWith('/') ? undefined : URL.parse(to)?.host;
  return host ? { 'Leads to the host': code(host) } : {};
}

/** Why a visitor would go round in circles. */
export const leadsBack = (from: string, way: readonly Rule[]) =>
  ({
    says:
      way.length === 0
        ? say`This would lead ${code(brief(from))} to itself. Nothing was changed.`
        : say`Visitors would go round in circles: from there they are led back to ${code(brief(from))} by ${spokenAll(way, 5)}. Nothing was changed.`,
    hint: 'Lead it to a page that is not redirected.',
  }) as const;
