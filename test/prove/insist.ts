import { setTimeout as wait } from 'node:timers/promises';
import type { SlackStandIn } from '../../src/playground/slack/stand-in.ts';
import { patienceMs, type House } from '../stories/house.ts';
import type { Scene } from './scene.ts';

type Outcome = Awaited<ReturnType<SlackStandIn['command']>>;

/** Whether nothing has heard it: no bot was connected. */
export const isUnheard = ({ delivered, acked, ms }: Pick<Outcome, 'delivered' | 'acked' | 'ms'>): boolean =>
  delivered && !acked && ms === 0;

/**
 * Does something as people do it: again where no bot was there to hear it, and where the bot says that nothing was done
 * and asks for it again. Resolves when something came of it, as `isDone` has it.
 */
export async function insist(
  { house, soon, rows }: Scene,
  person: string,
  act: () => Promise<Outcome>,
  isDone: () => boolean | Promise<boolean>,
): Promise<Outcome> {
  for (;;) {
    await house.slack.connected(patienceMs);
    const before = heardBy(house, person);
    const outcome = await act();
    if (isUnheard(outcome)) {
      await wait(100);
      continue;
    }
    let isAgain = false;
    await soon('done, or asked for again', async () => {
      // Of what was delivered several times, one may be turned away and another one taken on: that one counts.
      const open = await rows('select key from inbox where closed_at is null');
      if (await isDone()) return '';
      if (open.length > 0) return `${open.length} deliveries are open`;
      const now = heardBy(house, person);
      isAgain = isTurnedAway(before, now);
      const last = [...now.words.slice(-2), ...now.forms.map(({ text }) => text)];
      return isAgain ? '' : `what was heard last is ${JSON.stringify(last)}`;
    });
    if (!isAgain) return outcome;
  }
}

/** What somebody alone can read: messages, and the forms that they have open. */
type Heard = {
  readonly words: readonly string[];
  readonly forms: readonly { readonly id: string; readonly text: string }[];
};

/** Whether it was said since then that nothing was done, and to try it again: a form may say so from the time before. */
export function isTurnedAway(before: Heard, now: Heard): boolean {
  const old = new Set(before.forms.filter(asksAgain).map(({ id }) => id));
  const said = ({ words }: Heard): number => words.filter((text) => asksAgain({ text })).length;
  return said(now) > said(before) || now.forms.some((form) => asksAgain(form) && !old.has(form.id));
}

const asksAgain = ({ text }: { readonly text: string }): boolean => /\bagain in a minute\b/.test(text);

const heardBy = (house: House, person: string): Heard => ({
  words: wordsTo(house, person),
  forms: house.slack.views(person).modals,
});

/** The messages that somebody alone can read. */
const wordsTo = ({ slack }: House, person: string): readonly string[] =>
  [
    ...slack.messages({ channel: 'C0ACME', as: person }).filter(({ ephemeral }) => ephemeral),
    ...slack.messages({ channel: `D0${person}`, as: person }),
  ].map(({ text }) => text);
