/** The database cannot be relied on any more, and the process must end: the message says what was found and what to do. */
export class DatabaseLost extends Error {
  override readonly name = 'DatabaseLost';
}

/** Whether the database can still be relied on. Once it cannot, it never can again. */
export type Reliance = {
  /** Throws where it is over. */
  readonly check: () => void;
  /** Ends it, and has `onFatal` told once; what was asked for rejects. */
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
