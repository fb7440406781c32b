import { catalogue } from '../../commands/index.ts';
import type { AnyAction } from '../../commands/kit/action.ts';
import { Refusal } from '../../errors.ts';
import type { Authorized, Person } from '../../pipeline/access/access-check.ts';
import { parseArgs } from '../../pipeline/language/parse.ts';
import type { Memo } from '../forms/views.ts';
import { resolveNames, evaluate } from './dispatch.ts';
import { speaker } from '../context/speaker.ts';
import type { Interaction, SlackContext } from '../context/context.ts';
import { orTooOld } from '../forms/form-fields.ts';

/** Reads the arguments of a review form and checks the rights again. Throws `Refusal` if they no longer pass. */
export async function reviewed(
  context: SlackContext,
  interaction: Interaction,
  memo: Memo,
  reason?: string,
): Promise<{ readonly person: Person; readonly parsed: Authorized; readonly action: AnyAction }> {
  const args = memo.args ?? (await context.payloads.keptList(memo.stored ?? '').catch(orTooOld));
  const parsed = parseArgs(args, catalogue);
  const { command: action } = parsed;
  if (action.shape !== 'action') throw new Refusal("I don't recognise this command any more. Nothing was done.");
  const person = await speaker(context, interaction, parsed);
  const considered = await evaluate(
    context,
    interaction,
    await resolveNames(context, { ...parsed, reason }, person),
    person,
  );
  if (considered.kind === 'incomplete') throw new Refusal('Something is missing. Nothing was done.');
  return { person, parsed: considered.parsed, action };
}
