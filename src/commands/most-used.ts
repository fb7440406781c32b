/** The commands people use most; they come first. */
const mostUsed: readonly string[] = [
  'status',
  'cache clear',
  'push',
  'logs',
  'backups list',
  'allowlist add',
  'changes',
  'environments',
];

/** The eight of these commands that people use most. If there are fewer, others fill up. */
export function firstOf<T extends { readonly path: string }>(commands: readonly T[]): readonly T[] {
  const first = mostUsed.flatMap((path) => commands.find((one) => one.path === path) ?? []);
  return [...first, ...commands.filter((one) => !first.includes(one))].slice(0, mostUsed.length);
}
