import type { Page, PagePart } from '../commands/kit/page.ts';
import { isBatch, type Change } from '../storage/changes.ts';
import type { AuditLine } from '../storage/audit.ts';
import type { Vote } from '../storage/votes.ts';
import { parseStored } from '../storage/parse-json.ts';
import { joined, plain } from '../words/text.ts';
import { parseDetails } from '../audit/audit-anchor.ts';
import { askedAt, authorizationOf, type AskedRequirement } from '../access/authorization.ts';
import { storedTargets } from '../access/targets.ts';
import { itemText, itemsShown, type ShownItem } from '../change/batch-card.ts';
import { pinnedCardOf, titleNow } from '../change/pin.ts';
import { stateText } from '../change/states-and-events.ts';
import type { ChangeAnswer, EventAnswer, PageAnswer } from './schemas.ts';

/** Changes, events and pages as the HTTP interface returns them. */

const instant = (at: number): string => new Date(at).toISOString();
const instantOrNull = (at: number | null): string | null => (at === null ? null : instant(at));

/** `begun`: the changes that it has begun, if it is a batch. */
export function changeAnswer(change: Change, approved: readonly Vote[], begun: readonly Change[]): ChangeAnswer {
  const card = pinnedCardOf(change);
  const { asks = [] } = authorizationOf(change);
  return {
    kind: 'change',
    number: change.number,
    command: change.command,
    title: plain(titleNow(change)),
    state: change.state,
    settled: change.settled_at !== null,
    says: plain(stateText(change)),
    for: change.requester,
    reason: change.reason,
    targets: storedTargets(change).map(({ name }) => name),
    facts: card.facts.map(([label, value]) => [label, plain(value)]),
    warning: card.warning === undefined ? null : plain(card.warning),
    call: parseStored<unknown>(change.call),
    fingerprint: change.fingerprint,
    items: isBatch(change) ? itemsShown(change, begun).map(itemAnswer) : null,
    waits_for: change.state === 'waiting' ? asks.map((one) => waitOf(change, one)) : [],
    approved_by: approved.map(({ person }) => person),
    asked_at: instant(change.created_at),
    scheduled_at: instantOrNull(change.scheduled_at),
    expires_at: instant(change.expires_at),
    sent_at: instantOrNull(change.sent_at),
    events: `/v1/changes/${change.number}/events`,
  };
}

const waitOf = (change: Change, { count, groups, escalate }: AskedRequirement): ChangeAnswer['waits_for'][number] => ({
  count,
  of: [...groups],
  ...(escalate && { also: { from: instant(askedAt(change) + escalate.after), of: [...escalate.to] } }),
});

const itemAnswer = (shown: ShownItem): NonNullable<ChangeAnswer['items']>[number] => ({
  target: shown.item.target.name,
  standing: shown.standing,
  number: shown.change?.number ?? null,
  says: plain(itemText(shown) ?? []),
});

export const eventAnswer = ({ seq, event, at, actor, details }: AuditLine, change: ChangeAnswer): EventAnswer => ({
  id: seq,
  event,
  at: instant(at),
  by: actor,
  caller: parseDetails(details).caller ?? null,
  change,
});

export function pageAnswer(command: string, { title, parts, source, file }: Page): PageAnswer {
  const data = parts.map(dataOf);
  return {
    kind: 'page',
    command,
    title: plain(title),
    text: [plain(title), ...data.map(textOf)].join('\n\n'),
    parts: data,
    source: source === undefined ? null : plain(joined([source])),
    file: file ?? null,
  };
}

function dataOf(part: PagePart): PageAnswer['parts'][number] {
  switch (part.kind) {
    case 'text':
      return { kind: 'text', text: plain(part.text) };
    case 'code':
      return { kind: 'code', text: part.text };
    case 'list':
      return { kind: 'list', entries: part.entries.map((entry) => plain(entry)) };
    case 'table':
      return {
        kind: 'table',
        columns: [...part.columns],
        rows: part.rows.map((row) => row.map((cell) => plain(cell))),
      };
  }
}

function textOf(part: PageAnswer['parts'][number]): string {
  if (part.kind === 'list') return part.entries.map((entry) => `* ${entry}`).join('\n');
  if (part.kind === 'table') return [part.columns, ...part.rows].map((cells) => cells.join(' | ')).join('\n');
  return part.text;
}
