import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { RawEnvelope } from '../../src/playground/slack/delivery/envelope.ts';
import { BOT_USER, TEAM } from '../../src/playground/slack/seed.ts';
import { openScenario, type Scenario } from './scenario.ts';
import { signed } from './signed.ts';

/** A signed delivery that lacks required parts. It is acked or refused, nothing runs, and the process survives. */
type Case = readonly [name: string, kind: RawEnvelope['kind'], payload: unknown];

const policy = `
version: 1
groups: { all: [U01ANA] }
rules: [{ allow: [read, routine], to: [all] }]
`;
const line = 'cache clear acme-shop/live';
const user = { id: 'U01ANA', team_id: TEAM.id };
const without = <T extends object>(whole: T, name: keyof T & string): object =>
  Object.fromEntries(Object.entries(whole).filter(([one]) => one !== name));

const command = {
  command: '/site',
  text: line,
  user_id: 'U01ANA',
  team_id: TEAM.id,
  channel_id: 'C0ACME',
  trigger_id: '1.2.abc',
};
const pressed = {
  type: 'block_actions',
  user,
  trigger_id: '1.2.def',
  channel: { id: 'C0ACME' },
  actions: [{ type: 'button', action_id: 'run:0', block_id: 'b', action_ts: '1.1', value: line }],
};
const view = { id: 'V1', type: 'modal', callback_id: 'x', private_metadata: '{}', state: { values: {} }, hash: '1.h' };
const submitted = { type: 'view_submission', user, trigger_id: '1.2.ghi', view };
const mention = { type: 'app_mention', user: 'U01ANA', text: `<@${BOT_USER}> ${line}`, ts: '1.2', channel: 'C0ACME' };
const event = { type: 'event_callback', event_id: 'Ev1', team_id: TEAM.id, event: mention };

/** Values that cannot be converted to text: formatting them throws. */
const unprintable = { toString: 1, valueOf: 1 };

