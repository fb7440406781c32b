import { randomBytes } from 'node:crypto';
import { checkedContent } from './message-content.ts';
import { type Fields, isTrue, textOf, nonEmptyTextOf } from './json-fields.ts';
import { setBounded } from './journal.ts';
import { edit, findMessage, post } from './messages.ts';
import { Refused } from './refused.ts';
import { BOT_USER } from './seed.ts';
import type { Workspace } from './workspace.ts';

/** Where an answer goes: the channel, the acting person, and the message they acted on. */
export type Answerable = { readonly channel: string; readonly person: string; readonly messageTs?: string };

/** Addresses that let an app answer without being a member. */
export type ResponseUrls = {
  issue(to: Answerable): string;
  /** Plays one answer. Refuses `expired_url` (30 minutes), `used_url` (5 uses) or invalid content. */
  use(id: string, answer: Fields): void;
};

const USES = 5;
const LIFE_MS = 30 * 60_000;
const KEPT = 2000;

/** Addresses below `baseUrl`; the newest 2,000 are kept. */
export function createResponseUrls(workspace: Workspace, baseUrl: () => string): ResponseUrls {
  const issued = new Map<string, Answerable & { readonly until: number; uses: number }>();
  return {
    issue(to) {
      const id = randomBytes(12).toString('hex');
      setBounded(issued, id, { ...to, until: workspace.now() + LIFE_MS, uses: 0 }, KEPT);
      return `${baseUrl()}/response/${id}`;
    },
    use(id, answer) {
      const target = issued.get(id);
      if (target === undefined || workspace.now() > target.until) throw new Refused('expired_url');
      if (target.uses >= USES) throw new Refused('used_url');
      target.uses += 1;
      respond(workspace, target, answer);
    },
  };
}

/** Shows an answer to a command or click. It is ephemeral unless `in_channel`, and may replace the original. */
export function respond(workspace: Workspace, to: Answerable, answer: Fields): void {
  const original = to.messageTs === undefined ? undefined : findMessage(workspace, to.channel, to.messageTs);
  if (isTrue(answer['delete_original'])) {
    if (original !== undefined) edit(workspace, original, { deleted: true });
    return;
  }
  const content = checkedContent(answer);
  if (isTrue(answer['replace_original']) && original !== undefined) {
    edit(workspace, original, { ...content, edited: workspace.nextTs() });
    return;
  }
  const inChannel = textOf(answer['response_type']) === 'in_channel';
  post(workspace, {
    ...content,
    channel: to.channel,
    author: BOT_USER,
    threadTs: nonEmptyTextOf(answer['thread_ts']),
    onlyFor: inChannel ? undefined : to.person,
  });
}
