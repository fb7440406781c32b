/** A mutant that no test kills, and why that is as it should be. */
export type Survivor = {
  /** The line that it begins in, as it stands in the file. */
  readonly line: string;
  /** What was there → what stands there instead, on one line. */
  readonly mutant: string;
  /** `equivalent`: nobody can tell the difference; `not worth it`: the test would cost more than it shows. */
  readonly why: 'equivalent' | 'not worth it';
  readonly because: string;
};

/** Several survivors of one line, for one reason. */
const all = (
  why: Survivor['why'],
  because: string,
  line: string,
  ...mutants: readonly [string, ...string[]]
): readonly Survivor[] => mutants.map((mutant) => ({ line, mutant, why, because }));

const same = all.bind(undefined, 'equivalent');

/** Every survivor, by the file that it is in. Any other makes `npm run mutate` fail, and so does one that is dead. */
export const survivors: Readonly<Record<string, readonly Survivor[]>> = {
  'src/pipeline/approve.ts': [
    ...same(
      'A text is no decision: it allows nothing and depends on no group.',
      "const own = approvals.includes('none') ? [decide(policy, by, asked)] : [];",
      '[] → ["Stryker was here"]',
    ),
    ...same(
      'Only a right that is refused has a reason; of the others it is undefined.',
      "if (right.kind === 'may not' && right.why === 'unknown') throw refusal(ballot, notKnown(right.groups, verb));",
      "right.kind === 'may not' → true",
    ),
    ...same(
      'Only a right that is refused has a reason; of the others it is undefined.',
      "throw refusal(ballot, refused(right.kind === 'may not' ? right.why : undefined, verb));",
      "right.kind === 'may not' → true",
    ),
  ],
  'src/pipeline/judge.ts': [
    ...same(
      'The word `trouble` has no verdict, so it proves as little as nothing does.',
      "const proof = seen.proof === 'trouble' ? undefined : seen.proof;",
      "seen.proof === 'trouble' → false",
      '\'trouble\' → ""',
    ),
    ...same(
      'JSON reads null as null.',
      'const receipt = change.receipt === null ? undefined : thawed<Receipt>(change.receipt);',
      'change.receipt === null → false',
    ),
    ...same(
      'It is what is said where no other reason is given.',
      "if (operation === undefined) return leave(left(change, 'no proof'), lockMs);",
      '\'no proof\' → ""',
    ),
  ],
  'src/policy/approvers.ts': [
    ...same(
      'Votes are looked for by requirement, and a text is none.',
      "const towards = voice.kind === 'counts' ? voice.towards : [];",
      '[] → ["Stryker was here"]',
    ),
  ],
  'src/policy/channels.ts': [
    ...same(
      'It is asked only where there is a boundary; the types cannot see that.',
      'const inside = (site: string | undefined) => site !== undefined && bound?.some((glob) => matches(glob, site));',
      'bound?.some → bound.some',
    ),
  ],
  'src/policy/people.ts': [
    ...same('What is remembered is worked out again, only slower.', 'if (known) return known;', 'known → false'),
    ...same(
      'What is remembered is worked out again, only slower.',
      'mentioned.set(policy.groups, made);',
      'mentioned.set(policy.groups, made); → ;',
    ),
  ],
  'src/policy/pins.ts': [
    ...same(
      'Nothing but environments can stand under `live`: the file is refused.',
      "(entry) => entry.kind === 'environment' && matches(entry.site, site) && matches(entry.environment, name),",
      "entry.kind === 'environment' → true",
    ),
  ],
  'src/policy/policy.ts': [
    ...same(
      'A report is asked by its own name, and this is a report.',
      "decide(policy, person, { command: READING, aims: [{ target, access: 'read' }] });",
      '\'read\' → ""',
    ),
    ...same(
      'Whatever is not `some` is all.',
      "const everywhere = rules.deny.filter(({ where }) => reaches(where, kind, 'all'));",
      '\'all\' → ""',
    ),
    ...same(
      'Whatever is no `allow` counts all ids.',
      "if (everywhere.some(({ to }) => holds(to, of, 'deny') === 'yes')) return 'no';",
      '\'deny\' → ""',
    ),
    ...same('Whatever is no `allow` counts all ids.', "const is = holds(rule.to, of, 'deny');", '\'deny\' → ""'),
    ...same(
      'It names no group.',
      "const then = needed === 'none' ? [] : needed.requirements;",
      '[] → ["Stryker was here"]',
    ),
    ...same(
      'It names no group.',
      "const by = [...then, ...now].flatMap((one) => (one === 'none' || one.by === 'allowed' ? [] : [one.by]));",
      "one === 'none' → false",
      '\'none\' → ""',
      '[] → ["Stryker was here"]',
    ),
    ...same('It names no group.', 'const perhaps: Audience[] = [];', '[] → ["Stryker was here"]'),
    ...same('What is remembered is worked out again, only slower.', 'if (found) return found;', 'found → false'),
    ...same(
      'What is remembered is worked out again, only slower.',
      'speaking.set(rules, known.set(key, made));',
      'speaking.set(rules, known.set(key, made)); → ;',
    ),
    ...same(
      'What asks for no approval makes none stricter; it is left out to be quick.',
      "const matters = (rule: Rule): boolean => certain.length === 0 || approvalBy(rule, command) !== 'none';",
      "certain.length === 0 || approvalBy(rule, command) !== 'none' → true",
      '\'none\' → ""',
    ),
    ...same(
      'Whom a rule does not hold, no unknown group puts into it; it is passed over to be quick.',
      "if (is === 'no' || !isAbout(rule, question)) continue;",
      "is === 'no' → false",
      '\'no\' → ""',
    ),
    ...same(
      'Without rules that are unsure both approvals are the same.',
      "if (unsure.length === 0) return { kind: 'allowed', rules, approval: certain, unsure: none };",
      'unsure.length === 0 → false',
    ),
    ...same(
      'No rule can name either.',
      "const READING: Command = { path: '', risk: 'read' };",
      '\'\' → "Stryker was here!"',
    ),
  ],
  'src/policy/rules.ts': [
    ...same(
      'Whatever does not say `required` is optional, where approvals are put together.',
      "const SOMEBODY_ELSE: Approval = { by: 'allowed', count: 1, expires: DEFAULT_EXPIRY, reason: 'optional' };",
      '\'optional\' → ""',
    ),
  ],
};
