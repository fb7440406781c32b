import type { VisibleMessage, VisibleView } from '../../src/playground/slack/shapes.ts';
import type { SlackStandIn } from '../../src/playground/slack/stand-in.ts';
import { patienceMs } from '../patience.ts';

/** Text to find in a message: a substring or a pattern. */
export type Words = string | RegExp;
type Outcome = Awaited<ReturnType<SlackStandIn['command']>>;

const defaultChannel = 'C0ACME';

/** A person of the workspace: what they do and what they see. */
export type TestUser = {
  readonly id: string;
  /** Their direct messages with the bot. */
  readonly direct: string;
  /** Sends a slash command; resolves when it is acked. */
  readonly says: (line: string, channel?: string) => Promise<Said>;
  /** Sends a slash command that is answered with a card. */
  readonly asks: (line: string, channel?: string) => Promise<ChangeThread>;
  /** Sends a slash command that opens a form; resolves to the form once its text has these words. */
  readonly opens: (line: string, words: Words, channel?: string) => Promise<VisibleView>;
  /** Sends a slash command, confirms its form (typing the name if asked), and returns the waiting change. */
  readonly requests: (line: string, channel?: string) => Promise<ChangeThread>;
  readonly mentions: (line: string, channel?: string, thread?: string) => Promise<Said>;
  /** Edits a message of theirs. */
  readonly edits: (channel: string, ts: string, text: string) => Promise<Said>;
  /** The first message with these words in their direct messages or in that channel, without ephemeral ones. */
  readonly reads: (words: Words, channel?: string) => Promise<VisibleMessage>;
  /** Presses a button of a message, by its label. */
  readonly clicks: (message: Pick<VisibleMessage, 'channel' | 'ts'>, label: string) => Promise<Said>;
  /** Presses a button that opens a form; resolves to the form once its text has these words. */
  readonly opensFrom: (
    message: Pick<VisibleMessage, 'channel' | 'ts'>,
    label: string,
    words: Words,
  ) => Promise<VisibleView>;
  /** The topmost form, once its text has these words. */
  readonly form: (words: Words) => Promise<VisibleView>;
  /** Submits the topmost form. A private answer is in that channel. */
  readonly submits: (
    filled?: Parameters<SlackStandIn['submit']>[1],
    channel?: string,
  ) => Promise<Outcome & Pick<Said, 'hears'>>;
  /** Submits the topmost form, which is answered with a card in that channel. */
  readonly confirms: (filled?: Parameters<SlackStandIn['submit']>[1], channel?: string) => Promise<ChangeThread>;
};

/** A message to the bot, and the private answers to it. */
export type Said = {
  readonly outcome: Outcome;
  /** The first private answer with these words. */
  readonly hears: (words: Words) => Promise<VisibleMessage>;
  /** All private answers. */
  readonly answers: () => readonly VisibleMessage[];
};

/** A change as its channel sees it. */
export type ChangeThread = {
  readonly number: number;
  readonly channel: string;
  readonly ts: string;
  readonly card: () => VisibleMessage;
  readonly replies: () => readonly VisibleMessage[];
  /** The first reply in the thread with these words. */
  readonly tells: (words: Words) => Promise<VisibleMessage>;
  /** The card, once it has these words. */
  readonly shows: (words: Words) => Promise<VisibleMessage>;
};

/** Whether a text has the words. */
export const has = (text: string, words: Words): boolean =>
  typeof words === 'string' ? text.includes(words) : words.test(text);

/** The labels of a message's buttons and inputs. */
export const labelsOf = ({ controls }: Pick<VisibleMessage, 'controls'>): readonly string[] =>
  controls.map(({ label }) => label);

