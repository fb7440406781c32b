import { inject, vi } from 'vitest';

declare global {
  /** The mutant of the run before, in this thread. */
  var mutantBefore: string | undefined;
}

declare module 'vitest' {
  /** What StrykerJS tells its tests. */
  interface ProvidedContext {
    /** The name under which it keeps which mutant is in force. */
    globalNamespace: string;
    activeMutant: string | undefined;
    /** `static`: in force already while our modules are loaded. */
    mutantActivation: 'static' | 'runtime' | undefined;
  }
}

// A thread serves many mutants: what the one before has left in our modules must not decide about this one.
const mutant = inject('activeMutant');
if (mutant !== globalThis.mutantBefore) vi.resetModules();
globalThis.mutantBefore = mutant;
const kept: unknown = Reflect.get(globalThis, inject('globalNamespace'));
if (typeof kept === 'object' && kept !== null && inject('mutantActivation') !== 'static') {
  Reflect.set(kept, 'activeMutant', undefined);
}
