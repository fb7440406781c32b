/**
 * Milliseconds of CPU time that this thread spent on `work`, independent of the load on the machine, so that a slow
 * algorithm shows and a busy machine does not.
 */
export function cpuTime(work: () => unknown): number {
  const began = process.threadCpuUsage();
  work();
  return since(began);
}

/** The same for asynchronous work; nothing else may run in this thread meanwhile. */
export async function cpuTimeOf(work: () => Promise<unknown>): Promise<number> {
  const began = process.threadCpuUsage();
  await work();
  return since(began);
}

function since(began: NodeJS.CpuUsage): number {
  const { user, system } = process.threadCpuUsage(began);
  return (user + system) / 1_000;
}
