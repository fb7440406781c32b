/** Something took longer than its limit. */
export class TooLate extends Error {
  constructor(milliseconds: number) {
    super(`no answer within ${milliseconds} ms`);
  }
}

/**
 * Rejects with `TooLate` if the promise takes longer than `milliseconds`; a late result is ignored. The wait is split
 * into parts: if this process was blocked, a result that has arrived is still used.
 */
export async function within<T>(milliseconds: number, promise: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    const wait = (parts: number): void => {
      if (parts === 0) return reject(new TooLate(milliseconds));
      timer = setTimeout(() => wait(parts - 1), milliseconds / 4);
    };
    wait(4);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}
