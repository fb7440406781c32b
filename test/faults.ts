type Fault = {
  readonly fault: string;
  /** Parts of the full names of tests that show it is survived. Each must be found and pass. */
  readonly by?: readonly string[];
  /** What no test shows, and why. */
  readonly notYet?: string;
};

/** What must be survived. After each, nothing is lost, nothing is done twice, and the person is told. */
export const faults: Readonly<Record<number, Fault>> = {
  1: {
    fault: 'the same delivery several times, also to two replicas',
    by: ['delivers everything five times', 'hear every command twice'],
  },
  2: { fault: 'Slack answers 429', by: ['when a card is posted, asks for a pause (429)'] },
  3: {
    fault: 'Slack stored a message and the answer is lost',
    by: ['when a card is posted, stores it and answers 500', 'when a card is posted, stores it and cuts the wire'],
  },
  4: {
    fault: 'no such channel, not in it, blocks refused',
    by: ['the card is posted in direct messages', 'when a card is posted, does not take its blocks'],
  },
  5: { fault: 'the card is deleted', by: ['has lost the card, because somebody deleted it'] },
  6: { fault: 'the socket is cut', by: ['cuts its socket'] },
  7: {
    fault: 'a trigger too late, a form from before a restart',
    by: ['too late for its trigger', 'opened before a restart'],
  },
  8: { fault: 'the token is revoked', by: ['when Slack rejects its token'] },
  9: { fault: 'the host refuses, or is busy', by: ['is busy (429)', 'and each of them was written once'] },
  10: {
    fault: 'the host answers 500 to a write',
    by: ['asked to clear a cache,', 'one write is one request on one connection'],
  },
  11: {
    fault: 'no connection; HTTP/2',
    by: ['is down: nothing was sent', 'a host that offers HTTP/2 gets one HTTP/1.1 request'],
  },
  12: {
    fault: 'silence, resets, slow, huge and zipped answers',
    by: [
      'one write is one request on one connection, whatever the host does > any bytes',
      'odd answers are bounded and named',
    ],
  },
  13: { fault: 'odd acceptances and odd statuses', by: ['every status from 200 to 599 has one meaning for a write'] },
  14: {
    fault: 'fields missing, null, ill-typed',
    by: ['odd answers are bounded and named > a malformed allowlist'],
  },
  15: {
    fault: '20,000 log lines, one of 5 MB, escape codes',
    by: ['20,000 long log lines', 'logs are masked, and the rest is a file'],
  },
  16: {
    fault: 'operations unknown at first, for ever, failing twice',
    by: [
      'the state of an operation, by observation',
      'done only if the host says so or a proof shows it, failed only if',
    ],
  },
  17: {
    fault: 'somebody else changes the list meanwhile',
    by: [
      'somebody else changes the list: superseded',
      'a list that somebody else has changed: superseded at the click',
      'changes that have drifted or expired are not sent',
    ],
  },
  18: {
    fault: 'kill -9 between the click and the last word',
    by: [
      'killed between a click on Approve and the last word',
      'while the host has the write',
      'while it reads the preconditions once more',
      'right after the ack, before anything was begun',
      'while its card is on the way to Slack',
      'while the operation runs',
    ],
    notYet: 'every point, on both databases: only `npm run prove` takes the time',
  },
  19: {
    fault: 'SIGTERM with work in flight',
    by: ['politely, with a write under way', 'politely, with ten commands acked'],
  },
  20: {
    fault: 'two replicas race',
    by: [
      'go to one claimer each, however many race',
      'a lease that ends while the host still works',
      'two replicas: asleep after it saved sending',
    ],
  },
  21: {
    fault: 'the database is away',
    by: [
      'a command is acked, and refused, while the database does not answer',
      'PostgreSQL is away at the start',
      'away while the host has a write, and back',
      'silent, with no connection ended',
      'every connection is ended again and again while ten changes run',
      'of sending, done: nothing was written',
      'of sending, not done: it is sent once',
      'of the receipt (answer): it is saved and told once',
      'of the delivery: nothing is done',
      'of a new change: it is there, it is sent once',
      'of an approval, done: it counts once',
      'the disk is full > promise 1: nothing is taken on and nothing sent',
      'full while the host has a write',
      'says that the disk is full, keeps nothing that did not fit',
      'a PostgreSQL with a standby > promise 1: killed while the host has a write, and started again',
    ],
    notYet: 'PostgreSQL out of disk',
  },
  22: {
    fault: 'clocks jump',
    by: [
      'uses its own clock, or a given one',
      'a change can be approved for its hour and stopped for its ten seconds',
      'a change that nobody approves expires when the database says',
      'the database has no time of a wrong clock',
    ],
  },
  23: {
    fault: 'the policy breaks, or a rule goes away',
    by: ['broken later, the last good ones hold', 'a rule is taken away'],
  },
  24: {
    fault: 'many clicks at once',
    by: [
      'delivers everything five times',
      'a change that waits for approval > by one, and two press in the same millisecond',
      'a change that waits for approval > by two who press in the same millisecond',
      'it is declined, cancelled and approved at once',
      'every click of an approval is delivered three times',
    ],
  },
  25: {
    fault: 'the requester approves',
    by: [
      'nobody approves their own change > by the button in the channel, by declining it in a form, or by mention; their home offers neither',
      'nobody approves their own change > in direct messages',
      'nobody approves their own change > with the second of their accounts',
      'one lead counts once, even twice or with both ids',
    ],
  },
  26: {
    fault: 'somebody loses a right before the send',
    by: [
      'between the request and the write',
      'the rules take rights away: of a requester, an approver and a voter',
      'the approver is deactivated before the write',
      'the approver becomes a guest before the write',
      'Slack does not say who clicks',
      'it is stopped by a colleague who only reads, but by no guest',
    ],
  },
  27: {
    fault: 'the target is renamed or deleted',
    by: [
      'lacks the site for good: an approved change waits until three lists over a minute lack it',
      'the target has another name',
      'the target is renamed between the request and the click',
      'its target is deleted in the meantime: it can still be closed',
    ],
  },
  28: { fault: 'approval after expiry', by: ['the change expires, a late click is refused'] },
  29: {
    fault: 'two databases know the same number',
    by: ['a button that somebody else’s database drew'],
  },
  30: {
    fault: 'pause stops what is approved',
    by: [
      'hold back together when sending is paused',
      'a pause holds what is not sent',
      'a pause holds what is approved',
      'a waiting request blocks nobody',
    ],
  },
  31: {
    fault: 'the host answers 503, or an empty list, while the bot starts, a timer is due, an approval is clicked',
    by: [
      'the host answers 503 for the list of its sites > a click on Approve decides nothing',
      'the host answers an empty list for the list of its sites > a click on Approve decides nothing',
      'the host answers a 404 page of a gateway for the list of its sites > an accepted change',
      'the host cannot be read when it is due > 503 to everything after a restart',
      'the host cannot be read when it is due > 200 with an empty list of sites',
      'whether a target is there > it is unknown if it lists no site',
    ],
  },
  32: {
    fault: 'a gateway answers about an operation; a 500 at a host without operations',
    by: [
      'a gateway answers 500 in HTML about a running push for minutes',
      'without operations answers 500 once',
      'a gateway’s page with 500 says nothing about an operation',
    ],
  },
  33: {
    fault: 'a user group cannot be read, is deleted or disabled',
    by: [
      'a user group that cannot be read (missing_scope) > denies hold',
      'a user group that cannot be read (missing_scope) > rules that do not depend on it',
      'a user group that cannot be read (ratelimited) > pause works for everybody',
      'a user group that cannot be read (subteam_disabled) > denies hold',
      'cannot be read (paid_teams_only): it is unknown',
      'a deny applies to all joined ids of a person, also through a user group',
      'an approver’s user group cannot be read just before the write',
      'an unknown membership never allows more than either answer would',
      'never exceeds Slack’s limit per minute',
    ],
  },
  34: {
    fault: 'a member of another company of an Enterprise Grid',
    by: [
      'a member of another company of an Enterprise Grid, and deliveries say so, is a stranger',
      'a member of another company of an Enterprise Grid, and no delivery says so, is a stranger',
      'somebody of an Enterprise Grid > of another company',
    ],
  },
  35: {
    fault:
      'a channel with rules of posting, no access, a closed messages tab, a channel shared meanwhile; the ops channel too',
    by: [
      'a channel does not take posts > it has rules of posting',
      'a channel does not take posts > it is of a workspace that has taken the app its access',
      'a channel does not take posts > the requester cannot be written to either',
      'an approver cannot be written to: the requester and ops are told',
      'it is shared with another organisation meanwhile',
      'the ops channel > has rules of posting',
      'the ops channel > is shared with another organisation',
      'messages that Slack does not take, on SQLite > for a day are given up',
    ],
  },
  36: {
    fault: 'a message that mentioned the bot is edited',
    by: [
      'a message that mentioned the bot is edited, again and again',
      'a message is edited that mentions the bot only now',
      'Slack delivers the same mention once more, under another event id',
    ],
  },
  37: {
    fault: 'a database loses a commit',
    by: [
      'crashes while the host has a write: it is written once',
      'is promoted, or restored to a moment: nothing is sent',
      'after the answer: never sent again, called unknown',
      'while the host has the write: its definite answer counts when it comes',
      'to before the change was asked for: ops hear what the host answered',
      'a flush fails: the process ends',
      'the database is removed: nothing is sent',
      'its lock is removed: nothing is sent',
      'wait for the disk with whatever moves a change',
      'it is lost, and its standby lacks an approval and a write: asked again',
      'restored while a push can be stopped: it is asked again',
      'restored while a timer takes access off: it is taken off once',
    ],
  },
  38: {
    fault: 'the clock jumps while a process runs',
    by: [
      'on SQLite by a day ahead',
      'on SQLite by an hour back',
      'on PostgreSQL by a day ahead',
      'on PostgreSQL by an hour back',
      'never goes back, and an hour is an hour',
      'starts no earlier than the newest saved time',
    ],
  },
  39: {
    fault: 'the approvers’ group, its rule or its members are gone while a change is unknown or waits',
    by: [
      'a change with an unknown outcome > the approvers’ group is renamed and has new members',
      'a change with an unknown outcome > the rule and the group are gone',
      'a change with an unknown outcome > everybody leaves the user group that approves',
      'who may close a change under today’s rules > decline follows it',
    ],
  },
  40: {
    fault: 'a timed removal is refused, waits, meets what was granted since, is undone',
    by: [
      'the host refuses the removal > with 403, every time: bounded tries that back off',
      'the host refuses the removal > with 500: the outcome is unknown',
      'the host refuses the removal > with 429',
      'somebody does this meanwhile: > Ben allows it for good',
      'somebody does this meanwhile: > a set with the address',
      'somebody does this meanwhile: > more time is asked for',
      'somebody does this meanwhile: > undoes the grant',
      'an approval is needed > for a change that writes nothing',
      'sending is held back > all sending is paused',
      'sending is held back > somebody has locked it',
      'in any order of grants and removals > each address on the list ends at the latest end',
    ],
  },
  41: {
    fault: 'a read takes ten minutes; Slack’s half hour passes',
    by: [
      'a read takes longer than the lease of its delivery',
      'a delivery was reported as interrupted',
      'Slack’s half hour passes while the host is read',
    ],
  },
  42: {
    fault: 'one person sends hanging reads and many writes',
    by: [
      'one person asks for more than their share > sixty log reads that hang',
      'one person asks for more than their share > twenty writes that hang',
      'one person asks for more than their share > twenty writes at once',
      'fair turns, on SQLite > two requesters take turns',
      'a channel that takes one message a second, on SQLite > takes turns',
    ],
  },
  43: {
    fault: 'a delivery that is null, or lacks what it must have',
    by: [
      'a malformed delivery by socket: > nothing ran',
      'a malformed delivery by http: > nothing ran',
      'a malformed delivery by socket: > text without an envelope',
    ],
  },
  44: {
    fault: 'what an approver sees is longer than a card',
    by: [
      'says by how much, before it is approved; the whole request is one click away',
      'opens from the copy in direct messages and from App Home too',
      'hidden and look-alike characters show their codes',
      'a request that is too long to review is refused',
      '10,000 addresses: each is on a page',
      '5,000 paths: each is on a page',
    ],
  },
  45: {
    fault: 'the host spells ids otherwise in another answer',
    by: [
      'ids in capitals in the answers of /sites',
      'ids in capitals in the answers of /**',
      'ids have one spelling, whichever the host uses',
    ],
  },
  46: {
    fault: 'one listing of sites lacks a site that is there',
    by: [
      'lacks the site in one listing: a click on Approve decides nothing, an approved change waits, and it is sent once',
      'lacks the site for good',
      'lacks the site until an approved change expires',
      'one listing lacks the site and one read answers 404: later, and no try',
      'three lists over a minute lack it: gone',
      'whether it is gone, by one that has it in between',
    ],
  },
};
