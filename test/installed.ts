/**
 * Stands behind the name of a test that needs something of the machine: what is not installed, only where that is so.
 * The last word of a run gathers from it why tests were passed over.
 */
export const unlessThere = (what: string, isThere: boolean): string => (isThere ? '' : ` (${what} is not installed)`);
