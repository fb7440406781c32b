/** One replica's share of what Slack or the host gives all of them together: a whole number, and at least 1. */
export const shareOf = (whole: number, replicas: number): number => Math.max(1, Math.floor(whole / replicas));
