import { Refusal } from '../../base/errors.ts';
import { addDomain, setupTypes, type Certificate } from '../../hosting/contract/domains.ts';
import { code, list, plain, say, time, type Text } from '../../words/text.ts';
import { action } from '../kit/action.ts';
import { choice, environment, flag, option, wordField, withHint } from '../kit/fields.ts';
import { comparableHostname, hostname, shownName } from '../kit/values/hostnames.ts';
import { companyDomains } from '../kit/sources.ts';

/** The name of a certificate on this machine. An impossible name is refused before any file is read. */
export const certificateName = wordField<string>('Certificate', {
  shown: 'name',
  hint: 'Of your own certificate, as the person who runs me named it.',
  read: ([first = '']) => {
    if (/^[\w.-]{1,100}$/.test(first) && !/^\.{1,2}$/.test(first)) return first;
    throw new Refusal(say`“${first.slice(0, 40)}” cannot be the name of a certificate. Nothing was done.`, {
      hint: say`Ask the person who runs me for their names: ${code('NAME')} stands for NAME.pem and NAME.key.`,
    });
  },
});

export const domainsAdd = action({
  summary: 'Add a domain to an environment',
  button: 'Add a domain',
  also: `
    connect domain, point domain, set up domain, register domain, add hostname, domain <host> <environment>, add
    <host>, add <host> <environment>, connect <host>, connect <host> <environment>, point <host> <environment>, set
    up <host>`,
  examples: ['acme-shop/live tickets.acme.example --www'],
  risk: 'sensitive',
  mayBreakSite: true,
  fields: {
    env: environment(),
    domain: withHint('Its name, such as tickets.acme.example.', hostname('Domain')),
    www: withHint('Adds the same name with www. before it.', flag('Add www too')),
    noWildcard: withHint('Leaves names below it out, such as any.acme.example.', flag('Without the wildcard')),
    setup: withHint('How the host takes it over: at once, or without a gap.', option(choice('Setup', setupTypes))),
    certificate: option(certificateName),
  },
  target: 'env',
  invalid: ({ www, noWildcard }) =>
    www && noWildcard
      ? {
          field: 'noWildcard',
          says: say`www comes with the wildcard, and you asked to leave the wildcard out. Nothing was done.`,
          hint: say`Use either ${code('--www')} or ${code('--no-wildcard')}.`,
        }
      : undefined,
  look: async ({ input, certificate, ...sources }) => {
    return {
      listed: await lookFor(input.domain, sources),
      certificate: input.certificate === undefined ? null : certificate(input.certificate),
    };
  },
  impossible: ({ input, snapshot: { listed, certificate } }) => {
    if (listed === 'unknown')
      return {
        field: 'domain',
        says: say`The host lists domains that I can't read, so I can't tell whether ${input.domain} is one of them. ${nothing}`,
        hint: "Please look in the host's panel.",
      };
    if (listed) return { field: 'domain', says: say`${input.domain} is already a domain of the company. ${nothing}` };
    if (certificate === null) return undefined;
    if ('wrong' in certificate) return { field: 'certificate', says: certificate.wrong };
    if (certificateCovers(certificate.names, input.domain)) return undefined;
    return {
      field: 'certificate',
      says: say`The certificate ${code(input.certificate ?? '')} does not cover ${input.domain}. ${nothing}`,
      hint: say`It covers ${spokenNames(certificate)}.`,
    };
  },
  preconditions: ({ snapshot: { listed, certificate } }) => ({
    // An entry that can't be read since the request is no sign that the domain is there now.
    there: isListed(listed),
    certificate: isCertificate(certificate) ? [certificate.key.sha256, certificate.chain.sha256] : certificate,
  }),
  call: ({ input, snapshot: { certificate } }) => {
    if (certificate !== null && 'wrong' in certificate) throw new TypeError(plain(certificate.wrong));
    return addDomain({
      env_id: input.env.id,
      domain_name: input.domain,
      is_wildcardless: input.noWildcard,
      add_with_www_subdomain: input.www,
      setup_type: input.setup ?? 'quick',
      ...(certificate && { custom_ssl_key: certificate.key, custom_ssl_cert: certificate.chain }),
    });
  },
  card: ({ input, snapshot: { certificate } }) => ({
    title: say`Add ${input.domain} to ${input.env.name}`,
    done: say`Added ${input.domain} to ${input.env.name}`,
    warning: isCertificate(certificate) ? uncovered(certificate, input) : undefined,
    facts: {
      Domain: shownName(input.domain),
      Wildcard: input.noWildcard ? 'no' : say`yes, ${code(`*.${input.domain}`)}`,
      www: input.www ? say`yes, ${code(`www.${input.domain}`)}` : 'no',
      Setup: setups[input.setup ?? 'quick'],
      Certificate: isCertificate(certificate)
        ? say`${code(input.certificate ?? '')}, for ${spokenNames(certificate)}, until ${time(certificate.validUntil, 'date')}`
        : 'by the host',
    },
  }),
  proof: ({ input, current: { listed } }) => {
    if (!isListed(listed))
      return {
        verdict: 'not yet',
        isUnclear: listed === 'unknown',
        says: say`${input.domain} is not among the domains yet`,
      };
    const site = input.env.site?.id;
    const isElsewhere = listed.site !== null && site !== undefined && listed.site !== site;
    return isElsewhere
      ? { verdict: 'no', says: say`${input.domain} is a domain of another site` }
      : { verdict: 'yes', says: say`${input.domain} is among the domains now; it works once its records are set` };
  },
  after: 'The domain works once its records are set.',
  next: ({ input }) => [{ label: 'Records to set', args: ['domains', 'records', input.domain] }],
});

