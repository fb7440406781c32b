import type { WebClient } from '@slack/web-api';
import { z } from 'zod';
import { createBoundedCall, NoAnswer, type BoundedCall } from './calls.ts';
import { userStanding, userShape } from './people.ts';
import type { Bot } from './app-checks.ts';

/** Lists the people and the Slack user groups of a workspace for setup to offer. */

/** A person or a Slack user group. `name`: on one line, without invisible characters; empty if unknown. */
export type ListedMember = { readonly id: string; readonly name: string };
/** `why`: Slack's error code, or a phrase, if there are or may be more members. */
export type MemberList = { readonly members: readonly ListedMember[]; readonly why?: string };

/** Slack recommends 200 at most, and allows about 20 such calls a minute. */
const pageSize = 200;
const maxPages = 15;
const maxGroups = 500;
const maxName = 60;

const userPage = z.object({
  members: z.array(userShape),
  response_metadata: z.object({ next_cursor: z.string().optional() }).optional(),
});
const groupList = z.object({
  usergroups: z.array(z.object({ id: z.string(), handle: z.string() })),
});

/** Everybody who may use Sitehand: members, without guests, bots and people of other organisations. Never rejects. */
export async function listPeople(client: WebClient, { team }: Pick<Bot, 'team'>): Promise<MemberList> {
  const ask = callOf(client);
  const members: ListedMember[] = [];
  let cursor = '';
  for (let page = 0; page < maxPages; page += 1) {
    const answer = await ask('users.list', { limit: pageSize, ...(cursor && { cursor }) }, userPage);
    if (answer instanceof NoAnswer) return { members, why: reasonOf(answer) };
    const ours = answer.members.filter((user) => userStanding(user, team) === 'member');
    members.push(
      ...ours.map(({ id, name, real_name, profile }) => ({
        id,
        name: inLine(real_name || profile?.real_name || name || ''),
      })),
    );
    cursor = answer.response_metadata?.next_cursor ?? '';
    if (cursor === '') return { members };
  }
  return { members, why: `only the first ${pageSize * maxPages} accounts were asked for` };
}

/** The Slack user groups in use, by their handles. Never rejects. */
export async function listUserGroups(client: WebClient): Promise<MemberList> {
  const answer = await callOf(client)('usergroups.list', {}, groupList);
  if (answer instanceof NoAnswer) return { members: [], why: reasonOf(answer) };
  const all = answer.usergroups.map(({ id, handle }) => ({ id, name: inLine(`@${handle}`) }));
  return {
    members: all.slice(0, maxGroups),
    ...(all.length > maxGroups && { why: `only the first ${maxGroups} are listed` }),
  };
}

/** People choose their names. A name must not control the terminal or break the line of a file. */
const inLine = (name: string): string =>
  name
    .replace(/[\p{C}\p{Z}]+/gu, ' ')
    .trim()
    .slice(0, maxName)
    .toWellFormed();

const reasonOf = ({ errorCode }: NoAnswer): string => errorCode ?? 'no usable answer';

const callOf = (client: WebClient): BoundedCall =>
  createBoundedCall({ client, onMissing: () => undefined, onToken: () => undefined });
