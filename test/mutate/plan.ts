/**
 * The files to mutate: code that decides without any input or output. Stories test the wiring. Reading the policy file
 * is left out, because its tests with thousands of brackets take too long per mutant.
 */
export const mutated: readonly string[] = [
  // The states of a change, and the moves between them.
  'src/pipeline/changes/change.ts',
  // What a click decides, and who may click.
  'src/pipeline/changes/approve.ts',
  'src/policy/approvers.ts',
  'src/policy/approval-requirement.ts',
  // What the host's answers mean.
  'src/pipeline/changes/write-result.ts',
  'src/pipeline/changes/evidence.ts',
  // Rights.
  'src/pipeline/access/access-check.ts',
  'src/pipeline/access/assert-channel.ts',
  'src/pipeline/access/may-run.ts',
  'src/policy/channels.ts',
  'src/policy/memberships.ts',
  'src/policy/pattern.ts',
  'src/policy/people.ts',
  'src/policy/live-environments.ts',
  'src/policy/policy.ts',
  'src/policy/unsatisfiable.ts',
  'src/policy/rules.ts',
];

/**
 * The tests that judge the mutants, quickest first: tables and properties beside these files, no stories. A mutant that
 * acts at load time meets them all; most of these are in the table of `change.ts`.
 */
export const tests: readonly string[] = [
  'test/pipeline/changes/change.test.ts',
  'test/policy/approvers.test.ts',
  'test/policy/memberships.test.ts',
  'test/policy/pattern.test.ts',
  'test/policy/policy.test.ts',
  'test/policy/channels.test.ts',
  'test/policy/live-environments.test.ts',
  'test/policy/unsatisfiable.test.ts',
  'test/pipeline/changes/write-result.test.ts',
  'test/pipeline/changes/evidence.test.ts',
  'test/pipeline/changes/approve.test.ts',
  'test/pipeline/changes/closers.test.ts',
  'test/pipeline/access/may-run.test.ts',
  'test/pipeline/access/access-check.test.ts',
  'test/pipeline/access/assert-channel.test.ts',
  'test/pipeline/access/unknown-groups.test.ts',
  'test/policy/unknown-groups.test.ts',
  'test/policy/properties.test.ts',
];
