/** Standard output and standard error. */
export type Out = { readonly write: (text: string) => unknown; readonly complain: (text: string) => unknown };

/**
 * Exit codes of these programs: all is fine; something needs a look; nothing was done, because of wrong words or
 * settings; something is unknown, and nothing is worse; Ctrl-C.
 */
export const exitCodes = { fine: 0, look: 1, wrong: 2, unknown: 3, interrupted: 130 } as const;

export const out: Out = {
  write: (text) => process.stdout.write(text),
  complain: (text) => process.stderr.write(text),
};
