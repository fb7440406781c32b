/**
 * Milliseconds that this thread computed while `work` ran, whatever else the machine had to do meanwhile: what takes
 * longer than its length must be seen on a busy machine, and what does not must not be taken for it there.
 */
export function worked(work: () => unknown): number {
  const began = process.threadCpuUsage();
  work();
  return since(began);
}

/** The same of something that is waited for; nothing else may run in this thread meanwhile. */
export async function workedUntil(work: () => Promise<unknown>): Promise<number> {
  const began = process.threadCpuUsage();
  await work();
  return since(began);
}

function since(began: NodeJS.CpuUsage): number {
  const { user, system } = process.threadCpuUsage(began);
  return (user + system) / 1_000;
}
