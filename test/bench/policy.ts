import type { Domain, Environment, Target } from '../../src/hosting/contract/target.ts';
import { loadPolicy } from '../../src/policy/load.ts';
import { decideAccess } from '../../src/policy/policy.ts';
import type { AccessRequest } from '../../src/policy/matching.ts';
import type { Catalogue, Member, Policy } from '../../src/policy/rules.ts';
import { quantile, spreadOf, tableOf, type Figure, type Scale } from './figures.ts';

/** The cost of one policy decision in a large company; the file, the person and the target are already known. */

const people = 1_000;
const teams = 40;
const rules = 200;
const sites = 50;
const decisions = 20_000;

const catalogue: Catalogue = [
  { path: 'logs', risk: 'read' },
  { path: 'cache clear', risk: 'routine' },
  { path: 'dns set', risk: 'sensitive' },
  { path: 'push', risk: 'destructive' },
  { path: 'delete', risk: 'destructive' },
  { path: 'lock', risk: 'named' },
];

const userId = (at: number): string => `U0${String(at).padStart(6, '0')}`;
const userGroup = (at: number): string => `S0${String(at).padStart(6, '0')}`;
const allGroups = Array.from({ length: teams }, (_, at) => userGroup(at));
const siteName = (at: number): string => `${['acme', 'north', 'bäckerei', 'lumen'][at % 4]}-shop-${at % sites}`;

/** A typical rule: a team and its site, sometimes everybody, everywhere, a domain, or a denial. */
function ruleAt(at: number): string {
  const team = `team-${at % teams}`;
  const site = siteName(at);
  switch (at % 10) {
    case 0:
      return `{ allow: [read], to: [${team}, team-${(at + 7) % teams}] }`;
    case 1:
      return `{ allow: [routine, sensitive], to: [${team}], where: ["${site}/*", "domain:*.${team}.example"] }`;
    case 2:
      return `{ allow: [destructive], to: [${team}], where: ["${site}/staging", "*-shop-${at % sites}/dev*"] }`;
    case 3:
      return `{ allow: [push], to: [${team}], where: ["*-shop-*/live"], approval: { by: [leads], count: 1, expires: 1h } }`;
    case 4:
      return `{ deny: [delete], to: everyone, where: ["${site}/live"] }`;
    case 5:
      return `{ allow: [lock], to: [leads, ${team}], where: ["${site}/*"] }`;
    case 6:
      return `{ deny: [routine, destructive], to: [team-${(at + 3) % teams}], where: ["*-shop-${at % 7}/*", "company"] }`;
    case 7:
      return `{ allow: [sensitive], to: [leads], approval: { by: [leads], count: 2, expires: 4h, reason: required } }`;
    case 8:
      return `{ allow: [read, routine], to: everyone, where: ["${site}/staging"] }`;
    default:
      return `{ deny: [sensitive], to: [${team}], where: ["domain:${team}.example", "${site}/live"] }`;
  }
}

function policyOf(): Policy {
  const membersOf = (team: number): string =>
    Array.from({ length: people / teams }, (_, at) => userId(at * teams + team)).join(', ');
  const groups = Array.from({ length: teams }, (_, at) => `  team-${at}: [${membersOf(at)}, ${userGroup(at)}]`);
  const text = [
    'version: 1',
    'groups:',
    `  leads: [${[1, 2, 3, 4, 5].map(userId).join(', ')}]`,
    ...groups,
    'people:',
    ...Array.from({ length: 20 }, (_, at) => `  person-${at}: [${userId(at * 37)}, W0${at}00000]`),
    'rules:',
    ...Array.from({ length: rules }, (_, at) => `  - ${ruleAt(at)}`),
  ].join('\n');
  const loaded = loadPolicy(text, catalogue);
  if (loaded.kind === 'mistakes')
    throw new Error(loaded.mistakes.map(({ line, says }) => `${line}: ${says}`).join('\n'));
  return loaded.policy;
}

function targetAt(at: number): Target {
  const site = { id: undefined, name: siteName(at) };
  if (at % 11 === 10) return { kind: 'company', id: 'c', name: 'Acme' };
  if (at % 5 === 4) {
    const domain: Domain = { kind: 'domain', id: `d${at}`, name: `www.team-${at % teams}.example`, site };
    return domain;
  }
  const own = ['live', 'staging', 'dev-2'][at % 3] ?? '';
  const environment: Environment = {
    kind: 'environment',
    id: `e${at}`,
    name: `${site.name}/${own}`,
    live: own === 'live',
    site,
  };
  return environment;
}

const requests: readonly { readonly person: Member; readonly parsed: AccessRequest }[] = Array.from(
  { length: 997 },
  (_, at) => {
    const command = catalogue[at % catalogue.length] ?? { path: 'logs', risk: 'read' };
    const target = targetAt(at * 3);
    const source = command.path === 'push' ? [{ target: targetAt(at * 7), access: 'read' as const }] : [];
    const groups = at % 4 === 0 ? [userGroup(at % teams), userGroup(9)] : [];
    const otherGroups = allGroups.filter((group) => !groups.includes(group));
    return {
      person: { id: userId((at * 31) % people), groups, otherGroups },
      parsed: { command, aims: [{ target, access: 'change' }, ...source] },
    };
  },
);

/** Microseconds of each of this many decisions, one after the other. */
function decisionTimes(policy: Policy, amount: number): readonly number[] {
  const taken: number[] = [];
  while (taken.length < amount)
    for (const { person, parsed } of requests) {
      const began = performance.now();
      decideAccess(policy, person, parsed);
      taken.push((performance.now() - began) * 1_000);
    }
  return taken;
}

/** Decisions about 1,000 people by 200 rules. */
export async function measurePolicy({ quick }: Scale): Promise<readonly Figure[]> {
  const policy = policyOf();
  decisionTimes(policy, decisions);
  const rounds = Array.from({ length: quick ? 5 : 15 }, () => decisionTimes(policy, decisions));
  const p99s = rounds.map((of) => quantile(of, 0.99));
  return [
    {
      what: 'decision over 1,000 people and 200 rules, p99',
      measured: quantile(p99s, 0.5),
      unit: 'µs',
      limit: 20,
      spread: spreadOf(p99s),
      raw: { p99s, medians: rounds.map((of) => quantile(of, 0.5)) },
    },
  ];
}

if (import.meta.main)
  process.stdout.write(`${tableOf(await measurePolicy({ quick: process.argv.includes('--quick') }))}\n`);
