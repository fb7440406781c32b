/**
 * Exit codes of these programs: all is fine; something needs a look; nothing was done, because of wrong words or
 * settings; something is unknown, and nothing is worse; Ctrl-C.
 */
export const exitCodes = { fine: 0, look: 1, wrong: 2, unknown: 3, interrupted: 130 } as const;

/** What the audit trail proves, as an exit code. */
export const exitCodeOf = { proven: exitCodes.fine, altered: exitCodes.look, unproven: exitCodes.unknown } as const;
