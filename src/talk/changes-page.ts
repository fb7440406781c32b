import { Refusal, type Args } from '../base/errors.ts';
import { changes } from '../commands/builtin/changes.ts';
import type { Input } from '../commands/kit/fields.ts';
import { counted, listOr, type Page } from '../commands/kit/page.ts';
import { startOf } from '../commands/kit/values/times.ts';
import { idsOf } from '../policy/memberships.ts';
import { listChanges } from '../storage/changes.ts';
import { code, joined, mention, sample, say, time, typed, type Text } from '../words/text.ts';
import { targetKey } from '../access/targets.ts';
import type { ChangeContext } from '../change/context.ts';
import { openAbout } from '../change/open-changes.ts';
import type { Asking } from '../decide/admin-actions.ts';
import { listedChange, type ListedChange } from './change-page.ts';
import type { PipelineContext } from './context.ts';
import { timeLineFor } from './time-line.ts';
import { timeLinePage } from './time-line-page.ts';

/** How many changes a list shows. */
const maxShown = 100;
/** How many rows each query reads. */
const batch = 200;
/** How many rows are read for one list. */
const maxRead = 1_000;

export async function changesPage(
  context: PipelineContext,
  asking: Asking,
  { since, ...query }: Input<typeof changes.fields>,
): Promise<Page> {
  if (since === undefined) return changesListPage(query, await changesFor(context, asking, query));
  const { env, mine, waiting } = query;
  if (mine || waiting)
    throw new Refusal("A time line has everybody's changes in every state. Nothing was done.", {
      hint: 'Leave out --mine and --waiting, or --since.',
      field: 'since',
    });
  if (env === undefined) throw unnamed(changes.fields.since.show(since));
  const from = startOf(since, Date.now(), asking.person.zone, '2d');
  return timeLinePage(env, await timeLineFor(context, asking, env, from));
}

type ChangesQuery = Omit<Input<typeof changes.fields>, 'since'>;
/** Newest first. `more`: there may be older ones. */
type FoundChanges = { readonly lines: readonly ListedChange[]; readonly more: boolean };

/** The changes that this person may read. */
export async function changesFor(
  context: ChangeContext,
  { person, sight }: Asking,
  { env, mine, waiting }: ChangesQuery,
): Promise<FoundChanges> {
  const mayRead = sight.reader('changes');
  const requesters = mine ? idsOf(context.policy(), person.id) : undefined;
  if (env && waiting) {
    const { open, more } = await (await openAbout(context.database.db))(env);
    const found = open.filter(({ state, requester: by }) => state === 'waiting' && (requesters?.includes(by) ?? true));
    return { lines: found.filter(mayRead).map(listedChange), more };
  }
  const wanted = {
    ...(env ? { target: targetKey(env) } : { isOwn: true }),
    ...(requesters && { requesters }),
    ...(waiting && { state: 'waiting' as const }),
  };
  const lines: ListedChange[] = [];
  let beforeNumber: number | undefined;
  for (let read = 0; read < maxRead; read += batch) {
    const found = await listChanges(context.database.db, { ...wanted, limit: batch, beforeNumber });
    for (const change of found) {
      if (!mayRead(change)) continue;
      if (lines.length === maxShown) return { lines, more: true };
      lines.push(listedChange(change));
    }
    beforeNumber = found.at(-1)?.number;
    if (found.length < batch) return { lines, more: false };
  }
  return { lines, more: true };
}

export function changesListPage({ env, mine, waiting }: ChangesQuery, { lines, more }: FoundChanges): Page {
  const [first] = lines;
  const whose = mine ? 'Your changes' : 'Changes';
  const count = !more
    ? counted(lines.length, 'change')
    : first
      ? `the newest ${lines.length}`
      : 'none among the newest';
  const title = `${whose}${env ? ` of ${env.name}` : ''}${waiting ? ' waiting for approval' : ''}`;
  return {
    title: say`**${title}** · ${count}`,
    parts: listOr(
      noneText({ waiting, more }),
      lines.map(({ state, number, title: what, requester, handedOnBy: by, cancelled, at }) => {
        const handed = by === undefined ? '' : say`, handed on by ${mention(by)}`;
        const asked = say`asked by ${mention(requester)}${handed} ${time(at, 'date')}`;
        return joined([say`${state} · ${code(`#${number}`)} ${what}`, asked, cancelled], ' · ');
      }),
    ),
    ...(first && {
      source: say`${typed(`change ${first.number}`)} shows the whole story of #${first.number}${more ? '; name an environment to find older ones' : ''}`,
    }),
    ...(env && { offers: [{ label: 'Time line of two days', args: ['changes', env.id, '--since=2d'] }] }),
  };
}

/** The refusal of a time line without an environment, with the form that asks for one. */
const unnamed = (since: Args): Refusal =>
  new Refusal('A time line needs an environment. Nothing was done.', {
    hint: say`Name one, as in ${sample('changes acme-shop/live --since 2d')}.`,
    field: 'env',
    offers: [{ label: 'Choose an environment', opens: 'form', args: ['changes', `--since=${since.join(' ')}`] }],
  });

function noneText({ waiting, more }: { readonly waiting: boolean; readonly more: boolean }): Text {
  if (more) return say`I read only the newest ones, and found none that you can see.`;
  return waiting ? say`None that you can see is waiting for approval.` : say`There are none yet that you can see.`;
}