/** A person by user id. */
export function testUser(slack: SlackStandIn, id: string): TestUser {
  const direct = `D0${id}`;
  const interact = async (channel: string, act: () => Promise<Outcome>): Promise<Said> => {
    const before = new Set(privateTo(slack, id, channel).map(keyOf));
    const outcome = await act();
    const privateAnswers = (): readonly VisibleMessage[] =>
      privateTo(slack, id, channel).filter((one) => !before.has(keyOf(one)));
    const hears = (words: Words): Promise<VisibleMessage> =>
      expectSoon(
        slack,
        `a private word to ${id} with ${words}`,
        () => privateAnswers().find(({ text }) => has(text, words)),
        privateAnswers,
      );
    return { outcome, hears, answers: privateAnswers };
  };
  const newCard = async (channel: string, act: () => Promise<unknown>): Promise<ChangeThread> => {
    const before = new Set(cardsIn(slack, id, channel).map(keyOf));
    const countBefore = privateTo(slack, id, channel).length;
    const mine = `Asked by @${slack.people().find((one) => one.id === id)?.display_name}`;
    await act();
    const cards = (): readonly VisibleMessage[] =>
      cardsIn(slack, id, channel).filter((one) => !before.has(keyOf(one)) && one.text.includes(mine));
    const context = (): unknown => [
      privateTo(slack, id, channel).slice(countBefore),
      slack.views(id).modals.at(-1)?.text,
    ];
    return changeThreadOf(slack, id, await expectSoon(slack, `a card in ${channel}`, () => cards()[0], context));
  };
  const says: TestUser['says'] = (line, channel = defaultChannel) =>
    interact(channel, () => slack.command(id, channel, line));
  const form: TestUser['form'] = (words) =>
    expectSoon(
      slack,
      `a form of ${id} with ${words}`,
      () => slack.views(id).modals.findLast(({ title, text }) => has(`${title}\n${text}`, words)),
      () => slack.views(id).modals.map(({ text }) => text),
    );
  const formAfter = async (sent: Said, words: Words): Promise<VisibleView> => {
    // After Slack's three seconds there is a button instead of a form.
    const offer = (): VisibleMessage | undefined =>
      sent.answers().find(({ text }) => text.startsWith('This needs a form.'));
    const view = (): VisibleView | undefined => slack.views(id).modals.findLast(({ text }) => has(text, words));
    const found = await expectSoon(slack, `a form of ${id}`, () => view() ?? offer(), sent.answers);
    if (!('ts' in found)) return found;
    await slack.click(id, found, { label: 'Open the form' });
    return form(words);
  };
  const opens: TestUser['opens'] = async (line, words, channel = defaultChannel) =>
    formAfter(await says(line, channel), words);
  const clicks: TestUser['clicks'] = ({ channel, ts }, label) =>
    interact(channel, () => slack.click(id, { channel, ts }, { label }));
  const confirms: TestUser['confirms'] = (filled, channel = defaultChannel) =>
    newCard(channel, () => slack.submit(id, filled));
  return {
    id,
    direct,
    says,
    asks: (line, channel = defaultChannel) => newCard(channel, () => slack.command(id, channel, line)),
    opens,
    requests: async (line, channel = defaultChannel) => {
      const review = await opens(line, 'Nothing is sent until it is approved', channel);
      const typed = review.controls.flatMap(({ label }) => /^Type (\S+) to confirm$/.exec(label) ?? []);
      return confirms(typed.length > 0 ? { [typed[0] ?? '']: typed[1] ?? '' } : {}, channel);
    },
    mentions: (line, channel = defaultChannel, thread?) =>
      interact(channel, () => slack.mention(id, channel, line, thread)),
    edits: (channel, ts, text) => interact(channel, () => slack.edit(id, channel, ts, text)),
    reads: (words, channel = direct) => {
      const all = (): readonly VisibleMessage[] =>
        slack.messages({ channel, as: id }).filter(({ ephemeral }) => !ephemeral);
      return expectSoon(
        slack,
        `a message to ${id} with ${words}`,
        () => all().find(({ text }) => has(text, words)),
        () => all().map(({ text }) => text),
      );
    },
    clicks,
    opensFrom: async (message, label, words) => formAfter(await clicks(message, label), words),
    form,
    submits: async (filled, channel = defaultChannel) => {
      const { outcome, hears } = await interact(channel, () => slack.submit(id, filled));
      return { ...outcome, hears };
    },
    confirms,
  };
}

/** The change whose card is at `place`, once it is posted, as one person reads it. */
export async function changeThreadAt(
  slack: SlackStandIn,
  as: string,
  place: () => { readonly channel: string; readonly ts: string } | undefined,
): Promise<ChangeThread> {
  const find = (): VisibleMessage | undefined => {
    const at = place();
    return at && slack.messages({ channel: at.channel, thread: at.ts, as }).find(({ ts }) => ts === at.ts);
  };
  return changeThreadOf(slack, as, await expectSoon(slack, 'a card', find, place));
}

function changeThreadOf(slack: SlackStandIn, as: string, { channel, ts, text }: VisibleMessage): ChangeThread {
  const thread = (): readonly VisibleMessage[] => slack.messages({ channel, thread: ts, as });
  const replies = (): readonly VisibleMessage[] => thread().filter((one) => one.ts !== ts && !one.ephemeral);
  const card = (): VisibleMessage => {
    const found = thread().find((one) => one.ts === ts);
    if (found === undefined) throw new Error(`the card ${ts} is gone`);
    return found;
  };
  const number = numberOf(text);
  return {
    number,
    channel,
    ts,
    card,
    replies,
    tells: (words) =>
      expectSoon(
        slack,
        `#${number} telling ${words}`,
        () => replies().find((one) => has(one.text, words)),
        () => thread().map((one) => one.text),
      ),
    shows: (words) =>
      expectSoon(
        slack,
        `#${number} showing ${words}`,
        () => (has(card().text, words) ? card() : undefined),
        () => thread().map((one) => one.text),
      ),
  };
}

/** The first value of `probe`. If it does not come, the error shows `instead`. */
export async function expectSoon<T>(
  slack: Pick<SlackStandIn, 'until'>,
  what: string,
  probe: () => T | undefined,
  instead: () => unknown,
): Promise<T> {
  try {
    return await slack.until(probe, patienceMs);
  } catch (error) {
    throw new Error(`Expected ${what}, saw ${JSON.stringify(instead(), undefined, 1)}`, { cause: error });
  }
}

const numberOf = (text: string): number => Number(/· #(\d+)/.exec(text)?.[1] ?? Number.NaN);
const keyOf = ({ channel, ts }: VisibleMessage): string => `${channel} ${ts}`;

function cardsIn(slack: SlackStandIn, as: string, channel: string): readonly VisibleMessage[] {
  return slack
    .messages({ channel, as })
    .filter(({ text, ephemeral }) => !ephemeral && /^\S+ [^\n]* · #\d+\n/.test(text));
}

/** What only this person sees: ephemeral messages of a channel and its threads, and the bot's direct messages. */
function privateTo(slack: SlackStandIn, id: string, channel: string): readonly VisibleMessage[] {
  const roots = slack.messages({ channel, as: id });
  const inThreads = roots.flatMap(({ ts, replies }) =>
    replies > 0 ? slack.messages({ channel, thread: ts, as: id }) : [],
  );
  const ephemeral = [...roots, ...inThreads].filter((one) => one.ephemeral);
  const direct = channel === `D0${id}` ? [] : slack.messages({ channel: `D0${id}`, as: id });
  return [
    ...new Map(
      [...ephemeral, ...direct, ...(channel === `D0${id}` ? roots : [])].map((one) => [keyOf(one), one]),
    ).values(),
  ];
}