const hostile: readonly Case[] = [
  ['a text with a type that is not text', 'interactive', { type: unprintable, event: 'words' }],
  ['a command with a type that is not text', 'events_api', { command: '/site', type: unprintable, event: 'words' }],
  ['buttons with a type that is not text', 'interactive', { ...pressed, type: unprintable, name: 1, channel: null }],
  ['something of no type', 'interactive', { user, trigger_id: '1.2.y' }],
  ['an event whose channel is null', 'events_api', { ...event, event: { ...mention, channel: null } }],
];
const incomplete: readonly Case[] = (['events_api', 'interactive'] as const).flatMap((kind) =>
  [null, [], {}, 'words', 7].map((payload): Case => [`${JSON.stringify(payload)} (${kind})`, kind, payload]),
);
const commands: readonly Case[] = (['user_id', 'channel_id', 'text', 'trigger_id'] as const).map((name) => [
  `a command without ${name}`,
  'slash_commands',
  without(command, name),
]);
const interactions: readonly Case[] = [
  ['buttons without actions', 'interactive', without(pressed, 'actions')],
  ['buttons with no action', 'interactive', { ...pressed, actions: [] }],
  ['a button that is null', 'interactive', { ...pressed, actions: [null] }],
  ['a button without its name', 'interactive', { ...pressed, actions: [{ type: 'button', value: line }] }],
  ['a button without a person', 'interactive', without(pressed, 'user')],
  ['a button of null', 'interactive', { ...pressed, user: null }],
  ['a form without its state', 'interactive', { ...submitted, view: without(view, 'state') }],
  ['a form whose state is null', 'interactive', { ...submitted, view: { ...view, state: null } }],
  ['a form without its name', 'interactive', { ...submitted, view: without(view, 'callback_id') }],
  ['a form that is not there', 'interactive', without(submitted, 'view')],
  ['a form without a person', 'interactive', without(submitted, 'user')],
  ['a closed form that is not there', 'interactive', { type: 'view_closed', user }],
  ['a suggestion request without a person', 'interactive', { type: 'block_suggestion', action_id: 'env', value: 'a' }],
  ['a shortcut without a person', 'interactive', { type: 'shortcut', callback_id: 'commands', trigger_id: '1.2.x' }],
];
const events: readonly Case[] = [
  ['an event without event', 'events_api', without(event, 'event')],
  ['an event that is null', 'events_api', { ...event, event: null }],
  ['an event that is words', 'events_api', { ...event, event: 'words' }],
  ['an event of no type', 'events_api', { ...event, event: {} }],
  ['an event called error', 'events_api', { ...event, event: { type: 'error' } }],
  ['a home without a person', 'events_api', { ...event, event: { type: 'app_home_opened', tab: 'home' } }],
  ['members of no group', 'events_api', { ...event, event: { type: 'subteam_members_changed' } }],
  ...(['user', 'text', 'channel', 'ts'] as const).map((name): Case => [
    `a mention without ${name}`,
    'events_api',
    { ...event, event: without(mention, name) },
  ]),
];
/** Socket messages without an envelope, or with an incomplete one. */
const frames = [
  'null',
  '[]',
  '{}',
  '7',
  '"words"',
  'no JSON',
  '{"type":"events_api"}',
  '{"type":"events_api","envelope_id":"e1","payload":null}',
  '{"type":"events_api","envelope_id":"e1","payload":{"event":null}}',
  '{"type":"interactive"}',
  '{"type":"slash_commands","envelope_id":null,"payload":null}',
  '{"type":"error","payload":{}}',
];
/** Nested so deeply that recursion overflows the stack, and as long as a delivery may be. */
const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
const depths = [
  deep,
  '['.repeat(200_000),
  `{"type":"url_verification","challenge":${deep}}`,
  `{"type":"event_callback","event":{"type":"app_mention","blocks":${deep}}}`,
  `{"type":"view_submission","view":{"state":{"values":${deep}}}}`,
];
const sendRaw = {
  socket: ({ slack }: Scenario, words: string) => {
    slack.sendRaw(words);
    slack.sendRaw(`{"type":"events_api","envelope_id":"raw","payload":${words}}`);
  },
  http: async ({ port }: Scenario, body: string) => {
    const post = (headers: Readonly<Record<string, string>>) =>
      fetch(`http://127.0.0.1:${port()}/slack/events`, { method: 'POST', body, headers });
    const answers = await Promise.all([post({}), post(signed(body))]);
    // A delivery with a type that the bot does not listen to is not handled.
    for (const { status } of answers) expect([400, 401, 404]).toContain(status);
  },
};
const cases = [...hostile, ...incomplete, ...commands, ...interactions, ...events];

describe.each(['socket', 'http'] as const)('a malformed delivery by %s:', (kind) => {
  let scenario: Scenario;
  const answers = new Map<string, ReturnType<Scenario['slack']['deliverRaw']>>();
  beforeAll(async () => {
    // Longer than Bolt waits before it refuses an unhandled HTTP delivery.
    const slack = { delivery: { kind }, ackTimeoutMs: kind === 'http' ? 8_000 : 1_500 };
    scenario = await openScenario({ policy, slack, ownProcess: 'all' });
    // All at once, because an unhandled delivery is refused only after three seconds.
    for (const [name, kindOf, payload] of cases) answers.set(name, scenario.slack.deliverRaw(kindOf, payload));
  });
  afterAll(() => scenario.close());

  async function stillAnswers(): Promise<void> {
    await (await scenario.person('ana').says('/site whoami')).hears('U01ANA');
  }

  test.each(cases)('%s', async (name) => {
    const { acked, failure } = (await answers.get(name)) ?? {};
    if (acked !== true) expect(failure).toMatch(kind === 'http' ? /^http_[45]/ : /^timeout$/);
    await stillAnswers();
  });

  test('text without an envelope, or in an unsigned one', async () => {
    // All at once, for the same reason.
    const sent = [...frames, '', ...depths].map((words) => Promise.resolve(sendRaw[kind](scenario, words)));
    for (const taken of sent) {
      await taken;
      await stillAnswers();
    }
  });

  test('nothing ran, and the log contains no text of a delivery', async () => {
    await stillAnswers();
    expect(scenario.rows('select number from changes')).toEqual([]);
    expect(scenario.rows("select key from inbox where kind <> 'command' or key like 'command:1.2.%'")).toEqual([]);
    expect(scenario.writes()).toEqual([]);
    expect(scenario.log()).not.toContain(line);
  });
});
