import type { Fields } from './json-fields.ts';

/** The kinds of event in the workspace. `detail` names the channel, person, message or view. */
type EventKind =
  | 'message'
  | 'modal'
  | 'home'
  | 'file'
  | 'person'
  | 'group'
  | 'channel'
  | 'call'
  | 'delivery'
  | 'notice'
  | 'problem'
  | 'connection';

/** One event. Numbers rise by one, so that a follower notices gaps. */
export type WorkspaceEvent = { readonly number: number; readonly kind: EventKind; readonly detail: Fields };

/** The stream of everything that happens in the workspace. */
export type WorkspaceEvents = {
  emit(kind: EventKind, detail: Fields): void;
  /** Calls `listener` on every later event; the returned function unsubscribes. At most 1,000 listeners. */
  subscribe(listener: (event: WorkspaceEvent) => void): () => void;
  /** The first defined value of `probe`, which runs now and after every event; rejects after `timeoutMs`. */
  until<T>(probe: () => T | undefined, timeoutMs?: number): Promise<T>;
  /** Rejects every waiting `until`. */
  close(): void;
};

const LISTENERS = 1000;

/** A stream without listeners. */
export function createWorkspaceEvents(): WorkspaceEvents {
  const listeners = new Set<(event: WorkspaceEvent) => void>();
  const closed = new AbortController();
  let number = 0;

  function subscribe(listener: (event: WorkspaceEvent) => void): () => void {
    if (listeners.size >= LISTENERS) throw new Error(`more than ${LISTENERS} listeners`);
    listeners.add(listener);
    return () => listeners.delete(listener);
  }

  return {
    emit(kind, detail) {
      number += 1;
      const event = { number, kind, detail };
      for (const listener of listeners) listener(event);
    },
    subscribe,
    until: (probe, timeoutMs = 60_000) => firstValue(probe, subscribe, closed.signal, timeoutMs),
    close: () => closed.abort(new Error('the workspace was closed while somebody waited for an event')),
  };
}

async function firstValue<T>(
  probe: () => T | undefined,
  subscribe: WorkspaceEvents['subscribe'],
  closed: AbortSignal,
  timeoutMs: number,
): Promise<T> {
  closed.throwIfAborted();
  const already = probe();
  if (already !== undefined) return already;
  const { promise, resolve, reject } = Promise.withResolvers<T>();
  const unsubscribe = subscribe(() => {
    try {
      const value = probe();
      if (value !== undefined) resolve(value);
    } catch (error) {
      reject(error);
    }
  });
  const onClosed = (): void => reject(closed.reason);
  closed.addEventListener('abort', onClosed);
  const late = new Error(`nothing fitting happened in ${timeoutMs} ms: ${probe.toString()}`);
  const timer = setTimeout(() => reject(late), timeoutMs);
  try {
    return await promise;
  } finally {
    unsubscribe();
    clearTimeout(timer);
    closed.removeEventListener('abort', onClosed);
  }
}
