import type { ModalView } from '@slack/types';
import { z } from 'zod';
import { catalogue } from '../../commands/index.ts';
import type { AnyAction } from '../../commands/kit/action.ts';
import { Fault, Refusal, type Words } from '../../errors.ts';
import { type Authorised, type Person } from '../../pipeline/access/authorise.ts';
import { mayRun } from '../../pipeline/access/may-run.ts';
import type { Frozen } from '../../pipeline/changes/freeze.ts';
import type { ParsedCommand } from '../../pipeline/language/parsed-command.ts';
import { canonicalWords, namesOfKind, type Resolved } from '../../pipeline/language/resolve.ts';
import { searchIn } from '../../pipeline/language/name-search.ts';
import { lookAndFreeze } from '../../pipeline/steps/submit.ts';
import { wordsOf } from '../../pipeline/language/usage.ts';
import { joined, say, type Text } from '../../text.ts';
import { drawNote } from '../draw/blocks.ts';
import { formView, noticeView, pickerView, reviewView, type Memo, type Origin } from './views.ts';
import { wordsFor, within } from '../context/handler.ts';
import type { Interaction, SlackContext } from '../context/context.ts';
import { platformError } from '../client/messenger.ts';
import { needsHost, unfold } from './form-fields.ts';

const opened = z.object({ view: z.object({ id: z.string() }) });
const metadataRoom = 2_500;

/**
 * Opens the form of a command, filled in with what was said; where the host has to be asked what can be chosen, a loading
 * view first. Without a trigger: a button that opens it.
 */
export async function openForm(
  context: SlackContext,
  interaction: Interaction,
  resolved: Resolved,
  person: Person,
  says?: Text,
): Promise<void> {
  const { parsed } = resolved;
  const draw = (): Promise<ModalView> => drawForm(context, originOf(interaction), parsed, person, { says });
  if (interaction.trigger !== undefined) {
    const waits = needsHost(resolved);
    const view = await openView(context, interaction, waits ? loadingView(parsed.command) : await draw());
    if (view !== undefined) return waits ? intoView(context, view, parsed.command.button, draw) : undefined;
  }
  await offerForm(
    context,
    interaction,
    wordsOf(parsed.path, parsed.command.fields, (field) => parsed.given[field] ?? [], parsed),
  );
}

/** The form of a wish as it has to look now. */
export async function drawForm(
  context: SlackContext,
  from: Origin,
  parsed: ParsedCommand,
  person: Person,
  { says, choices }: { readonly says?: Text | undefined; readonly choices?: Memo['choices'] } = {},
): Promise<ModalView> {
  const { trouble, ...unfolded } = await unfold(context, person, parsed, choices);
  const told = joined([says, trouble?.says, trouble?.hint]);
  return formView(parsed, from, namesFor(context, person), { ...unfolded, ...(told.length > 0 && { says: told }) });
}

/** Opens the list of commands that this person may run. */
export async function openPicker(context: SlackContext, interaction: Interaction, person: Person): Promise<void> {
  const policy = context.front.policy();
  const commands = [...catalogue]
    .filter(([path, command]) => mayRun(policy, person, path, command))
    .map(([path, { summary }]) => ({ path, summary }));
  if (await openView(context, interaction, pickerView(commands, originOf(interaction)))) return;
  throw new Refusal('No command was said. Nothing was done.', {
    hint: 'Say it after the slash command or the mention; help shows what you may run.',
    offers: [{ label: 'Help', words: ['help'] }],
  });
}

/** Opens a loading view at once, looks at the host, and shows what will happen in it; `notice` stands above it. */
export async function openReview(
  context: SlackContext,
  interaction: Interaction,
  parsed: Authorised,
  action: AnyAction,
  notice?: Text,
): Promise<void> {
  const words = canonicalWords(parsed, { reason: parsed.parsed.reason });
  const view =
    interaction.trigger === undefined ? undefined : await openView(context, interaction, loadingView(action));
  if (view === undefined) return offerForm(context, interaction, words, 'review', notice);
  await showReview(context, interaction, view, parsed, action, notice);
}

