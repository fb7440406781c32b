import { z } from 'zod';
import { cached } from '../base/caches.ts';
import { groupIds, isUserGroup, samePerson } from './memberships.ts';
import type { Caller, Member, Policy } from './rules.ts';
import { channelId, fields, filledList, inputError, parsedText, personId, personShape, refuse } from './shapes.ts';
import { quoted, unknownAmong } from './yaml-document.ts';

/** Programs that ask: how the file describes them, which key is whose, and who can use it. */

/** The caller whose key has this hash (SHA-256, hex). Whether it has expired is asked where there is a clock. */
export const callerByKey = (policy: Policy, hash: string): Caller | undefined => byKey(policy).get(hash);

const byKey = cached(
  ({ callers }: Policy) => new Map([...callers.values()].flatMap((one) => [...one.keys].map((key) => [key, one]))),
);

/** A caller that asked, and the Slack ids (people and user groups) of its operators at that time. */
export type AskingCaller = { readonly name: string; readonly operators: readonly string[] };

/** The Slack ids of a caller's operators today. */
export const operatorIds = (policy: Policy, name: string): readonly string[] =>
  (policy.callers.get(name)?.operators ?? []).flatMap((one) =>
    policy.groups.has(one) ? groupIds(policy, [one]) : [one],
  );

/** Who could use its keys when it asked, and who can today. */
const allOperators = (policy: Policy, { name, operators }: AskingCaller): readonly string[] => [
  ...new Set([...operators, ...operatorIds(policy, name)]),
];

/** The Slack user groups that decide who can use its keys. */
export const operatorGroups = (policy: Policy, caller: AskingCaller | undefined): readonly string[] =>
  caller ? allOperators(policy, caller).filter(isUserGroup) : [];

/** Whether the person can or could use its keys, or the Slack user groups that decide that. Empty: no. */
export function isOperator(policy: Policy, person: Member, caller: AskingCaller): 'yes' | readonly string[] {
  const { groups, joinedGroups = [], otherGroups = [] } = person;
  const own = new Set([...groups, ...joinedGroups]);
  if (allOperators(policy, caller).some((id) => own.has(id) || samePerson(policy, person.id, id))) return 'yes';
  return operatorGroups(policy, caller).filter((group) => !otherGroups.includes(group));
}

const callerName = z
  .string()
  .regex(/^[a-z0-9-]{1,40}$/, inputError('cannot name a caller; use small letters a to z, digits and -, 40 at most'));
const callerKey = parsedText(
  z
    .string('expected sha256: and 64 hex digits')
    .regex(/^sha256:[0-9a-f]{64}$/, inputError('is not the hash of a key; `sitehand caller new` prints one')),
  (text) => ({ hash: text.slice('sha256:'.length) }),
);
const day = parsedText(
  z.string('expected a day, like 2027-03-01').regex(/^\d{4}-\d\d-\d\d$/, inputError('is not a day, like 2027-03-01')),
  (text) => {
    const at = Date.parse(`${text}T00:00:00Z`);
    return Number.isNaN(at) || new Date(at).toISOString().slice(0, 10) !== text ? `${quoted(text)} is not a day` : at;
  },
);
/** The schema of `callers`. */
export const callersShape = (groups: ReadonlyMap<string, number>) =>
  z
    .record(
      callerName,
      fields(
        {
          keys: filledList(callerKey, 'hashes of keys').max(2, 'a caller has two keys at most'),
          for: personId.describe('The person for whom it asks'),
          operators: filledList(
            z
              .string('expected a Slack id or the name of a group')
              .refine((one) => personShape.test(one) || groups.has(one), {
                error: ({ input }) => unknownAmong('group', String(input), [...groups.keys()]),
              }),
            'Slack ids of people, and names of groups',
          ).describe('Everybody who can read or trigger a key: none of them decides what it asks for'),
          channel: channelId.describe('Where its cards are posted'),
          expires: day.describe('The first day on which its keys are refused, in UTC'),
        },
        '{ keys, for, operators, channel, expires }',
      ),
      'expected names of callers, each with { keys, for, operators, channel, expires }',
    )
    .superRefine((all, ctx) => {
      const taken = new Set<string>();
      for (const [name, { keys }] of Object.entries(all))
        for (const [index, { hash }] of keys.entries()) {
          if (taken.has(hash)) refuse(ctx, [name, 'keys', index], 'this key is listed twice');
          taken.add(hash);
        }
    });
