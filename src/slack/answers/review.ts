import { catalogue } from '../../commands/index.ts';
import { Refusal } from '../../base/errors.ts';
import { check, type Ready, type Request } from '../../talk/conversation.ts';
import { parseArgs } from '../../language/parse.ts';
import type { Interaction, SlackContext } from '../context/context.ts';
import { orTooOld } from '../forms/form-fields.ts';
import type { Memo } from '../forms/views.ts';
import { senderOf } from './channels.ts';

/** Checks the arguments of a review form again, with what was typed into it. Throws `Refusal` if they no longer pass. */
export async function checkReview(
  context: SlackContext,
  interaction: Interaction,
  memo: Memo,
  { reason, ...answers }: Pick<Request, 'first' | 'reviewed'> & { readonly reason?: string | undefined },
): Promise<Ready> {
  const args = memo.args ?? (await context.payloads.keptList(memo.stored ?? '').catch(orTooOld)).words;
  const parsed = { ...parseArgs(args, catalogue), reason };
  const checked = await check(context.pipeline, { parsed, from: senderOf(context, interaction), ...answers });
  if (checked.kind === 'ready' && checked.will !== 'show') return checked;
  if (checked.kind === 'refuse') throw checked.refusal;
  const wrong = checked.kind === 'ask' ? (checked.resolved.problems[0]?.refusal ?? checked.says) : undefined;
  throw wrong ?? new Refusal('Something is missing. Nothing was done.');
}
