import type { Reporter, TestCase, TestModule } from 'vitest/node';
import { faults } from './faults.ts';
import { promises } from './promises.ts';

/** Ends a run with one block: what was promised and held, what was covered, what was passed over and why. */
export default class LastWord implements Reporter {
  readonly #began = performance.now();

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
      `  endpoints of the document   ${sectionsCovered(tests)} of 23, on both sides`,
      `  faults of the list          ${faultsCovered(tests)}`,
      `  tests                       ${tests.length - skipped.length} of ${tests.length} ran`,
      ...passedOver(skipped),
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

const ran = (test: TestCase): boolean => test.result().state !== 'skipped';

function provenBy(tests: readonly TestCase[], name: string): string {
  const proofs = tests.filter((test) => test.fullName.includes(name) && ran(test));
  if (proofs.length === 0) return '— NOT PROVEN by a test of this run';
  const broken = proofs.filter((test) => test.result().state !== 'passed');
  const names = proofs.map(
    (test) => `\n       ${test.result().state === 'passed' ? '✓' : '✗'} ${test.name.replace(name, '').trim()}`,
  );
  return `${broken.length > 0 ? '— BROKEN' : ''}${names.join('')}`;
}

/** Sections that both the contract's test and the stand-in's test name. */
function sectionsCovered(tests: readonly TestCase[]): number {
  const sections = (folder: string): Set<string> =>
    new Set(
      tests
        .filter((test) => test.module.moduleId.includes(folder) && test.result().state === 'passed')
        .flatMap((test) => [...test.fullName.matchAll(/\b4\.\d+a?\b/g)].map((match) => match[0])),
    );
  return sections('test/hosting/contract/document').intersection(sections('test/playground/hosting/coverage')).size;
}

function faultsCovered(tests: readonly TestCase[]): string {
  const all = Object.values(faults);
  const names = tests.filter((test) => test.result().state === 'passed').map((test) => test.fullName);
  const missing = Object.entries(faults).filter(
    ([, { by }]) => by !== undefined && !by.every((name) => names.some((full) => full.includes(name))),
  );
  const covered = all.filter(({ by }) => by !== undefined).length - missing.length;
  const left = all.filter(({ notYet }) => notYet !== undefined).length;
  const said = missing.map(([number]) => ` ${number}`).join(',');
  return `${covered} of ${all.length}; ${left} named with a reason in test/faults.ts${said === '' ? '' : `; NOT COVERED:${said}`}`;
}

function passedOver(skipped: readonly TestCase[]): readonly string[] {
  const reasons = new Map<string, number>();
  for (const test of skipped) {
    const result = test.result();
    const reason =
      ('note' in result && result.note) || /\(([^()]*not installed[^()]*)\)/.exec(test.fullName)?.[1] || test.fullName;
    reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
  }
  return [...reasons].map(([reason, count]) => `  passed over                 ${count}: ${reason}`);
}
