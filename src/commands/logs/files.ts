/** The logs by the names people use, as the host's document names them. */
export const files = { error: 'error', access: 'access', cache: 'service-cache-perf' } as const;
