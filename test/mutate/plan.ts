/**
 * What is mutated: what decides without asking anybody. Whether it is wired up right is for the stories to show; how
 * the policy file is read stays out, as tests that feed it a thousand brackets for every mutant take too long.
 */
export const mutated: readonly string[] = [
  // The states of a change, and the moves between them.
  'src/pipeline/change.ts',
  // What a click decides, and who may.
  'src/pipeline/approve.ts',
  'src/policy/approvers.ts',
  'src/policy/needed.ts',
  // What the host's answers mean.
  'src/pipeline/answer.ts',
  'src/pipeline/judge.ts',
  // Rights.
  'src/pipeline/authorise.ts',
  'src/pipeline/may-run.ts',
  'src/policy/channels.ts',
  'src/policy/memberships.ts',
  'src/policy/pattern.ts',
  'src/policy/people.ts',
  'src/policy/pins.ts',
  'src/policy/policy.ts',
  'src/policy/possible.ts',
  'src/policy/rules.ts',
];

/**
 * The tests that judge the mutants, the quickest first: tables and properties beside these files, no stories. A mutant
 * of what is there as soon as a file is loaded meets them all: most of these are in the table of `change.ts`.
 */
export const tests: readonly string[] = [
  'test/pipeline/change.test.ts',
  'test/policy/approvers.test.ts',
  'test/policy/memberships.test.ts',
  'test/policy/pattern.test.ts',
  'test/policy/decide.test.ts',
  'test/policy/places.test.ts',
  'test/policy/possible.test.ts',
  'test/pipeline/answer.test.ts',
  'test/pipeline/judge.test.ts',
  'test/pipeline/approve.test.ts',
  'test/pipeline/closers.test.ts',
  'test/pipeline/authorise.test.ts',
  'test/pipeline/unknown-groups.test.ts',
  'test/policy/unknown.test.ts',
  'test/policy/properties.test.ts',
];
