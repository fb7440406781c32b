import type { Field } from '../../commands/kit/fields.ts';
import { scrub } from '../../secret.ts';
import { endHandedOn, type HandedOnRequest } from '../../storage/handed-on.ts';
import { enqueueMessage, type Message } from '../../storage/messages.ts';
import { parseStored } from '../../storage/parse-json.ts';
import type { Tx } from '../../storage/database.ts';
import { clipped, code, joined, named, say, time, type Text } from '../../text.ts';
import { displayNames } from '../access/approver-lookup.ts';
import { aboutOf } from '../access/targets.ts';
import { membersUnknownQuietly } from '../access/unknown-groups.ts';
import type { Runners } from '../access/who-may-run.ts';
import { canonicalArgs, isNamed, isSite, shownAs, type Resolved } from '../language/resolve.ts';
import type { ChangesContext } from './context.ts';
import type { Note } from './card.ts';

/** The messages about a handed-on request: what is asked for, who may run it, and how it ended. */

const maxValueLength = 300;

type OfferMessage = Pick<Message, 'key' | 'kind' | 'recipient'>;

/** What is asked for, and by whom. Mentions nobody. */
export function handedOnWords(context: Pick<ChangesContext, 'company'>, resolved: Resolved, name: string): Text {
  const { parsed, input } = resolved;
  const where = aboutOf(resolved, context.company()).target?.name;
  const fields = Object.entries<Field>(parsed.command.fields).flatMap(([key, field]) => {
    const value = input[key];
    const shown = isNamed(value) || isSite(value) ? [value.name] : shownAs(field, value);
    const words = clipped(scrub(shown.join(' ')), maxValueLength);
    return words === '' ? [] : [say`${field.label}: ${code(words)}`];
  });
  const reason = parsed.reason === undefined ? undefined : say`“${scrub(parsed.reason)}”`;
  return joined(
    [
      say`🙋 **${named(name)} asks somebody who may: ${parsed.path}${where === undefined ? '' : ` on ${where}`}.**`,
      ...fields,
      reason,
    ],
    '\n',
  );
}

/** The message that offers it. `resolved` carries the id of the handed-on request. */
export function offerNote(says: Text, { people, unknown }: Runners, resolved: Resolved, expiresAt: number): Note {
  const who = people.length > 0 ? say`${joined(displayNames(people), ' or ')} may run it.` : undefined;
  const rest =
    unknown.length > 0 ? say`${membersUnknownQuietly(unknown)} They may run it${who ? ' too' : ''}.` : undefined;
  const until = say`Whoever runs it asks for it as their own change, once, until ${time(expiresAt)}. If it needs approval, neither of the two can give it.`;
  return {
    text: joined([says, joined([who, rest, until])], '\n'),
    buttons: [
      {
        label: 'Run it as yours…',
        press: { kind: 'review', args: canonicalArgs(resolved, { reason: resolved.parsed.reason }) },
        style: 'primary',
      },
    ],
  };
}

/** Queues the messages that offer it. */
export async function postOffers(tx: Tx, all: readonly OfferMessage[], note: Note, at: number): Promise<void> {
  const body = JSON.stringify(note);
  for (const one of all) await enqueueMessage(tx, { ...one, body, at });
}

/** Replaces every offer in place. `says`: how it ended. */
async function withdraw(tx: Tx, row: HandedOnRequest, says: Text, at: number): Promise<void> {
  const text = joined([parseStored<Text>(row.says), says], '\n');
  const body = JSON.stringify({ text, minor: true } satisfies Note);
  for (const one of parseStored<readonly OfferMessage[]>(row.posted)) await enqueueMessage(tx, { ...one, body, at });
}

/** Ends it because somebody ran it. False, with nothing written, if it has ended. */
export async function useHandedOn(
  { changeStore }: Pick<ChangesContext, 'changeStore'>,
  tx: Tx,
  id: string,
  by: { readonly person: string; readonly name: string; readonly change: number; readonly at: number },
): Promise<boolean> {
  const { person, name, change, at } = by;
  const row = await endHandedOn(tx, id, at, { used_by: person, change });
  if (row === undefined) return false;
  await withdraw(tx, row, say`✅ ${named(name)} runs it as #${change}.`, at);
  const details = { handed_on: id, command: row.command, args: row.args, handed_on_by: row.person, used: change };
  await changeStore.note(tx, { event: 'hand_on_used', by: person, at, details: { name, ...details } });
  return true;
}

/** Ends it because nobody may run it any more. */
export async function endUnused(
  { changeStore }: Pick<ChangesContext, 'changeStore'>,
  tx: Tx,
  { id }: HandedOnRequest,
  { why, says, at }: { readonly why: 'expired' | 'set back'; readonly says: Text; readonly at: number },
): Promise<void> {
  const row = await endHandedOn(tx, id, at);
  if (row === undefined) return;
  await withdraw(tx, row, says, at);
  const details = { handed_on: id, command: row.command, args: row.args, handed_on_by: row.person, why };
  await changeStore.note(tx, { event: 'hand_on_end', by: 'sitehand', at, details });
}
