/** Standard output and standard error. */
export type Out = { readonly write: (text: string) => unknown; readonly complain: (text: string) => unknown };

export const out: Out = {
  write: (text) => process.stdout.write(text),
  complain: (text) => process.stderr.write(text),
};
