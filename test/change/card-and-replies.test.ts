import { describe, expect, test } from 'vitest';
import { renderCard, type Approved, type Card } from '../../src/change/card.ts';
import { decisionButtons } from '../../src/change/buttons.ts';
import { markOf, stateText } from '../../src/change/states-and-events.ts';
import { detailsOfChange } from '../../src/change/call-details.ts';
import { escalation, reminder } from '../../src/change/asked-in.ts';
import * as tell from '../../src/change/replies.ts';
import { evidence, noEvidence } from '../../src/change/unknown-replies.ts';
import type { Receipt } from '../../src/hosting/client.ts';
import type { State } from '../../src/words/states.ts';
import { joined, link, mention, plain, say, type Text } from '../../src/words/text.ts';
import type { AskedRequirement } from '../../src/access/authorization.ts';
import { changeAnswer } from '../../src/api/answers.ts';
import { approvalIn } from '../../src/api/client.ts';
import type { Change } from '../../src/storage/changes.ts';
import { buttonValue } from '../../src/block-kit/button-value.ts';
import { changeOf, chi, dee, fay, live, staging } from '../fixtures.ts';

const marks: Readonly<Record<State, string>> = {
  waiting: '⏳',
  approved: '👍',
  sending: '▶️',
  accepted: '▶️',
  done: '✅',
  happened: '✅',
  failed: '❌',
  rejected: '❌',
  did_not_happen: '❌',
  unknown: '⚠️',
  declined: '⛔',
  expired: '⛔',
  cancelled: '⛔',
  invalidated: '⛔',
  superseded: '⛔',
  running: '▶️',
  stopped: '✋',
  ended: '⛔',
};
const cardOf = (change: Change, approved: readonly Approved[] = []): Card => renderCard(change, approved, 'f00d');
const waiting = (people: readonly string[], more: Partial<Change> = {}, count = 1): Change =>
  changeOf({
    state: 'waiting',
    expires_at: 60_000,
    authorization: JSON.stringify({
      approval: 'none',
      rules: [],
      policy: 'p',
      asks: [{ count, people, names: people, groups: ['leads'] }],
    }),
    ...more,
  });
test('the reason of a change has the links that were found when it was asked for', () => {
  const line = (more: object, reason: string | null = 'for SHOP-12: sale'): unknown =>
    cardOf(waiting([], { reason, authorization: JSON.stringify({ rules: [], policy: 'p', ...more }) })).lines[0];
  const url = 'https://t.example/SHOP-12';
  const needed = { requirements: [], expires: 1 };
  expect(line({ approval: { ...needed, reason: [{ match: 'x' }] }, links: [{ from: 4, to: 11, url }] })).toEqual(
    say`Asked by ${mention('U01ANA')} · “for ${link('SHOP-12', url)}: sale”`,
  );
  // As older versions have stored them.
  for (const reason of ['required', 'optional'])
    expect(line({ approval: { ...needed, reason } })).toEqual(say`Asked by ${mention('U01ANA')} · “for SHOP-12: sale”`);
  expect(line({ approval: 'none' }, null)).toEqual(say`Asked by ${mention('U01ANA')}`);
});

const emoji = /\p{Extended_Pictographic}/gu;

const states = [
  'waiting',
  'approved',
  'sending',
  'accepted',
  'done',
  'happened',
  'failed',
  'rejected',
  'did_not_happen',
  'unknown',
  'declined',
  'expired',
  'cancelled',
  'invalidated',
  'superseded',
] as const;

describe.each(states)('a change that is %s', (name) => {
  const change = changeOf({ state: name });
  const mark = marks[name];

  test('has its mark, only this one, and a sentence', () => {
    const card = cardOf(change);
    expect(markOf(change)).toBe(mark);
    expect(card.mark).toBe(mark);
    const lines = card.lines.map(plain);
    expect(lines[1]).toMatch(/^[A-Z].*\.$/);
    expect([plain(card.headline), ...lines].join(' ').match(emoji)).toBeNull();
    expect(plain(stateText(change))).not.toMatch(/!|oops/i);
  });

  test('is described as done only when it is', () => {
    const done = name === 'done' || name === 'happened';
    expect(plain(cardOf(change).headline)).toBe(`${done ? 'Cleared' : 'Clear'} the cache of acme-shop/live · #1042`);
  });

  test('says that nothing was sent exactly if nothing was', () => {
    const nothing = ['declined', 'expired', 'cancelled', 'invalidated', 'superseded'].includes(name);
    expect(plain(stateText(change)).includes('nothing was sent')).toBe(nothing);
  });
});

