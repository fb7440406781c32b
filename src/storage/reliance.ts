/** The database can't be relied on any more, so the process must end. The message says what was found and what to do. */
export class DatabaseLost extends Error {
  override readonly name = 'DatabaseLost';
}

/** Whether the database can still be relied on. Once lost, this never comes back. */
export type Reliance = {
  /** Throws `DatabaseLost` after `end`. */
  readonly check: () => void;
  /** Calls `onFatal`, the first time only, and throws `DatabaseLost`. */
  readonly end: (message: string, cause?: unknown) => never;
};

export function createReliance(onFatal: (error: DatabaseLost) => void): Reliance {
  let lost: DatabaseLost | undefined;
  const check = (): void => {
    if (lost) throw lost;
  };
  return {
    check,
    end: (message, cause) => {
      check();
      lost = new DatabaseLost(message, { cause });
      onFatal(lost);
      throw lost;
    },
  };
}