/** Looks at the host and draws the review into an open view; what stands against it is drawn there too. */
export async function showReview(
  context: SlackContext,
  interaction: Interaction,
  view: string,
  parsed: Authorised,
  action: AnyAction,
  notice?: Text,
): Promise<void> {
  await intoView(context, view, action.button, async () =>
    reviewOf(context, interaction, await lookAndFreeze(context.front, parsed, action, interaction.person), notice),
  );
}

/** The review of what was frozen, for a view. */
export async function reviewOf(
  context: SlackContext,
  interaction: Interaction,
  frozen: Frozen,
  notice?: Text,
): Promise<ModalView> {
  const words = [...canonicalWords(frozen)];
  const origin = originOf(interaction);
  const fits = JSON.stringify(words).length < metadataRoom;
  const memo: Memo = fits
    ? { origin, words }
    : { origin, stored: await context.payloads.keepWords(interaction.person, words) };
  return reviewView(frozen, memo, notice);
}

/**
 * Runs `make` and draws its view into an open one; a refusal or a fault is drawn in its place, and rejects where the
 * view is closed by now: its reader has to be told in another way. With a `hash`, only over that version of the view.
 */
export async function intoView(
  context: SlackContext,
  view: string,
  title: string,
  make: () => Promise<ModalView>,
  hash?: string,
): Promise<void> {
  let trouble: unknown;
  const drawn = await make().catch((error: unknown) => {
    trouble = error instanceof Refusal ? error : new Fault('preparing a form', error);
    if (error instanceof Refusal) return noticeView(title, joined([error.says, error.hint]));
    return noticeView(title, [{ text: wordsFor(context, 'preparing a form', trouble).text }]);
  });
  try {
    await context.views.views.update({ view_id: view, view: drawn, ...(hash !== undefined && { hash }) });
  } catch (error) {
    if (trouble !== undefined) throw trouble;
    if (!['not_found', 'hash_conflict'].includes(platformError(error) ?? '')) throw error;
  }
}

/** What stands in a view while the host is asked. */
export const loadingView = ({ button }: Pick<AnyAction, 'button'>): ModalView =>
  noticeView(button, say`Looking at the host…`);

/** Names of targets by id, of those the person may read, to fill a form in. */
function namesFor(context: SlackContext, person: Person): (id: string) => string | undefined {
  const names = context.front.names(person);
  const lists = (['environment', 'domain', 'site'] as const).map((kind) => searchIn(namesOfKind(kind, names)));
  return (id) => lists.flatMap((list) => list.exact(id))[0]?.name;
}

export const originOf = ({ channel, thread, person }: Interaction): Origin => ({ channel: channel ?? person, thread });

/**
 * Opens a view, or lays it over the one that is open; undefined where there is no trigger, it came too late, or Slack
 * does not answer.
 */
export async function openView(
  { views }: SlackContext,
  { trigger }: Pick<Interaction, 'trigger'>,
  view: ModalView,
  how: 'open' | 'push' = 'open',
): Promise<string | undefined> {
  if (trigger === undefined) return undefined;
  try {
    return opened.parse(await within(2_500, views.views[how]({ trigger_id: trigger, view }))).view.id;
  } catch (error) {
    const name = platformError(error);
    if (name === undefined || name.includes('trigger')) return undefined;
    if (name === 'unknown_method') {
      throw new Refusal('This needs a form, and there are none on this server. Nothing was done.', {
        hint: 'Say all of its words; help and the name of the command show them.',
      });
    }
    throw error;
  }
}

async function offerForm(
  context: SlackContext,
  interaction: Interaction,
  words: Words,
  kind: 'form' | 'review' = 'form',
  notice?: Text,
): Promise<void> {
  await context.ephemeral(
    interaction,
    drawNote({
      text: joined([notice, 'This needs a form. Nothing was done yet.']),
      buttons: [{ label: 'Open the form', press: { kind, words }, style: 'primary' }],
    }),
  );
}
