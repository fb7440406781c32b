import { STATUS_CODES } from 'node:http';
import { spokenDuration } from '../words/duration.ts';
import { Fault, Refusal, type Args } from '../base/errors.ts';
import { HostTrouble } from '../hosting/client.ts';
import { say, type Text } from '../words/text.ts';

/** A failed read as an error for people: host trouble becomes a `Refusal`, any other error a `Fault`. */
export function asRefusal(error: unknown, again: Args): Refusal | Fault {
  if (error instanceof Refusal || error instanceof Fault) return error;
  if (!(error instanceof HostTrouble)) return new Fault('reading from the host', error);
  return new Refusal(say`${troubleText(error)} Nothing was changed.`, {
    offers: [{ label: 'Try again', args: again }],
    isLater: true,
  });
}

/** Something broke that is not the host's, and the log says what. */
export const brokenHere = say`Something broke on my side; my log says more.`;

/** Why something could not be read. `doing`: what the log says about an error that is not the host's. */
export function whyUnread(
  { onTrouble }: { readonly onTrouble: (what: string, error: unknown) => void },
  doing: string,
  error: unknown,
): Text {
  if (error instanceof HostTrouble) return troubleText(error);
  onTrouble(doing, error);
  return brokenHere;
}

/** A status as the host gave it, with its standard name, from which alone nothing follows: `404: not found`. */
export const statusInWords = (status: number): string =>
  [status, STATUS_CODES[status]?.toLowerCase()].filter((part) => part !== undefined).join(': ');

/** The host's own words as a sentence to follow another; empty without any. */
export const hostSays = (words = ''): Text =>
  words === '' ? [] : say` It says: “${words}”${/[.!?…]$/.test(words) ? '' : '.'}`;

/** What is wrong with the host, as a sentence, and what it says itself. */
export const troubleText = (trouble: HostTrouble): Text => say`${troubleSentence(trouble)}${hostSays(trouble.words)}`;

function troubleSentence(trouble: HostTrouble): Text {
  const { attempts, elapsedMs, status = 0 } = trouble;
  const answered = say`The host answered ${statusInWords(status)}.`;
  const tried = attempts > 1 ? ` (tried ${attempts} times in ${spokenDuration(elapsedMs)})` : '';
  switch (trouble.kind) {
    case 'unreachable':
      return say`I can't reach the host${tried}.`;
    case 'time-out':
      return say`The host didn't answer in time${tried}.`;
    case 'not found':
    case 'bad request':
      return answered;
    case 'unauthorized':
      return say`${trouble.status === 401 ? 'The host rejected my key (401).' : answered} Whoever runs Sitehand should check HOSTING_API_KEY.`;
    case 'throttled':
      return say`The host is busy (429).`;
    case 'no room':
      return say`The host answers only so many requests a minute, and none is free for this now. There is room again in ${spokenDuration(trouble.retryAfterMs ?? 0)}.`;
    case 'no turn':
      return say`The host is slow, and I already have too many requests waiting for it.`;
    case 'server error':
      return say`The host answered ${status}${tried}.`;
    case 'odd answer':
      return say`The host sent an answer I can't use${tried}.`;
  }
}
