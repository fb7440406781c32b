/**
 * Appended to the name of a test that needs something on the machine: names it if it is not installed. The end of a run
 * reports from it why tests were skipped.
 */
export const skipNote = (what: string, isThere: boolean): string => (isThere ? '' : ` (${what} is not installed)`);
