/** One edit of a source file; `from` occurs there exactly once. */
export type Edit = { readonly file: string; readonly from: string; readonly to: string };
/** A known mistake, and the tests that must catch it. */
export type Mistake = { readonly name: string; readonly edits: readonly Edit[]; readonly tests: readonly string[] };

/** Mistakes that are easy to make and harmful. Each must make tests fail. */
export const mistakes: readonly Mistake[] = [
  {
    name: 'a write whose answer is lost is sent again',
    edits: [
      {
        file: 'src/send/execute.ts',
        from: 'return saveOutcome(context, sending.change, await opened.write(call, change.request ?? undefined));',
        to: `let came = await opened.write(call);
  if (came.kind === 'unknown') came = await (await context.send.open()).write(call);
  return saveOutcome(context, sending.change, came);`,
      },
    ],
    tests: ['test/stories/host-answers.test.ts', 'test/stories/unknown.test.ts'],
  },
  {
    name: 'a 500 is taken for nothing sent, and tried again',
    edits: [
      {
        file: 'src/change/write-result.ts',
        from: `    case 'unknown':
      return { kind: 'outcome_lost' };`,
        to: `    case 'unknown':
      return { kind: 'send_aborted' };`,
      },
    ],
    tests: ['test/stories/host-answers.test.ts', 'test/stories/unknown.test.ts'],
  },
  {
    name: 'a failover is not noticed just before a send',
    edits: [
      {
        file: 'src/send/execute.ts',
        from: 'if (!isSameTimeline(context.history, await readTimeline(tx))) return false;',
        to: '',
      },
    ],
    tests: ['test/send/failover-and-restore.test.ts'],
  },
  {
    name: 'after a failover earlier approvals still count',
    edits: [{ file: 'src/send/failover-and-restore.ts', from: 'await voidVotes(tx, change.number);', to: '' }],
    tests: ['test/send/failover-and-restore.test.ts'],
  },
  {
    name: 'a redirect is followed',
    edits: [
      {
        file: 'src/hosting/send.ts',
        from: 'return receiptOf(answer.statusCode,',
        to: `const elsewhere = answer.headers.location;
    if (answer.statusCode >= 300 && answer.statusCode < 400 && typeof elsewhere === 'string') {
      const url = new URL(elsewhere, wire.origin);
      const again = await new Client(url.origin).request({ method: call.method, path: url.pathname, headers, body });
      return receiptOf(again.statusCode, await readExcerpt(again), undefined, now());
    }
    return receiptOf(answer.statusCode,`,
      },
    ],
    tests: ['test/hosting/send.test.ts'],
  },
  {
    name: 'the first error about an operation is believed',
    edits: [
      {
        file: 'src/send/evidence.ts',
        from: 'const failuresThatCount = 3;',
        to: 'const failuresThatCount = 1;',
      },
      {
        file: 'src/send/evidence.ts',
        from: 'const failingMs = 60_000;',
        to: 'const failingMs = 0;',
      },
    ],
    tests: ['test/send/evidence.test.ts', 'test/stories/operations.test.ts'],
  },
  {
    name: 'a lock is taken away from what is under way',
    edits: [
      {
        file: 'src/decide/force-unlock.ts',
        from: "state === 'unknown' || settled_at !== null;",
        to: "state !== 'sending';",
      },
    ],
    tests: ['test/decide/force-unlock.test.ts', 'test/stories/closing-unknowns.test.ts'],
  },
  {
    name: 'people end what they needed approval for',
    edits: [
      {
        file: 'src/change/may-end.ts',
        from: "if (isAsking === 'yes') return { kind: 'may not', why: 'yourself' };",
        to: '',
      },
    ],
    tests: ['test/change/approve.test.ts', 'test/stories/closing-unknowns.test.ts'],
  },
  {
    name: 'people approve their own changes',
    edits: [
      {
        file: 'src/policy/approvers.ts',
        from: "if (isAsking === 'yes') return not('yourself');",
        to: '',
      },
    ],
    tests: ['test/policy/approvers.test.ts', 'test/change/approve.test.ts', 'test/stories/own-changes.test.ts'],
  },
  {
    name: 'a user group that cannot be read counts as empty',
    edits: [
      {
        file: 'src/policy/memberships.ts',
        from: 'filter((group) => !known.has(group))',
        to: 'filter((group) => known.has(group) && false)',
      },
    ],
    tests: ['test/policy/unknown-groups.test.ts', 'test/access/unknown-groups.test.ts'],
  },
  {
    name: 'text is not escaped',
    edits: [
      {
        file: 'src/block-kit/text.ts',
        from: "visible(text).replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');",
        to: 'visible(text);',
      },
    ],
    tests: ['test/block-kit/blocks.test.ts'],
  },
  {
    name: 'no locks are taken',
    edits: [
      {
        file: 'src/change/change-store.ts',
        from: 'if (held) throw new LockHeld(await withHolder(tx, held, change));',
        to: 'void held;',
      },
    ],
    tests: ['test/change/change-model.test.ts', 'test/stories/pause-and-locks.test.ts'],
  },
  {
    name: 'the fingerprint is not checked',
    edits: [
      {
        file: 'src/change/recheck.ts',
        from: 'if (fingerprint(change.call, change.card) !== change.fingerprint) return fingerprintDiffers;',
        to: '',
      },
    ],
    tests: ['test/change/pin-and-recheck.test.ts', 'test/stories/tampering.test.ts'],
  },
  {
    name: 'what is no longer valid is sent',
    edits: [
      {
        file: 'src/send/execute.ts',
        from: "if (now >= change.expires_at) return endUnsent(context, change, 'expire', tooLate(change));",
        to: '',
      },
      {
        file: 'src/change/change.ts',
        from: "const mustBeValid = ['approve', 'send', 'complete', 'start', 'go_on'].includes(kind);",
        to: "const mustBeValid = ['approve', 'complete', 'start', 'go_on'].includes(kind);",
      },
    ],
    tests: ['test/change/change.test.ts', 'test/stories/pause-and-locks.test.ts'],
  },
  {
    name: 'rights are not asked again before sending',
    edits: [
      {
        file: 'src/change/recheck.ts',
        from: 'return invalidated(say`${change.caller ?? change.requester_name} is no longer allowed to do this.`);',
        to: 'return restored;',
      },
      {
        file: 'src/change/recheck.ts',
        from: 'if (isLost) return invalidated(say`Somebody who approved it is no longer allowed to.`);',
        to: '',
      },
    ],
    tests: ['test/change/pin-and-recheck.test.ts', 'test/stories/own-changes.test.ts'],
  },
  {
    name: 'a button is believed: whose database, which version',
    edits: [
      {
        file: 'src/decide/decide.ts',
        from: 'await refuseUnlessOurs(context.database, installation);',
        to: 'await refuseUnlessOurs({ ...context.database, installation }, installation);',
      },
      {
        file: 'src/change/approve.ts',
        from: 'if (version !== voting.change.version) throw',
        to: 'if (version < 0) throw',
      },
    ],
    tests: ['test/change/approve.test.ts', 'test/stories/tampering.test.ts'],
  },
  {
    name: 'a private key that is pasted is taken',
    edits: [
      {
        file: 'src/language/pasted-credentials.ts',
        from: 'if (!(mayHoldTokens ? holdsPrivateKey(text) : holdsKey(text))) return;',
        to: 'if (text.length >= 0) return;',
      },
    ],
    tests: ['test/language/tokenize.test.ts', 'test/stories/after-a-busy-day.test.ts'],
  },
  {
    name: 'a word that is said and empty means everything',
    edits: [
      {
        file: 'src/language/bind-arguments.ts',
        from: "if (text.trim() !== '') return;",
        to: 'if (text.length >= 0) return;',
      },
    ],
    tests: ['test/talk/hostile-inputs.test.ts', 'test/commands/redirects.test.ts'],
  },
  {
    name: 'the ten seconds of break-glass begin when its author alone can read of it',
    edits: [
      {
        file: 'src/post/after-posting.ts',
        from: "if (kind === 'reply') return policy().channels.ops === undefined && toldOfGlass(skips).length === 0;",
        to: "if (kind === 'reply') return policy() !== undefined && toldOfGlass(skips).length >= 0;",
      },
    ],
    tests: ['test/stories/break-glass.test.ts'],
  },
  {
    name: 'the same is sent in an emergency and after approval',
    edits: [{ file: 'src/change/recheck.ts', from: 'if (same) return {', to: 'if (same && same.number < 0) return {' }],
    tests: ['test/stories/break-glass.test.ts'],
  },
  {
    name: 'its author reviews what was sent by break-glass',
    edits: [
      {
        file: 'src/change/may-end.ts',
        from: "if (isAsking === 'yes') return { kind: 'may not', why: 'yourself' };",
        to: "if (isAsking === 'yes' && isOthers) return { kind: 'may' };",
      },
    ],
    tests: ['test/stories/break-glass.test.ts', 'test/change/approve.test.ts'],
  },
];
