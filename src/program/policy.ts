import { rights } from '../commands/rights.ts';
import { policyFileIn } from '../config.ts';
import { readPolicy } from '../policy/watch.ts';

/** The policy without Slack, for people on the machine and for their CI: `check`. */

/** Exit codes: it can be used, it has mistakes, wrong words. */
const ends = { usable: 0, mistakes: 1, wrong: 2 } as const;

/** Runs the words. Resolves with the exit code, never rejects. */
export async function policy([word, file = policyFileIn(), ...more]: readonly string[]) {
  if (word !== 'check' || more.length > 0) {
    process.stderr.write('Use policy check, or policy check FILE. Nothing was read.\n');
    return ends.wrong;
  }
  const read = await readPolicy(file, rights);
  if (read.kind === 'mistakes') {
    // As compilers write it, so that editors and CI find the place.
    for (const { line, column, says } of read.mistakes) process.stdout.write(`${file}:${line}:${column}: ${says}\n`);
    return ends.mistakes;
  }
  const { rules, groups, hash } = read.policy;
  process.stdout.write(`${file} can be used: ${rules.length} rules, ${groups.size} groups, ${hash.slice(0, 8)}.\n`);
  return ends.usable;
}