describe('the card', () => {
  const linesOf = (more: Parameters<typeof changeOf>[0]): string => cardOf(changeOf(more)).lines.map(plain).join('\n');

  test('says who asked and why, and for which timer', () => {
    expect(linesOf({ reason: 'release\n42' })).toContain('Asked by @U01ANA · “release 42”');
    const authorization = JSON.stringify({ approval: 'none', rules: [], policy: 'p', timerOf: 7 });
    expect(linesOf({ authorization })).toContain('by the timer of #7');
  });
  test('says when the next try is', () => {
    expect(linesOf({ attempts: 1, due_at: 60_000 })).toContain("I'll try again at 00:01 UTC");
    expect(linesOf({ cools_down: 0 })).toContain('Not sent yet.');
    expect(linesOf({ cools_down: 1 })).toContain('Not sent yet: it can still be stopped.');
  });
  test('shows the final result, and for an unknown outcome why, what to check, and from when it can be closed', () => {
    expect(linesOf({ state: 'done', settled_at: 2, last_note: JSON.stringify(say`It is so.`) })).toContain('It is so.');
    expect(linesOf({ state: 'unknown', sent_at: 1, last_note: JSON.stringify(say`Nobody knows.`) })).toMatch(
      /Nobody knows\. Please check acme-shop\/\w+ in the host's panel\. It can be closed from 00:\d\d UTC\.$/,
    );
    expect(linesOf({ state: 'accepted', settled_at: 2 })).toContain('cannot be verified from here');
    expect(markOf(changeOf({ state: 'accepted', settled_at: 2, last_note: null }))).toBe('☑️');
  });
  test('warns by its mark if its note begins with a warning, whatever a path in it holds', () => {
    const markWith = (state: 'done' | 'accepted', note: Text) =>
      markOf(changeOf({ state, settled_at: 2, last_note: JSON.stringify(note) }));
    expect(markWith('done', say`⚠️ It is still open.`)).toBe('⚠️');
    expect(markWith('accepted', say`⚠️ It is still open.`)).toBe('⚠️');
    expect(markWith('done', say`acme has the redirect ${'/⚠️'}`)).toBe('✅');
  });
  test('keeps, once it is done, its title, who asked and approved, and the outcome; a batch says of what', () => {
    const approved = [{ person: chi.id, at: 0 }];
    const done = { state: 'done', settled_at: 2, reason: 'release 42' } as const;
    const factsOf = (more: Parameters<typeof changeOf>[0]): readonly string[] =>
      cardOf(changeOf(more), approved).facts.map(([label]) => label);
    expect(factsOf(done)).toEqual(['Approved by']);
    expect(factsOf({ ...done, state: 'happened' })).toEqual(['Approved by']);
    expect(factsOf({ ...done, state: 'failed' })).toEqual(['Clears', 'Approved by']);
    expect(factsOf({ ...done, progress: '{}' })).toEqual(['Clears', 'Approved by']);
  });
  test('shows no fingerprint and no ids: the history and the full view do', () => {
    const of = changeOf({ targets: JSON.stringify([live, staging]) });
    expect(cardOf(of).facts.map(([label]) => label)).toEqual(['Clears']);
    const full = plain(
      joined(
        detailsOfChange(of, []).lines.map(({ text }) => text),
        '\n',
      ),
    );
    expect(full).toContain(`Fingerprint: ${of.fingerprint}`);
    expect(full).toContain(`Target: acme-shop/live environment:${live.id}`);
    expect(full).toContain(`Reads: acme-shop/staging environment:${staging.id}`);
  });

  test.each<[string, Change, readonly Approved[], readonly (readonly [string, string])[]]>([
    ['who may approve', waiting([chi.id, dee.id]), [], [['Approve', '@U03CHI or @U04DEE, until 00:01 UTC']]],
    [
      'who still may, and who did',
      waiting([chi.id, dee.id]),
      [{ person: chi.id, at: 0 }],
      [
        ['Approve', '@U04DEE, until 00:01 UTC'],
        ['Approved by', '@U03CHI, 00:00 UTC'],
      ],
    ],
    [
      'their group, and that nobody in it can',
      waiting([]),
      [],
      [['Approve', 'leads, until 00:01 UTC. Nobody can approve it right now.']],
    ],
    [
      'who can, and that they are too few',
      waiting([chi.id], {}, 2),
      [],
      [['Approve', '2 of @U03CHI, until 00:01 UTC. Too few people can approve it right now.']],
    ],
    [
      'who did, once it is approved',
      waiting([chi.id], { state: 'approved' }),
      [
        { person: chi.id, at: 0 },
        { person: fay.id, at: 60_000 },
      ],
      [['Approved by', '@U03CHI, 00:00 UTC; @U05FAY, 00:01 UTC']],
    ],
    ['nobody, if nobody was asked', changeOf(), [], []],
  ])('shows %s', (_, change, approved, lines) => {
    const facts = cardOf(change, approved).facts.map(([label, value]) => [label, plain(value)]);
    expect(facts.filter(([label]) => label?.startsWith('Approve'))).toEqual(lines);
  });
});

