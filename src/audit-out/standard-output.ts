import type { DeliveryResult } from '../pipeline/audit/audit-out.ts';

/** Writes the text to standard output, between lines of the log; resolves once the system has taken it. */
export const print = (text: string): Promise<DeliveryResult> =>
  new Promise((resolve) => {
    process.stdout.write(text, (error) =>
      resolve(error ? { kind: 'failed', why: 'it is closed', lasting: false } : { kind: 'taken' }),
    );
  });
