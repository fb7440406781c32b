import type { Ability } from '../access/ability.ts';
import { Refusal } from '../base/errors.ts';
import type { Environment } from '../hosting/contract/target.ts';
import type { Person } from '../access/access-check.ts';
import { explainAccess } from '../access/explain-access.ts';
import type { KnownNames } from '../language/resolve.ts';
import { split } from '../language/tokenize.ts';
import { isLive } from '../policy/live-environments.ts';
import { mentionedGroups } from '../policy/people.ts';
import type { Policy } from '../policy/rules.ts';
import { code, joined, say } from '../words/text.ts';

/**
 * What the rules say about a person and a command, without Slack and without the host: every name that looks like an
 * environment or a domain is treated as one.
 */

/**
 * Answers a question such as `@leads push acme-shop/staging acme-shop/live`. It begins with a group of the file, for a
 * person in that group only, or with a Slack id and optionally its user groups: `@U0123456789+S0123456789`, or `+none`.
 * Without them the user groups are unknown, as they are while Slack does not answer. Throws `Refusal`.
 */
export async function explainPolicy(policy: Policy, question: string): Promise<Ability> {
  const [who = ''] = question.trim().split(/\s/, 1);
  // As typed, because a quoted word is not an option.
  const typed = question.trim().slice(who.length).trim();
  const { rules, person } = somebody(policy, who.replace(/^@/, ''));
  if (typed === '') throw new Refusal(say`No command follows ${code(who)}. Nothing was answered.`);
  const words = split(typed).map(({ text }) => text);
  const names = namesIn(rules, words);
  const context = {
    policy: () => rules,
    company: () => ({ kind: 'company', id: '', name: 'the company' }) as const,
    names: () => names,
    personOf: async (id: string) => ({ ...person, id, ...(id !== person.id && { name: id }) }),
    membersOf: async () => undefined,
  };
  return explainAccess(context, person, [typed], undefined);
}

type Asked = { readonly rules: Policy; readonly person: Person };

/** The rules, and the person they are asked about. */
function somebody(policy: Policy, who: string): Asked {
  const [name = '', ...userGroups] = who.split('+');
  const members = policy.groups.get(name);
  if (members !== undefined && userGroups.length === 0) return memberOf(policy, name, members);
  if (!idShape.test(name)) throw unknownName(policy, name);
  const wrong = userGroups.find((group) => group !== 'none' && !mentionedGroups(policy).includes(group));
  if (wrong !== undefined) throw unknownUserGroup(policy, wrong);
  return { rules: policy, person: { ...around(name), ...groupsOf(policy, userGroups) } };
}

const idShape = /^[UW][A-Z0-9]{5,}$/;

/** An imaginary member of this group only, with an id that Slack never gives out. */
function memberOf(policy: Policy, name: string, members: ReadonlySet<string>): Asked {
  const groups = new Map([...policy.groups, [name, new Set([...members, name])]]);
  return { rules: { ...policy, groups }, person: { ...around(name), ...groupsOf(policy, ['none']) } };
}

const around = (id: string) => ({ id, name: `@${id}`, team: '', standing: 'member', zone: 'UTC' }) as const;

/** The person is in the named user groups and in no other; if none is named, all are unknown. */
const groupsOf = (policy: Policy, named: readonly string[]): Pick<Person, 'groups' | 'otherGroups'> => ({
  groups: named.filter((group) => group !== 'none'),
  otherGroups: named.length === 0 ? [] : mentionedGroups(policy).filter((group) => !named.includes(group)),
});

function unknownName(policy: Policy, name: string): Refusal {
  const groups = [...policy.groups.keys()].map((group) => code(`@${group}`));
  const or = groups.length > 0 ? say` or with a group of the file: ${joined(groups, ', ')}` : '';
  return new Refusal(say`${code(`@${name}`)} is neither a group of the file nor a Slack id. Nothing was answered.`, {
    hint: say`Begin with an id, such as ${code('@U0123456789')},${or}.`,
  });
}

function unknownUserGroup(policy: Policy, group: string): Refusal {
  const known = mentionedGroups(policy).map((one) => code(one));
  return new Refusal(say`The file names no Slack user group ${code(group)}. Nothing was answered.`, {
    hint: known.length > 0 ? say`It names ${joined(known, ', ')}.` : say`It names none.`,
  });
}

const environmentShape = /^[^/\s]+\/[^/\s]+$/;
const domainShape = /^[^/\s@]+\.[^/\s@.]+$/;

function namesIn(policy: Policy, words: readonly string[]): KnownNames {
  const once = [...new Set(words)];
  return {
    environments: once.filter((word) => environmentShape.test(word)).map((word) => environmentOf(policy, word)),
    domains: once
      .filter((word) => domainShape.test(word))
      .map((name) => ({ kind: 'domain', id: name, name, site: undefined })),
  };
}

function environmentOf(policy: Policy, name: string): Environment {
  const [site = '', own = ''] = name.split('/');
  const known = policy.overrides.environments.find((one) => one.site === site && one.name === own);
  const live = isLive(policy, { ...(known && { id: known.id }), site, name: own, kindKnown: true });
  return { kind: 'environment', id: known?.id ?? name, name, live, site: { id: site, name: site } };
}
