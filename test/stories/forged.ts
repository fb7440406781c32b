import type { Fields } from '../../src/playground/slack/json-fields.ts';
import { fieldsOf } from '../../src/playground/slack/json-fields.ts';
import type { VisibleMessage } from '../../src/playground/slack/shapes.ts';
import { expectSoon, has, type Said, type TestUser, type Words } from './people.ts';
import type { Scenario } from './scenario.ts';

/** Presses and forms that were altered on their way to the bot, and what everybody sees afterwards. */

type Press = { readonly action: string; readonly value: string; readonly channel: string };

let forgeries = 0;

/** Delivers a press of this person that no button made. Resolves with what they are told. */
export function forgePress(scenario: Scenario, who: TestUser, { action, value, channel }: Press, words: Words) {
  forgeries += 1;
  const payload = {
    type: 'block_actions',
    api_app_id: 'A0SITEHAND',
    team: { id: 'T0SITEHAND', domain: 'sitehand-playground' },
    enterprise: null,
    is_enterprise_install: false,
    user: { id: who.id, team_id: 'T0SITEHAND' },
    trigger_id: `forged.${forgeries}`,
    container: { type: 'message', message_ts: '1.000001', channel_id: channel, is_ephemeral: true },
    channel: { id: channel, name: 'forged' },
    actions: [
      { type: 'button', block_id: 'forged', action_id: `${action}:0`, value, action_ts: `${forgeries}.000001` },
    ],
  };
  return told(scenario, who, words, () => scenario.slack.deliverRaw('interactive', payload));
}

/** Delivers this form again as if it came from elsewhere. `origin`: of its `private_metadata`. */
export function forgeForm(
  scenario: Scenario,
  who: TestUser,
  { sent, origin }: { readonly sent: Said['outcome']; readonly origin: Fields },
  words: Words,
) {
  forgeries += 1;
  const view = fieldsOf(sent.payload?.['view']);
  const memo = fieldsOf(JSON.parse(String(view['private_metadata'])));
  const payload = {
    ...sent.payload,
    view: {
      ...view,
      id: `V0FORGED${forgeries}`,
      hash: `forged.${forgeries}`,
      private_metadata: JSON.stringify({ ...memo, origin }),
    },
  };
  return told(scenario, who, words, () => scenario.slack.deliverRaw('interactive', payload));
}

/** Everything that a person can see in Slack, without threads. */
export const seenBy = ({ slack }: Scenario, { id, direct }: TestUser): readonly VisibleMessage[] =>
  [
    ...new Set([
      ...slack
        .channels()
        .filter(({ members }) => members.includes(id))
        .map((one) => one.id),
      direct,
    ]),
  ].flatMap((channel) => slack.messages({ channel, as: id }));

/** What this person newly sees after an action, until one of these messages has the words. */
export async function told(
  scenario: Scenario,
  who: TestUser,
  words: Words,
  act: () => Promise<unknown>,
): Promise<string> {
  const keyOf = ({ channel, ts }: VisibleMessage): string => `${channel} ${ts}`;
  const before = new Set(seenBy(scenario, who).map(keyOf));
  await act();
  const fresh = (): readonly VisibleMessage[] => seenBy(scenario, who).filter((one) => !before.has(keyOf(one)));
  const found = await expectSoon(
    scenario.slack,
    `a word to ${who.id} with ${words}`,
    () => (fresh().some(({ text }) => has(text, words)) ? fresh() : undefined),
    () => fresh().map(({ text }) => text),
  );
  return found.map(({ text }) => text).join('\n');
}
