import { expect, it } from 'vitest';
import { summaryOf } from '../../../../src/playground/slack/delivery/summary.ts';
import type { Envelope } from '../../../../src/playground/slack/delivery/envelope.ts';
import type { Fields } from '../../../../src/playground/slack/json-fields.ts';
import { createWorkspace } from '../../../../src/playground/slack/workspace.ts';

const workspace = createWorkspace(() => 0);
const user = { id: 'U01ANA' };
const view = { title: { type: 'plain_text', text: 'Push' } };
const event = (type: string, more: Fields): Fields => ({ event: { type, ...more } });

it.each<[string, string, Envelope['kind'], Fields]>([
  [
    'Ana',
    'typed /site can @Chi a < b',
    'slash_commands',
    { user_id: user.id, command: '/site', text: 'can <@U03CHI> a &lt; b' },
  ],
  [
    'Ana',
    'typed /site cache clear acme-*/live, north-*/live',
    'slash_commands',
    { user_id: user.id, command: '/site', text: 'cache clear acme-*/live, north-*/live' },
  ],
  ['Ana', 'typed /site', 'slash_commands', { user_id: user.id, command: '/site', text: '' }],
  ['Ana', 'sent the form “Push”', 'interactive', { type: 'view_submission', user, view }],
  ['Ana', 'closed the form “Push”', 'interactive', { type: 'view_closed', user, view }],
  ['Ana', 'looked for “ac”', 'interactive', { type: 'block_suggestion', user, value: 'ac' }],
  ['Ana', 'chose the shortcut run', 'interactive', { type: 'shortcut', user, callback_id: 'run' }],
  ['Ana', 'pressed “Stop”', 'interactive', { type: 'block_actions', user, actions: [{ text: { text: 'Stop' } }] }],
  ['Ana', 'pressed “files”', 'interactive', { type: 'block_actions', user, actions: [{ action_id: 'files' }] }],
  ['Ana', 'wrote @Sitehand logs', 'events_api', event('app_mention', { user: user.id, text: '<@U0SITEHAND> logs' })],
  ['Ana', 'opened the Home tab', 'events_api', event('app_home_opened', { user: user.id })],
  ['', 'event subteam_members_changed', 'events_api', event('subteam_members_changed', { subteam_id: 'S0DEVS' })],
  ['', 'pressed “”', 'interactive', {}],
])('summarises an envelope: %s %s', (by, did, kind, payload) => {
  expect(summaryOf(workspace, { kind, payload })).toEqual({ by, did });
});

it('is cut to its maximum length', () => {
  const { did } = summaryOf(workspace, {
    kind: 'slash_commands',
    payload: { command: '/site', text: 'x'.repeat(5000) },
  });
  expect(did).toHaveLength(201);
});
