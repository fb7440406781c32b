import type { IncomingMessage, ServerResponse } from 'node:http';
import { silenceMs } from '../base/connections.ts';

/** Answers that clients have not taken yet: how long they wait, and how much of them. */

/** A report on many environments takes two minutes at most. */
const answerMs = 150_000;
/** In bytes, of all answers together. The longest has some four million. */
const mostUntaken = 64 * 1024 * 1024;

/** An answer under way. */
export type Answering = {
  /** Resolves once it has been taken whole, or its connection is gone. */
  readonly taken: Promise<void>;
  /** For a caller that has proved itself: until there is something to take, silence does not end the connection. */
  readonly wait: () => void;
};

export type Answers = {
  readonly follow: (request: IncomingMessage, response: ServerResponse) => Answering;
  /** Ends the connections that have waited longest, until the rest is not too much. */
  readonly bound: () => void;
};

export function createAnswers(most = mostUntaken): Answers {
  /** Oldest first. */
  const open = new Set<ServerResponse>();
  return {
    follow: (request, response) => {
      const { socket } = request;
      open.add(response);
      const taken = new Promise<void>((resolve) => {
        const end = (): void => {
          open.delete(response);
          socket.off('close', end);
          resolve();
        };
        response.once('close', end);
        // That of an answer whose turn has not come may never be told.
        socket.once('close', end);
      });
      return { taken, wait: () => outliveSilence(response) };
    },
    bound: () => {
      let untaken = [...open].reduce((all, { writableLength }) => all + writableLength, 0);
      for (const response of open) {
        if (untaken <= most) return;
        untaken -= response.writableLength;
        if (response.writableLength > 0) response.destroy();
      }
    },
  };
}

/** Node says `timeout` once nothing has moved on the connection for `silenceMs`, and would end it. */
function outliveSilence(response: ServerResponse): void {
  if (response.listenerCount('timeout') > 0) return;
  let silentMs = 0;
  response.on('timeout', () => {
    silentMs += silenceMs;
    if (response.writableLength > 0 || silentMs >= answerMs) response.destroy();
    else response.setTimeout(silenceMs);
  });
}
