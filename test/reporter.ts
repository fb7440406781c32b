import { availableParallelism, loadavg } from 'node:os';
import type { Reporter, TestCase, TestModule } from 'vitest/node';
import { catalogue } from './hosting/contract/catalogue.ts';
import { faults } from './faults.ts';
import { promises } from './promises.ts';
import { patienceMs } from './patience.ts';

/** Ends a run with one block: which promises held, what was covered, and what was skipped and why. */
export default class RunSummary implements Reporter {
  readonly #began = performance.now();

  /** Prints a dot per file, so that a long run shows progress. */
  onTestModuleEnd(): void {
    process.stdout.write('.');
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    const tests = modules.flatMap((module) => [...module.children.allTests()]);
    const whole =
      tests.length > 0 &&
      modules.some((module) => module.moduleId.endsWith('test/architecture.test.ts')) &&
      modules.length > 20;
    if (!whole) return;
    const skipped = tests.filter((test) => test.result().state === 'skipped');
    const lines = [
      '',
      'Promises',
      ...Object.entries(promises).map(
        ([number, promise]) => `  ${number}. ${promise} ${provenBy(tests, `promise ${number}:`)}`,
      ),
      'Coverage',
      `  endpoints of the document   ${sectionsCovered(tests)} of ${catalogue.filter(({ optional }) => !optional).length}, in the contract, in the stand-in, in words and by form`,
      `  faults of the list          ${faultsCovered(tests)}`,
      `  tests                       ${tests.length - skipped.length} of ${tests.length} ran`,
      ...skippedLines(skipped),
      ...linesOfWaits(tests),
      `  seed ${process.env['SEED'] ?? ''} · ${((performance.now() - this.#began) / 1000).toFixed(1)} s`,
      '',
    ];
    process.stdout.write(lines.join('\n'));
    if (process.env['SITEHAND_REQUIRE'] && skipped.length > 0) {
      process.stdout.write('Every test was required to run.\n');
      process.exitCode = 1;
    }
  }
}

const shownProofs = 5;

function provenBy(tests: readonly TestCase[], name: string): string {
  const proofs = tests.filter((test) => test.fullName.includes(name) && test.result().state !== 'skipped');
  if (proofs.length === 0) return '— NOT PROVEN by a test of this run';
  const broken = proofs.filter((test) => test.result().state !== 'passed');
  const isContradicted = broken.some((test) => !ranOut(test));
  const shown = [...broken, ...proofs.filter((test) => !broken.includes(test))].slice(
    0,
    Math.max(shownProofs, broken.length),
  );
  const names = shown.map((test) => `\n       ${broken.includes(test) ? '✗' : '✓'} ${nameWithout(test, name)}`);
  const more = proofs.length > shown.length ? `\n         and ${proofs.length - shown.length} more` : '';
  const verdict = isContradicted ? '— BROKEN' : broken.length > 0 ? '— NOT PROVEN: a wait ran out' : '';
  return `${verdict}${names.join('')}${more}`;
}

/** Whether a test failed because nothing came in time: that is no proof of what it asks for, nor of the opposite. */
const ranOut = (test: TestCase): boolean =>
  test.result().state === 'failed' && (test.diagnostic()?.duration ?? 0) >= patienceMs;

function linesOfWaits(tests: readonly TestCase[]): readonly string[] {
  const waits = tests.filter(ranOut);
  if (waits.length === 0) return [];
  const files = [...new Set(waits.map(({ module }) => module.relativeModuleId))];
  const load = `load ${loadavg()[0]?.toFixed(0)} on ${availableParallelism()} cores`;
  return [
    `  waits that ran out          ${waits.length}; a busy machine (${load}) can cause that. Alone: npm test -- ${files.join(' ')}`,
  ];
}

/** A test's full name without the mark. */
const nameWithout = (test: TestCase, mark: string): string =>
  test.fullName.replace(mark, '').replaceAll(' > ', ': ').trim();

/** Sections of the contract that the stand-in answers, and that people can use both by words and by form. */
function sectionsCovered(tests: readonly TestCase[]): number {
  const passed = tests.filter((test) => test.result().state === 'passed');
  const seen = (file: string, ending = ''): ReadonlySet<string> =>
    new Set(
      passed
        .filter(({ module, name }) => module.moduleId.endsWith(file) && name.endsWith(ending))
        .flatMap(({ name }) => /\b4\.\d+a?\b/.exec(name)?.[0] ?? []),
    );
  const answered = seen('hosting/coverage.test.ts');
  const typed = seen('stories/endpoints.test.ts', ': typed');
  const filled = seen('stories/endpoints.test.ts', ': by form');
  return catalogue.filter(
    ({ section, optional }) => !optional && answered.has(section) && typed.has(section) && filled.has(section),
  ).length;
}

function faultsCovered(tests: readonly TestCase[]): string {
  const passed = tests.filter((test) => test.result().state === 'passed').map((test) => test.fullName);
  const required = Boolean(process.env['SITEHAND_REQUIRE']);
  const isShown = (name: string): boolean => passed.some((full) => full.includes(name));
  const all = Object.entries(faults);
  const broken = all.filter(([, { by = [] }]) => !by.every(isShown)).map(([number]) => number);
  const reasons = all.filter(([, { notYet }]) => notYet !== undefined).map(([number]) => number);
  if (broken.length > 0 && required) process.exitCode = 1;
  return [
    `${all.length - broken.length - all.filter(([, { by }]) => by === undefined).length} of ${all.length}`,
    `in part or not yet, with a reason in test/faults.ts: ${reasons.join(', ')}`,
    ...(broken.length > 0
      ? [`${required ? 'NOT SHOWN' : 'NOT SHOWN without npm run test:all'}: ${broken.join(', ')}`]
      : []),
  ].join('; ');
}

function skippedLines(skipped: readonly TestCase[]): readonly string[] {
  const reasons = new Map<string, number>();
  for (const test of skipped) {
    const result = test.result();
    const reason =
      ('note' in result && result.note) ||
      /\(([^()]*(?:not installed|test:all)[^()]*)\)/.exec(test.fullName)?.[1] ||
      test.fullName;
    reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
  }
  return [...reasons].map(([reason, count]) => `  skipped                     ${count}: ${reason}`);
}
