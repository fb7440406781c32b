import { expect, test } from 'vitest';
import { isLacking, isLasting, isPassing, refusalOf } from '../../src/slack-api/api-errors.ts';

/** Slack's error codes by what each means for a due message, and why. */
const table = {
  'later passing':
    'internal_error fatal_error service_unavailable request_timeout ratelimited rate_limited message_limit_exceeded update_failed accesslimited team_added_to_org org_login_required external_channel_migrating',
  'later lacking lasting': 'not_allowed_token_type missing_scope unknown_method feature_not_enabled paid_teams_only',
  'drawing lasting':
    'invalid_blocks invalid_blocks_format msg_blocks_too_long msg_too_long invalid_attachments too_many_attachments no_text invalid_arguments invalid_arg_name invalid_form_data',
  token: 'invalid_auth not_authed account_inactive token_revoked token_expired',
  'gone lasting':
    'is_archived channel_is_archived is_inactive cannot_reply_to_message restricted_action_read_only_channel restricted_action_thread_only_channel restricted_action_non_threadable_channel restricted_action_thread_locked no_permission messages_tab_disabled user_not_found user_disabled cannot_dm_bot',
  'gone uninvited lasting': 'channel_not_found not_in_channel',
  'gone no message lasting': 'message_not_found thread_not_found',
  'gone no edits lasting': 'cant_update_message edit_window_closed',
  // Of whole workspaces, or of nobody knows what: no place's, and never the end of a message.
  'unknown lasting':
    'ekm_access_denied team_access_not_granted enterprise_is_restricted access_denied app_access_restricted team_not_found restricted_action as_user_not_supported restricted_action_on_sundays no_such_subteam',
} as const;
const rows = Object.entries(table).flatMap(([meaning, words]) => words.split(' ').map((word) => [word, meaning]));

test.each(rows)('%s is %s', (word = '', meaning) => {
  const { kind, why } = refusalOf(word);
  const marks = [isPassing(word) && 'passing', isLacking(word) && 'lacking', isLasting(word) && 'lasting'];
  expect([kind, why, ...marks].filter(Boolean).join(' ')).toBe(meaning);
});

test.each(['', '<!DOCTYPE html><html>Bad gateway</html>', 'upstream connect error', '502'])(
  '“%s” is no error code of Slack: it may pass',
  (page) => {
    expect(refusalOf(page)).toEqual({ kind: 'later' });
    expect(isLasting(page)).toBe(false);
  },
);
