/** One replica's share of what Slack or the host allows all replicas together: a whole number, at least 1. */
export const shareOf = (whole: number, replicas: number): number => Math.max(1, Math.floor(whole / replicas));
