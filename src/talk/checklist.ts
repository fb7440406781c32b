import type { AnyAction } from '../commands/kit/action.ts';
import { catalogue } from '../commands/index.ts';
import { counted, type Checklist, type ChecklistItem, type PageOffer } from '../commands/kit/page.ts';
import { notRecognised, Refusal } from '../base/errors.ts';
import type { Environment } from '../hosting/contract/target.ts';
import { joined, say, type Text } from '../words/text.ts';
import { environmentsIn, liveFacts } from '../send/pin-batch.ts';
import { factsOf, type PinnedCard } from '../change/pin.ts';
import type { ParsedCommand } from '../language/bind-arguments.ts';
import { parseArgs } from '../language/parse.ts';
import type { PipelineContext } from './context.ts';
import { check, type Ready, type Request } from './conversation.ts';

/**
 * The checklist of an offer: people untick some of many environments before they review the request. Their choice is
 * checked like typed words, and never reaches further than the offer.
 */

/** What the form shows: only what this person may do, as of now. */
export type ShownChecklist = {
  readonly command: AnyAction;
  /** The name of its field. */
  readonly label: string;
  readonly says: Text;
  readonly facts: PinnedCard['facts'];
  /** `at`: its index in the offer. */
  readonly items: readonly (Pick<ChecklistItem, 'word' | 'says'> & { readonly at: number })[];
  readonly environments: readonly Environment[];
};

/** What was ticked, as indexes in the offer, and the ids of the environments to leave out. */
type Ticked = { readonly at: readonly number[]; readonly leaveOut: readonly string[] };

type From = Request['from'];

/** Checks an offer for this person. Throws `Refusal` if it may not be done on any of its environments. */
export async function showChecklist(context: PipelineContext, from: From, offer: PageOffer): Promise<ShownChecklist> {
  const { command, checklist, parsed } = offered(offer);
  const environments = await allowedOf(context, from, parsed);
  const allowed = new Set(environments.map(({ id }) => id));
  const items = checklist.items.flatMap(({ word, says, on }, at) => {
    const where = on.filter((id) => allowed.has(id)).length;
    return where > 0 ? [{ at, word, says: `${says} · ${counted(where, 'environment')}` }] : [];
  });
  const first = parsed.canary === undefined ? undefined : 'one of them; the review says which';
  const facts = [...factsOf({ 'Goes first, alone': first }), ...liveFacts(environments)];
  const counts = `${counted(items.length, checklist.noun)} on ${counted(environments.length, 'environment')}`;
  const says = say`**${counts}.** Each environment gets those of the ticked that have an update there. Next, you see what will happen; nothing is sent before that.`;
  const label = command.fields[checklist.field]?.label ?? '';
  return { command, label, says: joined([says, checklist.note], '\n'), facts, items, environments };
}

/** Checks what this person ticked; a review always follows. Throws `Refusal`, with the field it is about. */
export async function checkTicked(
  context: PipelineContext,
  from: From,
  offer: PageOffer,
  ticked: Ticked,
): Promise<Ready> {
  const { command, checklist, parsed } = offered(offer);
  const { words, ids } = narrowed(checklist, ticked);
  const allowed = await allowedOf(context, from, parsed);
  const kept = allowed.filter(({ id }) => ids.includes(id));
  // If the canary was left out, use the first environment.
  const canary =
    kept.length > 1 && parsed.canary !== undefined
      ? (kept.find(({ id }) => id === parsed.canary) ?? kept[0])?.id
      : undefined;
  const given = { ...parsed.given, [command.target]: [ids.join(',')], [checklist.field]: words };
  return ready(context, from, { ...parsed, given, canary });
}

/** The ticked words, and the ids of the environments that have one of them and were not left out. */
export function narrowed(
  { noun, items }: Pick<Checklist, 'noun' | 'items'>,
  { at, leaveOut }: Ticked,
): { readonly words: readonly string[]; readonly ids: readonly string[] } {
  const those = at.map((one) => items[one]).filter((item) => item !== undefined);
  if (those.length < at.length)
    throw new Refusal(`A ${noun} that I didn't offer is ticked. Nothing was done.`, {
      hint: 'Type the command again.',
    });
  if (those.length === 0) throw new Refusal(`Tick at least one ${noun}. Nothing was done.`, { field: 'checklist' });
  const ids = [...new Set(those.flatMap(({ on }) => on))].filter((id) => !leaveOut.includes(id));
  if (ids.length === 0) throw new Refusal('Every environment was left out. Nothing was done.', { field: 'leave-out' });
  return { words: those.map(({ word }) => word), ids };
}

function offered({ args, checklist }: PageOffer) {
  const parsed = parseArgs(args, catalogue);
  const { command } = parsed;
  if (checklist === undefined || command.shape !== 'action') throw notRecognised('button');
  return { command, checklist, parsed };
}

/** The environments on which this person may do it, in the order of a batch. */
async function allowedOf(context: PipelineContext, from: From, parsed: ParsedCommand): Promise<readonly Environment[]> {
  // Ignore the canary: this only lists what is allowed.
  const { each, ...one } = (await ready(context, from, { ...parsed, canary: undefined })).authorized;
  return environmentsIn(each ?? [one]);
}

async function ready(context: PipelineContext, from: From, parsed: ParsedCommand): Promise<Ready> {
  const checked = await check(context, { parsed, from, first: 'review' });
  if (checked.kind === 'ready') return checked;
  if (checked.kind === 'refuse') throw checked.refusal;
  throw checked.resolved.problems[0]?.refusal ?? checked.says ?? new Refusal('Something is missing. Nothing was done.');
}
