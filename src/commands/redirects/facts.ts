import { code, say, type Inline } from '../../text.ts';
import { brief, spokenAll, statusOf, type RedirectRule } from './rules.ts';

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

/** Refuses a redirect loop. */
export const leadsBack = (from: string, way: readonly RedirectRule[]) =>
  ({
    says:
      way.length === 0
        ? say`This would lead ${code(brief(from))} to itself. Nothing was changed.`
        : say`Visitors would go around in circles: from there they are sent back to ${code(brief(from))} by ${spokenAll(way)}. Nothing was changed.`,
    hint: 'Redirect it to a page that is not redirected itself.',
  }) as const;