const nothing = 'Nothing was done.';
const setups = {
  quick: 'quick',
  avoid_downtime: 'avoiding downtime, for a domain that carries visitors already',
} as const satisfies Record<(typeof setupTypes)[number], string>;

/** `unknown`: an entry that can't be read may be the domain. */
type DomainLook = { readonly site: string | null } | 'unknown' | null;
async function lookFor(domain: string, sources: Parameters<typeof companyDomains>[0]): Promise<DomainLook> {
  const { entries, unread } = await companyDomains(sources);
  const listed = entries.find(({ name = '' }) => comparableHostname(name) === domain);
  if (listed) return { site: listed.site_id ?? null };
  return unread > 0 || entries.some(({ name }) => name === undefined) ? 'unknown' : null;
}

const isListed = (listed: DomainLook): listed is Exclude<DomainLook, 'unknown' | null> =>
  listed !== null && listed !== 'unknown';

type CertificateLook = Certificate | { readonly wrong: Text } | null;
const isCertificate = (certificate: CertificateLook): certificate is Certificate =>
  certificate !== null && !('wrong' in certificate);

const maxNames = 10;
const spokenNames = ({ names }: Certificate): Text =>
  names.length === 0 ? say`no domain` : [list(names, maxNames, 'code')];

/** Whether a certificate with these names covers the domain; a wildcard matches one label. */
export function certificateCovers(names: readonly string[], domain: string): boolean {
  const above = domain.replace(/^[^.]+/, '*');
  return names.some((name) => name === domain || name === above);
}

/** Other served names that the certificate doesn't cover. */
function uncovered(
  { names }: Certificate,
  { domain, www, noWildcard }: { readonly domain: string; readonly www: boolean; readonly noWildcard: boolean },
): Text | undefined {
  const served = [...(www ? [`www.${domain}`] : []), ...(noWildcard ? [] : [`*.${domain}`])];
  const missing = served.filter((name) => !certificateCovers(names, name));
  return missing.length === 0
    ? undefined
    : say`**The certificate does not cover ${missing.join(' and ')}.** Browsers will refuse to open pages there with it.`;
}
