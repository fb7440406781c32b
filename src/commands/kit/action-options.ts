/** What every action can be told besides its own fields: how it is typed, and what it means. */
export const commonOptions = {
  reason: ['--reason "…"', 'Why. It stands on the card and in the audit trail.'],
  'dry-run': ['--dry-run', 'Shows what would be sent, and sends nothing.'],
  queue: ['--queue', 'If a lock is in the way, waits for its end instead of giving up.'],
  canary: ['--canary site/environment', 'Of several, goes there first, and on only if its site is well.'],
} as const satisfies Readonly<Record<string, readonly [typed: string, means: string]>>;
