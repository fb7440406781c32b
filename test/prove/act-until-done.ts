import { setTimeout as wait } from 'node:timers/promises';
import type { SlackStandIn } from '../../src/playground/slack/stand-in.ts';
import { patienceMs, type Scenario } from '../stories/scenario.ts';
import type { Scene } from './scene.ts';

type Outcome = Awaited<ReturnType<SlackStandIn['command']>>;

/** Whether no bot was connected to receive it. */
export const isUndelivered = ({ delivered, acked, ms }: Pick<Outcome, 'delivered' | 'acked' | 'ms'>): boolean =>
  delivered && !acked && ms === 0;

/**
 * Acts as people do: again if no bot received it, or if the bot says that nothing was done and asks to try again.
 * Resolves when `isDone` is true.
 */
export async function actUntilDone(
  { scenario, soon, rows }: Scene,
  person: string,
  act: () => Promise<Outcome>,
  isDone: () => boolean | Promise<boolean>,
): Promise<Outcome> {
  for (;;) {
    await scenario.slack.connected(patienceMs);
    const before = heardBy(scenario, person);
    const outcome = await act();
    if (isUndelivered(outcome)) {
      await wait(100);
      continue;
    }
    let isAgain = false;
    await soon('done, or asked for again', async () => {
      // Of several copies of a delivery one may be refused and another accepted; the accepted one counts.
      const open = await rows('select key from inbox where closed_at is null');
      if (await isDone()) return '';
      if (open.length > 0) return `${open.length} deliveries are open`;
      const now = heardBy(scenario, person);
      isAgain = isRefused(before, now);
      const last = [...now.words.slice(-2), ...now.forms.map(({ text }) => text)];
      return isAgain ? '' : `what was heard last is ${JSON.stringify(last)}`;
    });
    if (!isAgain) return outcome;
  }
}

/** What only this person can read: messages and open forms. */
type Received = {
  readonly words: readonly string[];
  readonly forms: readonly { readonly id: string; readonly text: string }[];
};

/** Whether the bot has since asked to try again. A form that asked before does not count. */
export function isRefused(before: Received, now: Received): boolean {
  const old = new Set(before.forms.filter(asksAgain).map(({ id }) => id));
  const requests = ({ words }: Received): number => words.filter((text) => asksAgain({ text })).length;
  return requests(now) > requests(before) || now.forms.some((form) => asksAgain(form) && !old.has(form.id));
}

const asksAgain = ({ text }: { readonly text: string }): boolean => /\bagain in a minute\b/.test(text);

const heardBy = (scenario: Scenario, person: string): Received => ({
  words: wordsTo(scenario, person),
  forms: scenario.slack.views(person).modals,
});

/** The messages that only this person can read. */
const wordsTo = ({ slack }: Scenario, person: string): readonly string[] =>
  [
    ...slack.messages({ channel: 'C0ACME', as: person }).filter(({ ephemeral }) => ephemeral),
    ...slack.messages({ channel: `D0${person}`, as: person }),
  ].map(({ text }) => text);
