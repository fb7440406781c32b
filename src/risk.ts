/** How much harm a change can do: from one that is easily made good to one that cannot be taken back. */
export type Risk = 'routine' | 'sensitive' | 'destructive';
