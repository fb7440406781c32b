import { newKey } from '../api/authenticate.ts';
import { exitCodes, out, type Out } from './output.ts';

/** Makes the key of a caller. It is printed once, and nothing keeps it. Resolves with the exit code. */
export function caller(words: readonly string[], { write, complain }: Out = out): number {
  if (words.join(' ') !== 'new') {
    complain('Use caller new. Nothing was made.\n');
    return exitCodes.wrong;
  }
  const { key, hash } = newKey();
  write(
    `The key, for the program that asks. It is shown only now:\n\n  ${key}\n\nIts hash, for \`keys\` of that caller in the policy file:\n\n  ${hash}\n`,
  );
  return exitCodes.fine;
}
