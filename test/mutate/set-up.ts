import { inject, vi } from 'vitest';

declare global {
  /** The mutant of the previous run in this thread. */
  var mutantBefore: string | undefined;
}

declare module 'vitest' {
  /** What StrykerJS provides to its tests. */
  interface ProvidedContext {
    /** The name under which it keeps the active mutant. */
    globalNamespace: string;
    activeMutant: string | undefined;
    /** `static`: already active while our modules are loaded. */
    mutantActivation: 'static' | 'runtime' | undefined;
  }
}

// A thread serves many mutants. The state that the previous one left in our modules must not affect this one.
const mutant = inject('activeMutant');
if (mutant !== globalThis.mutantBefore) vi.resetModules();
globalThis.mutantBefore = mutant;
const kept: unknown = Reflect.get(globalThis, inject('globalNamespace'));
if (typeof kept === 'object' && kept !== null && inject('mutantActivation') !== 'static') {
  Reflect.set(kept, 'activeMutant', undefined);
}
