/** How much harm a change can do, from easy to repair to impossible to undo. */
export type Risk = 'routine' | 'sensitive' | 'destructive';
