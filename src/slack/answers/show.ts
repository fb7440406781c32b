import type { AnyBuiltin } from '../../commands/kit/builtin.ts';
import type { Page } from '../../commands/kit/page.ts';
import type { AnyReport, Surroundings } from '../../commands/kit/report.ts';
import type { Args } from '../../errors.ts';
import type { Authorized, Person } from '../../pipeline/access/access-check.ts';
import { writeDown } from '../../pipeline/steps/admin-actions.ts';
import { happenedTo } from '../../pipeline/builtin/change-history.ts';
import { queryServiceFor } from '../../pipeline/builtin/query-service.ts';
import { canonicalArgs } from '../../pipeline/language/resolve.ts';
import { sourcesOf } from '../../pipeline/changes/read-sources.ts';
import { asRefusal } from '../../pipeline/changes/host-trouble.ts';
import { drawPage, isLong } from '../draw/blocks.ts';
import { sendFile } from './files.ts';
import { lateAnswerNote } from '../context/slow-work.ts';
import type { Interaction, SlackContext } from '../context/context.ts';

/** Runs a report or a built-in and answers its requester privately. A built-in may instead return other arguments to run. */
export async function show(
  context: SlackContext,
  interaction: Interaction,
  parsed: Authorized,
  command: AnyReport | AnyBuiltin,
  person: Person,
): Promise<Args | undefined> {
  const now = Date.now();
  if (command.shape === 'builtin') {
    if (command.freshens) await context.front.freshenNames();
    const queryService = queryServiceFor(context.queryService, person, now, {
      authorization: parsed.authorization,
      inbox: interaction.inbox,
      channel: interaction.channel,
      channelOf: context.people.channel,
    });
    const answered = await command.answer({ input: parsed.input, queryService });
    if ('instead' in answered) return answered.instead;
    await answer(context, interaction, parsed, answered);
    return undefined;
  }
  if (command.noted !== undefined) await recordRequest(context, interaction, parsed, person, command.noted);
  const surroundings: Surroundings = {
    ...sourcesOf(context.front, person.id),
    now,
    zone: person.zone,
    alias: context.alias,
    look: context.logs.look,
    happened: (env, since) => happenedTo(context.front.database, env, since),
  };
  const page = command.show({ input: parsed.input, ...surroundings }).catch((error: unknown) => {
    throw asRefusal(error, canonicalArgs(parsed));
  });
  await answer(context, interaction, parsed, await page);
  return undefined;
}

/** Writes the request to the audit trail. If that fails, nothing is shown. */
function recordRequest(
  { queryService }: SlackContext,
  { inbox }: Interaction,
  parsed: Authorized,
  person: Person,
  event: string,
): Promise<void> {
  const target = parsed.target?.kind === 'environment' ? { target: parsed.target } : {};
  const entry = { event, ...target, args: canonicalArgs(parsed).join(' ') };
  return writeDown(queryService, { person, authorization: parsed.authorization, inbox }, entry);
}

/** Sends a page to its requester. It is kept if it can be shared or has further pages. */
export async function answer(
  context: SlackContext,
  interaction: Interaction,
  parsed: Authorized,
  page: Page,
): Promise<void> {
  const { command } = parsed.parsed;
  const shareable = command.shape === 'report' && command.right !== 'named';
  const id =
    shareable || isLong(page)
      ? await context.payloads.keepPage(interaction.person, {
          args: [...canonicalArgs(parsed, { dryRun: parsed.parsed.dryRun })],
          page,
        })
      : undefined;
  const lateNote = await lateAnswerNote(context, interaction);
  if (lateNote) await context.ephemeral(interaction, lateNote);
  await context.ephemeral(interaction, drawPage(page, id === undefined ? undefined : { id, shareable }));
  if (page.file) await sendFile(context, interaction, page.file);
}
