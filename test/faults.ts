type Fault = { readonly fault: string } & (
  | { readonly by: readonly string[]; readonly notYet?: never }
  | { readonly by?: never; readonly notYet: string }
);

/** What has to be survived, and which tests (by a part of their names) show it; or why none does yet. */
export const faults: Readonly<Record<number, Fault>> = {};
