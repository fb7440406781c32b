/** Log names that people type, and the host's names for them. */
export const logFiles = { error: 'error', access: 'access', cache: 'service-cache-perf' } as const;
