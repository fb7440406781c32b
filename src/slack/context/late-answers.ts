import { attempt, type Refusal } from '../../base/errors.ts';
import { scrub } from '../../base/secret.ts';
import { cut } from '../../block-kit/text.ts';
import type { Note } from '../../change/card.ts';
import { join, split } from '../../language/tokenize.ts';
import { closeInbox } from '../../storage/inbox.ts';
import { enqueueMessage, ownWords } from '../../storage/messages.ts';
import { answerPrefix, answersOwed } from '../../storage/messages-of-person.ts';
import { code, joined, say, typed, type Inline, type Text } from '../../words/text.ts';
import type { Interaction, SlackContext } from './context.ts';

/** Answers that Slack does not take now: kept, and sent directly later. */

/** How many answers are kept for one person. One message stands for all others. */
const maxKept = 20;
const restSuffix = ':rest';

/** Keeps an answer, to be sent directly once Slack takes it, for a day at most. */
export async function answerLater(
  { pipeline }: SlackContext,
  { inbox, request, person, line }: Interaction,
  { says, hint, offers }: PrivateAnswer,
): Promise<void> {
  const { database } = pipeline;
  const named = repeatableLine(line);
  const text = joined([named && say`You asked for ${named}.`, says, hint]);
  const buttons = offers.map(({ label, args, opens }) => ({ label, press: { kind: opens ?? 'run', args } }) as const);
  await database.transaction(async (tx) => {
    const at = await database.now(tx);
    if (inbox !== undefined) await closeInbox(tx, inbox, at);
    const owed = await answersOwed(tx, person);
    if (owed.some((key) => key.endsWith(restSuffix))) return;
    const isRest = owed.length >= maxKept;
    const key = `${answerPrefix}${request}${isRest ? restSuffix : ''}`;
    const body = JSON.stringify((isRest ? { text: restText(named) } : { text, buttons }) satisfies Note);
    await enqueueMessage(tx, { key, kind: 'direct', recipient: person, about: ownWords, body, at });
  });
}

/** In place of the answers that are not kept: some of what was asked for may have been done. */
const restText = (named: Inline | undefined): Text =>
  say`**You asked for more than I could answer:** Slack took no answers, and I kept ${maxKept}. This is in place of the ${named ? say`answer to ${named}` : 'next one'} and of those after it. Please look before you ask for any of that again: ${typed('changes --mine')} shows your changes.`;

const maxLineLength = 100;

/** The words of an unchecked line, with credentials removed; undefined if the line can't be split. */
export function repeatableLine(line = ''): Inline | undefined {
  const words = attempt(() => scrub(join(split(line).map(({ text }) => text))));
  return words ? code(cut(words, maxLineLength)) : undefined;
}

/** What somebody is told, and what they can press. */
export type PrivateAnswer = Pick<Refusal, 'says' | 'hint' | 'offers'>;