describe('the buttons of a card', () => {
  const labels = (more: Partial<Change>): readonly string[] =>
    decisionButtons(changeOf(more), 'f00d').map(({ label }) => label);

  test.each<[string, Partial<Change>, readonly string[]]>([
    ['waiting', { state: 'waiting' }, ['Approve', 'Decline…', 'Cancel']],
    ['approved', { state: 'approved' }, ['Cancel']],
    ['approved, with time to stop it', { state: 'approved', cools_down: 1 }, ['Stop']],
    ['unknown', { state: 'unknown' }, ['It happened', 'It did not happen']],
    ['sending', { state: 'sending' }, []],
    ['accepted', { state: 'accepted' }, []],
    ['accepted and over', { state: 'accepted', settled_at: 2 }, []],
    ['done', { state: 'done', settled_at: 2 }, []],
    ['declined', { state: 'declined', settled_at: 2 }, []],
  ])('%s', (_, more, expected) => expect(labels(more)).toEqual(expected));

  test('carry the installation, the number and the version, and a confirm dialog', () => {
    const [approve] = decisionButtons(waiting([], { version: 3, cools_down: 1 }), 'f00d');
    expect(approve?.press).toEqual({
      kind: 'decision',
      verdict: 'approve',
      installation: 'f00d',
      number: 1042,
      version: 3,
    });
    expect(approve?.confirm?.title).toBe('Approve #1042?');
    expect(plain(approve?.confirm?.says ?? [])).toBe(
      'Clear the cache of acme-shop/live\nThen it can be stopped for ten seconds.',
    );
  });

  test('closing an unknown outcome asks what was seen at the host, and does not sound like sending it', () => {
    const asks = decisionButtons(changeOf({ state: 'unknown' }), 'f00d').map(({ confirm }) =>
      plain(confirm?.says ?? []),
    );
    const closes = 'This closes the change and frees what it locked. It sends nothing.';
    expect(asks).toEqual([
      `#1042 · Clear the cache of acme-shop/live\nYou checked the host and saw that it was done. ${closes}`,
      `#1042 · Clear the cache of acme-shop/live\nYou checked the host and saw no sign of it. ${closes}`,
    ]);
  });
});

