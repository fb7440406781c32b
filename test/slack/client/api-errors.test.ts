import { expect, test } from 'vitest';
import { refusalOf, whyRefused, type RefusalKind } from '../../../src/slack/client/api-errors.ts';

/** Slack's error codes, and what each means for a due message. */
const table: Readonly<Record<RefusalKind, string>> = {
  transient:
    'internal_error fatal_error service_unavailable request_timeout ratelimited rate_limited message_limit_exceeded update_failed not_allowed_token_type missing_scope accesslimited team_added_to_org org_login_required external_channel_migrating',
  drawing:
    'invalid_blocks invalid_blocks_format msg_blocks_too_long msg_too_long invalid_attachments too_many_attachments no_text invalid_arguments invalid_arg_name invalid_form_data',
  token: 'invalid_auth not_authed account_inactive token_revoked token_expired',
  gone: 'channel_not_found not_in_channel is_archived channel_is_archived is_inactive message_not_found thread_not_found cannot_reply_to_message cant_update_message edit_window_closed restricted_action restricted_action_read_only_channel restricted_action_thread_only_channel restricted_action_non_threadable_channel restricted_action_thread_locked team_access_not_granted team_not_found access_denied app_access_restricted ekm_access_denied no_permission as_user_not_supported messages_tab_disabled user_not_found user_disabled cannot_dm_bot enterprise_is_restricted',
};
const rows = Object.entries(table).flatMap(([kind, words]) => words.split(' ').map((word) => [word, kind] as const));

test.each(rows)('%s is %s', (word, kind) => expect(refusalOf(word)).toBe(kind));

test.each([
  ['not_in_channel', 'uninvited'],
  ['channel_not_found', 'uninvited'],
  ['message_not_found', 'no message'],
  ['is_archived', undefined],
  ['user_not_found', undefined],
])('%s says besides: %s', (word, why) => expect(whyRefused(word)).toBe(why));

test('an unknown error code sends the message elsewhere instead of waiting for a day', () => {
  expect(refusalOf('restricted_action_on_sundays')).toBe('gone');
});

test.each(['', '<!DOCTYPE html><html>Bad gateway</html>', 'upstream connect error', '502'])(
  '“%s” is no error code of Slack: it may pass',
  (page) => expect(refusalOf(page)).toBe('transient'),
);
