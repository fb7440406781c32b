import { expect, test } from 'vitest';
import { Refusal } from '../../src/base/errors.ts';
import { HostTrouble } from '../../src/hosting/client.ts';
import type { TroubleKind } from '../../src/hosting/failure.ts';
import { asRefusal, troubleText } from '../../src/hosting/host-trouble.ts';
import { plain } from '../../src/words/text.ts';

/** The message after a failed read. It blames the host only for what the host did. */

test.each<[TroubleKind, number | undefined, string]>([
  ['unreachable', undefined, "I can't reach the host (tried 2 times in 3 s)."],
  ['time-out', undefined, "The host didn't answer in time (tried 2 times in 3 s)."],
  ['not found', 404, 'The host answered 404: not found.'],
  ['unauthorized', 403, 'The host answered 403: forbidden. Whoever runs Sitehand should check HOSTING_API_KEY.'],
  ['unauthorized', 401, 'The host rejected my key (401). Whoever runs Sitehand should check HOSTING_API_KEY.'],
  ['bad request', 409, 'The host answered 409: conflict.'],
  ['throttled', 429, 'The host is busy (429).'],
  [
    'no room',
    undefined,
    'The host answers only so many requests a minute, and none is free for this now. There is room again in 1 s.',
  ],
  ['no turn', undefined, 'The host is slow, and I already have too many requests waiting for it.'],
  ['server error', 502, 'The host answered 502 (tried 2 times in 3 s).'],
  ['odd answer', 200, "The host sent an answer I can't use (tried 2 times in 3 s)."],
])('%s', (kind, status, says) => {
  const failure = { kind, says: 'a phrase', ...(status !== undefined && { status }) };
  const refusal = asRefusal(new HostTrouble(failure, { attempts: 2, elapsedMs: 3_000 }), ['logs', 'a/b']);
  expect(refusal).toBeInstanceOf(Refusal);
  if (refusal instanceof Refusal) expect(plain(refusal.says)).toBe(`${says} Nothing was changed.`);
  for (const [words, stop] of [
    ['back at 5 <!channel>', '.'],
    ['Back soon!', ''],
  ] as const) {
    const told = troubleText(new HostTrouble({ ...failure, words }, { attempts: 2, elapsedMs: 3_000 }));
    expect(plain(told)).toBe(`${says} It says: “${words}”${stop}`);
  }
});