describe('an approval that escalates', () => {
  const asking = (ask: Partial<AskedRequirement>, more: Partial<Change> = {}): Change => {
    const asks = [{ count: 1, people: ['Chi'], names: ['Chi'], groups: ['leads'], ...ask }];
    const authorization = JSON.stringify({ approval: 'none', rules: [], policy: 'p', asks });
    return waiting([], { created_at: 0, expires_at: 3_600_000, authorization, ...more });
  };
  const escalate = { after: 840_001, to: ['heads', 'owners'] };

  test.each<[string, Partial<Change>, string]>([
    ['from which minute on', {}, ' (from 00:15 UTC also heads or owners)'],
    ['nothing of it, if it would end before', { expires_at: 840_001 }, ''],
  ])('says %s others can approve it too: card, request, reminder and details', (_, more, also) => {
    const change = asking({ escalate }, more);
    const until = more.expires_at === undefined ? '01:00' : '00:14';
    const details = detailsOfChange(change, []).lines.map(({ text }) => plain(joined([text])));
    expect(cardOf(change).facts.map(([, value]) => plain(value))).toContain(`@Chi${also}, until ${until} UTC`);
    expect(plain(joined([tell.asked(change)?.text]))).toBe(
      `@Chi${also}: this is waiting for your approval until ${until} UTC.`,
    );
    expect(plain(joined([reminder(change, []).text]))).toContain(`@Chi${also}: this is still waiting`);
    expect(details).toContain(`Asked to approve: 1 of @Chi${also}`);
  });

  test('is told to programs', () => {
    const answer = changeAnswer(asking({ escalate }), [], []);
    const from = '1970-01-01T00:14:00.001Z';
    expect(answer.waits_for).toEqual([{ count: 1, of: ['leads'], also: { from, of: ['heads', 'owners'] } }]);
    expect(approvalIn(answer)).toBe(`1 of leads (from ${from} also heads, owners), until ${answer.expires_at}`);
  });

  const also = 'this is still waiting, and you can approve it too now, until 01:00 UTC.';
  const people = ['Chi', 'Fay', 'Gil'];
  test.each<[string, Partial<AskedRequirement>, Partial<AskedRequirement>, string]>([
    ['whoever is new', {}, { people, names: people }, `@Fay or @Gil: ${also}`],
    [
      'one of them, however many are needed',
      { count: 2 },
      { count: 2, people, names: people },
      `@Fay or @Gil: ${also}`,
    ],
    ['nobody twice', { unsure: ['Gil'] }, { people, names: people }, `@Fay: ${also}`],
    ['a user group that Slack does not show', {}, { userGroups: ['S0HEADS'] }, `@S0HEADS: ${also}`],
    ['no such group twice', { userGroups: ['S0A'] }, { userGroups: ['S0A', 'S0B'] }, `@S0B: ${also}`],
    ['whoever Slack does not describe', {}, { unsure: ['Gil'] }, `@Gil: ${also}`],
    ['nobody', {}, {}, 'From now on heads or owners can approve it too, but nobody there can right now.'],
  ])('asks %s', (_, before, now, words) => {
    const ask = { count: 1, people: ['Chi'], names: ['Chi'], groups: ['leads'], ...before };
    expect(plain(escalation(asking(now), [{ ...ask, escalate }]))).toBe(`⏫ ${words}`);
    // What does not escalate asks nobody anew.
    expect(plain(escalation(asking(now), [{ ...ask, escalate }, ask]))).toBe(`⏫ ${words}`);
  });
});

test('a change that is sent at once is not announced: the next reply says that it was sent', () => {
  expect(tell.asked(changeOf())).toBeUndefined();
});

test('Ask again keeps the reason, also if a word looks like an option', () => {
  const pressOf = (args: readonly string[], reason: string | null) =>
    tell.againButton(changeOf({ args: JSON.stringify(args), reason })).press;
  expect(pressOf(['cache', 'clear', live.id], null)).toMatchObject({ args: ['cache', 'clear', live.id] });
  expect(pressOf(['cache', 'clear', live.id], 'release 42')).toMatchObject({
    args: ['cache', 'clear', live.id, '--reason=release 42'],
  });
  expect(pressOf(['dns', 'set', '--', 'acme.com', '--x'], 'a')).toMatchObject({
    args: ['dns', 'set', '--reason=a', '--', 'acme.com', '--x'],
  });
});

test('Ask again leaves out a reason that would not fit into its button as Slack gets it', () => {
  const { press } = tell.againButton(changeOf({ reason: '&'.repeat(500) }));
  expect(buttonValue(press).length).toBeLessThan(2_000);
});

