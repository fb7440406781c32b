import { counted } from '../commands/kit/page.ts';
import { watching } from '../hosting/contract/call.ts';
import type { Environment } from '../hosting/contract/target.ts';
import { fewCertificateDays, type Look } from '../site-check/reading.ts';
import { code, inline, list, say, withoutQuotes, type Text } from '../words/text.ts';
import { siteCheckFor } from '../change/check-plan.ts';
import type { SendContext } from '../send/context.ts';

/**
 * The part of a digest about certificates of live environments. Only the site itself shows its certificate, so each
 * domain is read once.
 */

/** One part of a digest: what was found, and what could not be read and why. */
export type DigestPart = { readonly found: readonly Text[]; readonly unread: readonly Text[] };
type Unread = { readonly name: string; readonly why: Text };

/** The most domains in one digest, how many are read at a time, and for how long. */
const maxDomains = 20;
const atOnce = 4;
const readingMs = 8_000;
const maxNamed = 5;

/** One sentence for each reason, with what could not be read. */
export const notRead = (what: string, unread: readonly Unread[]): readonly Text[] =>
  [...Map.groupBy(unread, ({ why }) => withoutQuotes(why)).values()].map(
    (those) =>
      say`${what} of ${list(
        those.map(({ name }) => name),
        maxNamed,
      )}: ${those[0]?.why}`,
  );

/** Reads one page of each domain that a check may reach, until `ending`. Never rejects. */
export async function certificatesOf(
  context: SendContext,
  envs: readonly Environment[],
  ending: AbortSignal,
): Promise<DigestPart> {
  const { planFor, read, instead } = siteCheckFor(context, watching);
  const [domains, found, unread]: [Domain[], Text[], Unread[]] = [[], [], []];
  let left = 0;
  for (const env of envs.filter(({ live }) => live)) {
    const plan = planFor(env);
    if (plan.kind !== 'pages') unread.push({ name: env.name, why: plan.why });
    else {
      left += plan.otherDomains;
      for (const [name, [page = '']] of Map.groupBy(plan.addresses, (address) => new URL(address).host))
        domains.push({ env: env.name, name, page });
    }
  }
  const some = domains.slice(0, maxDomains);
  left += domains.length - some.length;
  for (let from = 0; from < some.length; from += atOnce) {
    const those = some.slice(from, from + atOnce);
    const pages = { addresses: those.map(({ page }) => page), must: [] };
    const { looks } = instead ? { looks: [] } : await read(pages, { deadlineMs: readingMs, signal: ending });
    for (const domain of those) {
      const own = looks.filter(({ address }) => address === domain.page);
      const seen = instead ? { why: say`I ask ${code(instead)} in place of the site` } : certificateIn(own);
      if ('why' in seen) unread.push({ name: domain.name, why: seen.why });
      else if (seen.needsLook) found.push(say`${domain.env}: ${code(domain.name)} ${seen.needsLook}`);
    }
  }
  const rest = left > 0 ? [say`Certificates of ${counted(left, 'more domain')} than one digest reads.`] : [];
  return { found, unread: [...notRead('Certificates', unread), ...rest] };
}

/** A domain of an environment, and the page that is read. */
type Domain = { readonly env: string; readonly name: string; readonly page: string };

/** Text to follow the name of a domain whose certificate needs a look; or why that is unknown. */
function certificateIn(looks: readonly Look[]): { readonly needsLook: string | undefined } | { readonly why: Text } {
  const days = looks.flatMap((look) => (look.kind === 'answered' ? (look.certificateDays ?? []) : []));
  if (days.length > 0) {
    const least = Math.min(...days);
    return {
      needsLook: least < fewCertificateDays ? `has a certificate for ${counted(least, 'more day')}` : undefined,
    };
  }
  const failed = looks.find((look) => look.kind === 'no answer');
  if (failed?.isOfSite && failed.why.startsWith('has a certificate')) return { needsLook: failed.why };
  if (failed) return { why: say`it ${failed.why}` };
  const refused = looks.find((look) => look.kind === 'not checked');
  return { why: refused ? say`not asked, because ${refused.why}` : inline('it answered without encryption') };
}
