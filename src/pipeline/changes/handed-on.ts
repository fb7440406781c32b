import type { Field } from '../../commands/kit/fields.ts';
import { scrub } from '../../secret.ts';
import { endHandedOn, type HandedOnRequest } from '../../storage/handed-on.ts';
import { enqueueMessage, ownWords, type Message } from '../../storage/messages.ts';
import { parseStored } from '../../storage/parse-json.ts';
import type { Tx } from '../../storage/database.ts';
import { clipped, code, either, joined, named, say, time, type Text } from '../../text.ts';
import { displayNames } from '../access/approver-lookup.ts';
import type { Target } from '../../hosting/contract/target.ts';
import { aboutOf } from '../access/targets.ts';
import { membersUnknownQuietly } from '../access/unknown-groups.ts';
import type { Runners } from '../access/who-may-run.ts';
import { canonicalArgs, isNamed, isSite, shownAs, type Resolved } from '../language/resolve.ts';
import type { ChangesContext } from './context.ts';
import { type Note } from './card.ts';
import { runButton } from './buttons.ts';

/** The messages about a handed-on request: what is asked for, who may run it, and how it ended. */

const maxValueLength = 300;

export type OfferMessage = Pick<Message, 'key' | 'recipient' | 'about'> & { readonly kind: 'direct' | 'notice' };

/** What is asked for, and who asks. Mentions nobody. */
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

/** The message that offers the request of whoever has this name. `resolved` has the id of the handed-on request. */
export function offerNote(
  name: string,
  says: Text,
  { people, unknown }: Runners,
  resolved: Resolved,
  expiresAt: number,
): Note {
  const who = people.length > 0 ? say`${either(displayNames(people))} may run it.` : undefined;
  const rest =
    unknown.length > 0 ? say`${membersUnknownQuietly(unknown)} They may run it${who ? ' too' : ''}.` : undefined;
  const until = say`It can be run once, until ${time(expiresAt)}, and becomes the change of whoever runs it. If it needs approval, somebody else has to give it.`;
  return {
    text: joined([says, joined([who, rest, until])], '\n'),
    buttons: [
      {
        label: `Run it for ${name}…`,
        press: { kind: 'review', args: canonicalArgs(resolved, { reason: resolved.parsed.reason }) },
        style: 'primary',
      },
    ],
  };
}

/** Queues the messages that offer the request. */
export async function postOffers(tx: Tx, all: readonly OfferMessage[], note: Note, at: number): Promise<void> {
  const body = JSON.stringify(note);
  for (const one of all) await enqueueMessage(tx, { ...one, body, at });
}

/** How a request ends: what its offers then say, who ran it as which change, and the audit line. */
type OfferEnd = {
  readonly at: number;
  readonly says: Text;
  readonly used?: Pick<HandedOnRequest, 'used_by' | 'change'>;
  readonly line: { readonly event: string; readonly by: string; readonly details: Readonly<Record<string, unknown>> };
};

/** What the request is about, from its offers. */
const targetsIn = (offers: readonly OfferMessage[]): readonly Target[] | 'company' => {
  const about = offers.find((one) => one.about !== ownWords)?.about;
  return about ? parseStored<readonly Target[]>(about) : 'company';
};

/** Ends the request and replaces every offer. False, with nothing written, if it has ended already. */
export async function endOffers(
  { changeStore }: Pick<ChangesContext, 'changeStore'>,
  tx: Tx,
  { id, command, args, person, says: asked, posted }: HandedOnRequest,
  { at, says, used, line }: OfferEnd,
): Promise<boolean> {
  const buttons =
    used?.change == null ? [] : [runButton({ label: `Show #${used.change}`, args: ['change', String(used.change)] })];
  if ((await endHandedOn(tx, id, at, used)) === undefined) return false;
  const text = joined([parseStored<Text>(asked), says], '\n');
  const offers = parseStored<readonly OfferMessage[]>(posted);
  await postOffers(tx, offers, { text, minor: true }, at);
  // Without a message in a channel, whoever asked sees none of the offers.
  if (offers.every(({ kind }) => kind === 'direct'))
    await postOffers(
      tx,
      [{ key: `hand_on:${id}:end`, kind: 'direct', recipient: person, about: ownWords }],
      { text, buttons },
      at,
    );
  const details = { handed_on: id, command, args, handed_on_by: person, ...line.details };
  await changeStore.note(tx, { ...line, at, about: targetsIn(offers), details });
  return true;
}
