import { loadPolicy } from '../../src/policy/load.ts';
import { mistakeLine } from '../../src/policy/yaml-document.ts';
import type { Catalogue, PolicyCommand, Member, Policy } from '../../src/policy/rules.ts';
import type { Company, Domain, Environment } from '../../src/hosting/contract/target.ts';
import type { AccessRequest } from '../../src/policy/matching.ts';

const PATHS = {
  read: ['logs', 'environments', 'domains list', 'allowlist show', 'themes list', 'files'],
  routine: ['cache clear', 'images'],
  sensitive: ['clone', 'dns set', 'domains add', 'allowlist add', 'allowlist remove', 'allowlist set', 'themes update'],
  destructive: ['push', 'delete', 'redirects clear'],
  named: ['audit', 'use', 'watch', 'digest', 'lock', 'unlock', 'unlock --force', 'pause', 'resume', 'logs reveal'],
} as const;

const risks = ['read', 'routine', 'sensitive', 'destructive', 'named'] as const;
export const catalogue: Catalogue = risks.flatMap((risk) => PATHS[risk].map((path) => ({ path, risk })));

export function command(path: string): PolicyCommand {
  const found = catalogue.find((one) => one.path === path);
  if (!found) throw new Error(`no such command: ${path}`);
  return found;
}

/** The mistakes in a policy text, as sentences. */
export function mistakesOf(text: string): readonly string[] {
  const loaded = loadPolicy(text, catalogue);
  return loaded.kind === 'mistakes' ? loaded.mistakes.map(mistakeLine) : [];
}

export function policyOf(text: string): Policy {
  const loaded = loadPolicy(text, catalogue);
  if (loaded.kind === 'mistakes') throw new Error(loaded.mistakes.map(mistakeLine).join('\n'));
  return loaded.policy;
}

/** Ana and Ben are developers; Chi, Dee and Fay are leads; Rob only reads; Guy is in the Slack user group for guides. */
export const GROUPS = `version: 1
groups:
  developers: [U01ANA, U02BEN]
  leads: [U03CHI, U04DEE, U05FAY]
  readers: [U06ROB]
  guides: [S0GUIDES]
`;
export const withRules = (...rules: readonly string[]): string =>
  `${GROUPS}rules:${rules.length === 0 ? ' []' : ''}\n${rules.map((rule) => `  - ${rule}\n`).join('')}`;
export const rulesOf = (...rules: readonly string[]): Policy => policyOf(withRules(...rules));

/** A person in exactly these Slack user groups. */
export const person = (id: string, ...groups: readonly string[]): Member => ({
  id,
  groups,
  otherGroups: groups.includes('S0GUIDES') ? [] : ['S0GUIDES'],
});
export const ana = person('U01ANA');
export const ben = person('U02BEN');
export const chi = person('U03CHI');
export const dee = person('U04DEE');
export const rob = person('U06ROB');
export const guy = person('U09GUY', 'S0GUIDES');

/** An environment such as `acme-shop/live`. Without a slash in the name, its site is unknown. */
export function environment(name: string): Environment {
  const [site, own] = name.split('/');
  const known = site !== undefined && own !== undefined;
  return {
    kind: 'environment',
    id: name,
    name,
    live: own === 'live',
    site: known ? { id: site, name: site } : undefined,
  };
}
export const domain = (name: string, site?: string): Domain => ({
  kind: 'domain',
  id: name,
  name,
  site: site === undefined ? undefined : { id: site, name: site },
});
export const company: Company = { kind: 'company', id: 'c', name: 'Acme' };

export const to = (path: string, target: string | Domain | Company, source?: string): AccessRequest => ({
  command: command(path),
  aims: [
    { target: typeof target === 'string' ? environment(target) : target, access: 'change' },
    ...(source === undefined ? [] : [{ target: environment(source), access: 'read' as const }]),
  ],
});
