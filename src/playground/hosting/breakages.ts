import { fatalAt } from './logs/error.ts';
import type { Breakage, Environment } from './resources.ts';

/** How many errors are in the log right after something broke. */
const burst = 25;
const maxWritten = 2_000;

/** Breaks an environment, and fills its error log if that is something PHP logs. */
export function breakEnvironment(environment: Environment, breakage: Breakage, now: number): void {
  environment.broken = [...environment.broken.filter((one) => one !== breakage), breakage];
  if (breakage === 'slow') return;
  for (let second = burst; second > 0; second -= 1) logFatal(environment, '/checkout/', now - second * 1_000);
}

/** Ends a breakage if the environment has it. */
export function mendEnvironment(environment: Environment, breakage: Breakage): void {
  environment.broken = environment.broken.filter((one) => one !== breakage);
}

/** Writes a PHP error about one request into the error log; `at` in epoch milliseconds. */
export function logFatal(environment: Environment, path: string, at: number): void {
  const line = { kind: 'error', at, text: fatalAt(environment, path, at) } as const;
  environment.written = [...environment.written, line].slice(-maxWritten);
}
