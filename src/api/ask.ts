import { catalogue } from '../commands/index.ts';
import { Refusal, type Args } from '../base/errors.ts';
import { isForCallers } from '../commands/rights.ts';
import { shownOf } from '../change/confirmation.ts';
import { AskedBefore } from '../decide/open-changes.ts';
import { parse, parseArgs, parseGiven } from '../language/parse.ts';
import { refuseKeys } from '../language/pasted-credentials.ts';
import { exactly, refuseHidden } from '../language/tokenize.ts';
import { takesRest } from '../language/usage.ts';
import type { ParsedCommand } from '../language/bind-arguments.ts';
import type { Change } from '../storage/changes.ts';
import type { Page } from '../commands/kit/page.ts';
import { check, next, type Next, type Request } from '../talk/conversation.ts';
import type { PipelineContext } from '../talk/context.ts';
import { readsCompany } from '../access/visibility.ts';
import { pausesFor } from '../decide/admin-actions.ts';
import { handleSetBack } from '../send/failover-and-restore.ts';
import { plain, say, time } from '../words/text.ts';
import type { Authenticated } from './authenticate.ts';
import { askingPerson } from './changes.ts';
import { incomplete, problem, refused } from './problem.ts';
import type { AskBody } from './schemas.ts';

/** What a caller asks goes through the same conversation as what a person types. */

export type Asked =
  | { readonly kind: 'page'; readonly command: string; readonly page: Page }
  | { readonly kind: 'saved'; readonly change: Change }
  /** This request has made this change already. */
  | { readonly kind: 'asked before'; readonly change: Change };

/** Asks for it. Throws `Refusal` or `ProblemError` for what is refused or lacks something. */
export async function askAs(
  context: PipelineContext,
  { caller, calling }: Authenticated,
  asked: AskBody,
): Promise<Asked> {
  const parsed = parsedFrom(asked);
  refuseUnlessForCallers(parsed);
  if (parsed.command.shape === 'action' && !parsed.dryRun) {
    if (calling.request === undefined)
      throw new Refusal('A change needs an Idempotency-Key, so that it is asked for once. Nothing was done.');
    await refuseWhilePaused(context, { caller, calling });
  }
  const from: Request['from'] = {
    person: caller.for,
    team: undefined,
    caller: calling,
    channel: async () => undefined,
    cardChannel: () => context.channelOf(caller.channel),
  };
  return follow(context, { from, parsed }, asked.typed_name);
}

function parsedFrom(asked: AskBody): ParsedCommand {
  // As in a line that is typed, and in a form.
  for (const text of [asked.reason ?? '', ...('say' in asked ? [] : Object.values(asked.fields).flat().map(String))])
    refuseHidden(text);
  refuseKeys(asked.reason ?? '', { field: 'reason' });
  const parsed = 'say' in asked ? parse(asked.say, catalogue, {}, exactly) : parseGiven(argsOf(asked), catalogue);
  if (parsed === undefined) throw new Refusal('Nothing was said, so nothing was done.');
  return { ...parsed, reason: parsed.reason ?? (asked.reason?.trim() || undefined) };
}

/** Every field can be written as an option, but for a command that takes the rest of its line as it is: as its words. */
function argsOf({ command, fields }: Extract<AskBody, { readonly command: string }>): Args {
  const path = command.trim().split(/ +/);
  const found = catalogue.get(path.join(' ').toLowerCase());
  const isWords = found !== undefined && takesRest(found);
  const written = (name: string, value: string | number | boolean): Args => {
    if (isWords) return String(value).trim().split(/ +/);
    return typeof value === 'boolean' ? (value ? [`--${name}`] : []) : [`--${name}=${value}`];
  };
  return [
    ...path,
    ...Object.entries(fields).flatMap(([name, value]) => [value].flat().flatMap((one) => written(name, one))),
  ];
}

/** Throws `Refusal` for what only people do. */
function refuseUnlessForCallers({ path, command, queue, handOn, handedOn, breakGlass }: ParsedCommand): void {
  if (!isForCallers(path, command))
    throw new Refusal(`Only people can use ${path}. Nothing was done.`, { hint: 'Ask for it in Slack.' });
  if (queue || handOn || handedOn !== undefined || breakGlass)
    throw new Refusal('Only people wait in a queue, hand a request on or break the glass. Nothing was done.', {
      hint: 'Leave that option out.',
    });
}

/**
 * While somebody has paused callers. And after a failover or a restore nobody can tell what was asked before, until
 * somebody has looked and resumed.
 */
async function refuseWhilePaused(context: PipelineContext, authenticated: Authenticated): Promise<void> {
  // Nobody may have noticed yet.
  await handleSetBack(context);
  const person = await askingPerson(context, authenticated);
  const { all, callers } = await pausesFor(context, { mayAny: () => readsCompany(context, person) });
  if (callers) {
    const { name, by, at, why } = callers;
    const because = why === undefined ? '' : `: “${why}”`;
    const says = say`Programs are paused by ${name} (${by}) since ${time(at, 'date')}${because}. Nothing was asked; reports go on. Ask again once somebody has resumed them.`;
    throw problem(503, plain(says), { type: '#paused' });
  }
  if (all?.by !== 'sitehand' && all?.earlier?.by !== 'sitehand') return;
  throw problem(
    409,
    'My database was set back, so this may have been done before: look. Nothing was asked; somebody has to resume first.',
    { type: '#may-have-been-done' },
  );
}

/** A review is confirmed as it was pinned: its change waits for people, who see it. A name to type is a field. */
async function follow(context: PipelineContext, request: Request, typedName: string | undefined): Promise<Asked> {
  const came = await step(context, request);
  if (came.kind !== 'review') return came;
  const shown = shownOf(came.pinned);
  const again = await step(context, { ...request, reviewed: { shown, typedName } });
  if (again.kind !== 'review') return again;
  throw new Refusal('It changed while it was read, so nothing was done.', { hint: 'Ask again.', isLater: true });
}

/** With what is told later in Slack: a program is answered once. */
export async function whole({ later, ...page }: Page): Promise<Page> {
  if (later === undefined) return page;
  const told = await later();
  // What only says that it follows is nothing to keep.
  if (page.parts.length === 0) return told;
  return { ...page, parts: [...page.parts, { kind: 'text', text: told.title }, ...told.parts] };
}

async function step(
  context: PipelineContext,
  request: Request,
): Promise<Asked | Extract<Next, { readonly kind: 'review' }>> {
  const checked = await check(context, request);
  if (checked.kind === 'ask') throw incomplete(context, checked);
  const came = checked.kind === 'refuse' ? checked : await next(context, checked, undefined);
  switch (came.kind) {
    case 'refuse':
      if (came.refusal instanceof AskedBefore) return { kind: 'asked before', change: came.refusal.change };
      throw refused(came.refusal, came.person && context.names(came.person));
    case 'show':
      return { kind: 'page', command: came.authorized.parsed.path, page: await whole(came.page) };
    case 'review':
      return came;
    case 'saved':
      if (came.change) return { kind: 'saved', change: came.change };
      throw new Error('only the sender of a delivery can have been told already');
    case 'instead': {
      const parsed = parseArgs(came.args, catalogue);
      refuseUnlessForCallers(parsed);
      return step(context, { from: request.from, parsed });
    }
    case 'queued':
      throw new Error('no caller waits in a queue');
  }
}
