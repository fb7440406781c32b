import { Fault, Refusal, type Words } from '../../errors.ts';
import { HostTrouble } from '../../hosting/client.ts';
import { say, type Text } from '../../text.ts';
import { spoken } from './replies.ts';

/** A failed read as an error for people: host trouble becomes a `Refusal`, any other error a `Fault`. */
export function asRefusal(error: unknown, again: Words): Refusal | Fault {
  if (error instanceof Refusal || error instanceof Fault) return error;
  if (!(error instanceof HostTrouble)) return new Fault('reading from the host', error);
  return new Refusal(say`${inWords(error)} Nothing was changed.`, { offers: [{ label: 'Try again', words: again }] });
}

/** What is wrong with the host, as a sentence. */
export function inWords(trouble: HostTrouble): Text {
  const attempts = trouble.attempts > 1 ? ` ${trouble.attempts} times in ${spoken(trouble.elapsedMs)}` : '';
  switch (trouble.kind) {
    case 'unreachable':
      return say`I cannot reach the host${attempts && ` (tried${attempts})`}.`;
    case 'time-out':
      return say`The host did not answer in time${attempts && ` (tried${attempts})`}.`;
    case 'not found':
      return say`The host says this is gone, or my key may not see it (404).`;
    case 'unauthorised':
      return say`The host does not take my key (${trouble.status}). Whoever runs me has to look at HOSTING_API_KEY.`;
    case 'bad request':
      return say`The host calls the request malformed (${trouble.status}).`;
    case 'throttled':
      return say`The host is busy (429).`;
    case 'no turn':
      return say`I have too many questions open at the host, which is slow to answer.`;
    case 'server error':
      return say`The host answered ${trouble.status}${attempts}.`;
    case 'odd answer':
      return say`The host answered something I cannot read${attempts}.`;
  }
}