describe('the sentences of a thread', () => {
  const change = changeOf({ sent_at: 60_000, operation: 'op-1' });
  const askedTwice = changeOf({ lost_at: 60_000 });
  const receipt = (of: Receipt): Text => tell.answered(of, change);
  const all: readonly (readonly [string, Text, string])[] = [
    [
      'asked, with time to stop it',
      tell.asked(changeOf({ cools_down: 1 }))?.text ?? say``,
      'No approval is needed. Sending in 10 s.',
    ],
    [
      'waiting',
      tell.asked(waiting([chi.id]))?.text ?? say``,
      '@U03CHI: this is waiting for your approval until 00:01 UTC.',
    ],
    [
      'reminded',
      reminder(waiting([chi.id, dee.id]), [chi.id]).text,
      '⏳ @U04DEE: this is still waiting for your approval, until 00:01 UTC.',
    ],
    ['counted', tell.approvalCounted(chi.id, { left: 1 }).text, 'Approved by @U03CHI. One more approval is needed.'],
    [
      'counted, with a note',
      tell.approvalCounted(chi.id, { left: 1, note: 'after\nthe sale <!here>' }).text,
      'Approved by @U03CHI: “after the sale <!here>”. One more approval is needed.',
    ],
    [
      'counted, two left',
      tell.approvalCounted(chi.id, { left: 2 }).text,
      'Approved by @U03CHI. 2 more approvals are needed.',
    ],
    ['approved', tell.approved(change, chi.id, undefined).text, 'Approved by @U03CHI. Sending it now.'],
    [
      'approved while programs are paused',
      tell.approved(change, chi.id, 'callers').text,
      'Approved by @U03CHI. Programs are paused. It will be sent after resume callers, if it is still valid then.',
    ],
    [
      'approved, with time to stop it',
      tell.approved(changeOf({ cools_down: 1 }), chi.id, undefined).text,
      'Approved by @U03CHI. Sending in 10 s.',
    ],
    [
      'declined',
      tell.ended(change, 'Declined', mention(fay.id), 'no <!here>'),
      'Declined by @U05FAY: “no <!here>”. Nothing was sent.',
    ],
    ['stopped', tell.ended(change, 'Stopped', mention(fay.id)), 'Stopped by @U05FAY. Nothing was sent.'],
    ['closed', tell.closed(true, mention(chi.id)), '@U03CHI says it happened.'],
    ['closed as not happened', tell.closed(false, mention(chi.id)), '@U03CHI says it did not happen.'],
    [
      'accepted',
      receipt({ kind: 'accepted', status: 202, operation: 'op-1', immediate: false }),
      'Sent. The host accepted it.',
    ],
    [
      '401',
      receipt({ kind: 'rejected', status: 401 }),
      'The host rejected it (401: unauthorized). Nothing was changed.',
    ],
    ['403', receipt({ kind: 'rejected', status: 403 }), 'The host rejected it (403: forbidden). Nothing was changed.'],
    ['404', receipt({ kind: 'rejected', status: 404 }), 'The host rejected it (404: not found). Nothing was changed.'],
    [
      '400 with words',
      receipt({ kind: 'rejected', status: 400, message: 'no <!channel>' }),
      'The host rejected it (400: bad request). Nothing was changed. It says: “no <!channel>”.',
    ],
    ['419', receipt({ kind: 'rejected', status: 419 }), 'The host rejected it (419). Nothing was changed.'],
    ['429', receipt({ kind: 'throttled', retryAfterMs: 1 }), 'The host is busy (429) and took nothing.'],
    [
      '429 with words',
      receipt({ kind: 'throttled', retryAfterMs: 1, message: 'wait' }),
      'The host is busy (429) and took nothing. It says: “wait”.',
    ],
    [
      'unknown with words',
      receipt({ kind: 'unknown', why: 'the host answered 409', message: 'another one runs' }),
      "Outcome unknown. I sent it at 00:01 UTC, and the host answered 409. It says: “another one runs”. It may or may not have happened. I won't send it again.",
    ],
    [
      'unknown',
      receipt({ kind: 'unknown', why: 'the host answered 500' }),
      "Outcome unknown. I sent it at 00:01 UTC, and the host answered 500. It may or may not have happened. I won't send it again.",
    ],
    [
      'orphaned',
      tell.orphaned(change),
      "Outcome unknown. I began to send this at 00:01 UTC and have no answer on record. It may or may not have happened. I won't send it again.",
    ],
    [
      'evidence for',
      evidence({ says: say`it is there`, verdict: 'yes' }),
      'Read back: it is there. So it probably happened, but somebody else may have done it.',
    ],
    [
      'evidence against',
      evidence({ says: say`it is not`, verdict: 'no' }),
      "Read back: it is not. So it probably didn't happen, but it could still be on its way.",
    ],
    [
      'evidence that can not be read in full',
      evidence({ says: say`it may be there`, verdict: 'not yet', isUnclear: true }),
      "Read back: it may be there. I can't compare all that the host listed before and lists now, so that doesn't show whether it happened.",
    ],
    ['no evidence', noEvidence, 'Nothing I can read shows whether it happened.'],
    ['finished', tell.finished('host', 134_000), 'Done after 2 min 14 s: the host reports it finished.'],
    ['proven', tell.finished({ proof: say`It is there` }, 2_000), 'It is there: confirmed 2 s later.'],
    [
      'left',
      tell.unverified(changeOf(), 'not followed'),
      'Accepted by the host. The host does not say when it is finished.',
    ],
    [
      'left without proof',
      tell.unverified(changeOf(), 'no proof'),
      'Accepted by the host. This cannot be verified from here.',
    ],
    [
      'left running',
      tell.unverified(changeOf(), 'never finished'),
      "Accepted by the host. After an hour the host still says it's running, so I've stopped asking. Please check the host's panel.",
    ],
    [
      'left disproven',
      tell.unverified(changeOf(), { proof: say`not there` }),
      "Accepted by the host. Read back: not there. I don't know why.",
    ],
    ['failed', tell.failed('out of disk'), 'The host reports that it failed. It says: “out of disk”.'],
    [
      'lost',
      tell.lostSight('does not know it'),
      "Outcome unknown. The host accepted it, and does not know it. I won't send it again.",
    ],
    ['not sent', tell.notSent(change, say`It is too late.`, ['help']).text, '⛔ Nothing was sent. It is too late.'],
    [
      'asked again',
      tell.askedAgain(waiting([chi.id, dee.id]), say`It was promoted.`, 60_000).reply?.text ?? [],
      "⏳ @U03CHI or @U04DEE: I'm asking again, and earlier approvals no longer count. It was promoted. This may have been done already: please compare acme-shop/live with the host's panel first. It waits for your approval until 00:01 UTC.",
    ],
    [
      'asked again, and declined',
      tell.ended(askedTwice, 'Declined', mention(chi.id), 'it is there'),
      'Declined by @U03CHI: “it is there”. Nothing was sent since I asked again (1970-01-01 00:01 UTC), but it may have been done before.',
    ],
    [
      'asked again, and in vain',
      tell.notSent(askedTwice, say`It wasn't approved in time.`, undefined).text,
      "⛔ Nothing was sent since I asked again (1970-01-01 00:01 UTC), but it may have been done before. It wasn't approved in time.",
    ],
    [
      'set back, without approval',
      tell.unknownAfterSetBack(say`It was promoted.`),
      "Outcome unknown. It was promoted. This may have been sent already. I won't send it again.",
    ],
    [
      'set back, by a timer',
      tell.leftToTimer(say`It was promoted.`, 3).reply?.text ?? [],
      "⛔ It was promoted. This may have been done already, so I've ended it. The timer of #3 reads the list again first, and takes off only what is still on it.",
    ],
    [
      'trying again',
      tell.tryingAgain(say`No connection.`, 60_000),
      "No connection. Nothing was sent. I'll try again at 00:01 UTC.",
    ],
  ];
  test.each(all)('%s', (_, text, sentence) => {
    expect(plain(text)).toBe(sentence);
    expect(plain(text)).not.toMatch(/oops|sorry/i);
    expect(plain(text).match(emoji)?.length ?? 0).toBeLessThanOrEqual(1);
  });

  test.each([
    ['waiting', 'It locks nothing: others can change acme-shop/live meanwhile.'],
    ['approved', 'acme-shop/live stays locked. acme-shop/staging, which it reads, stays locked for an hour.'],
  ] as const)('an outcome that became unknown while it was %s says what is locked', (state, says) => {
    const { reply } = tell.alarm(
      changeOf({ state, risk: 'destructive', targets: JSON.stringify([live, staging]), sent_at: 0 }),
      say`Outcome unknown.`,
    );
    expect(plain(reply?.text ?? [])).toContain(says);
  });

  test('a quote of the host is never markup', () => {
    const text = tell.failed('**bold**');
    expect(text.every((span) => !('style' in span))).toBe(true);
  });

  test('an unsent change can be asked for again, if possible', () => {
    expect(tell.notSent(changeOf(), say`x`, ['help']).buttons?.map(({ label }) => label)).toEqual(['Ask again']);
    expect(tell.notSent(changeOf(), say`x`, undefined).buttons).toEqual([]);
  });

  test('a change that is asked again warns before it is approved', () => {
    const question = (more: Partial<Change>): string =>
      plain(decisionButtons(waiting([chi.id], more), 'f00d')[0]?.confirm?.says ?? []);
    expect(question({})).not.toContain('done already');
    expect(question({ lost_at: 60_000 })).toContain(
      "This may have been done already: please compare acme-shop/live with the host's panel first.",
    );
  });
});
