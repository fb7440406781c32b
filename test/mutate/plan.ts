/**
 * The files to mutate: code that decides without any input or output. Stories test the wiring. Reading the policy file
 * is left out, because its tests with thousands of brackets take too long per mutant.
 */
export const mutated: readonly string[] = [
  // The states of a change, and the moves between them.
  'src/change/change.ts',
  // What a click decides, and who may click.
  'src/change/approve.ts',
  'src/change/may-end.ts',
  'src/policy/approvers.ts',
  // What the host's answers mean.
  'src/change/write-result.ts',
  'src/send/evidence.ts',
  // Rights.
  'src/access/access-check.ts',
  'src/access/assert-channel.ts',
  'src/access/may-run.ts',
  'src/policy/rules.ts',
  'src/policy/memberships.ts',
  'src/policy/pattern.ts',
  'src/policy/policy.ts',
  'src/policy/matching.ts',
  'src/policy/callers.ts',
  'src/policy/approval-requirement.ts',
  'src/policy/unsatisfiable.ts',
  // What skips them in an emergency, and its review.
  'src/access/break-glass.ts',
  'src/change/post-review.ts',
  // Freezes, and the window in which something is to be sent.
  'src/policy/freezes.ts',
  'src/policy/freeze-time.ts',
  'src/words/written-time.ts',
  'src/language/schedule.ts',
  'src/access/freeze-words.ts',
  'src/change/freeze-check.ts',
];

/**
 * The tests that judge the mutants, quickest first: tables and properties beside these files, no stories. A mutant that
 * acts at load time meets them all; most of these are in the table of `change.ts`.
 */
export const tests: readonly string[] = [
  'test/change/change.test.ts',
  'test/policy/approvers.test.ts',
  'test/policy/callers.test.ts',
  'test/policy/memberships.test.ts',
  'test/policy/pattern.test.ts',
  'test/policy/policy.test.ts',
  'test/policy/rules.test.ts',
  'test/policy/unsatisfiable.test.ts',
  'test/change/write-result.test.ts',
  'test/send/evidence.test.ts',
  'test/change/approve.test.ts',
  'test/change/closers.test.ts',
  'test/access/may-run.test.ts',
  'test/access/access-check.test.ts',
  'test/access/assert-channel.test.ts',
  'test/access/unknown-groups.test.ts',
  'test/policy/unknown-groups.test.ts',
  'test/policy/properties.test.ts',
  'test/language/schedule.test.ts',
  'test/policy/freezes.test.ts',
  'test/policy/freezes-shape.test.ts',
  'test/policy/freeze-time.test.ts',
  'test/access/freeze-words.test.ts',
  'test/access/break-glass.test.ts',
  'test/matrix/freezes.test.ts',
  'test/matrix/break-glass.test.ts',
];
