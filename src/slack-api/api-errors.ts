import type { Undeliverable } from '../post/messenger.ts';

/** What a message meets that Slack refuses. */
type Refused = Pick<Undeliverable, 'kind'> & Partial<Pick<Undeliverable, 'why'>>;

/** What a code is about. */
const meanings = {
  /** Slack or the workspace, for a time: the same call may succeed when it is made again. */
  passing: { kind: 'later' },
  /** The token or the workspace can't use the method until somebody fixes that. */
  lacking: { kind: 'later' },
  token: { kind: 'token' },
  /** This one message. */
  drawing: { kind: 'drawing' },
  /** This channel, thread, message or person. */
  place: { kind: 'gone' },
  uninvited: { kind: 'gone', why: 'uninvited' },
  'no message': { kind: 'gone', why: 'no message' },
  'no edits': { kind: 'gone', why: 'no edits' },
  /** Nothing that we know: another place may take the message, and so may the same one later. */
  unknown: { kind: 'unknown' },
} as const satisfies Record<string, Refused>;

/** The error codes of messages in Slack's documentation of November 2026. A code that isn't listed is `unknown`. */
const codes: readonly (readonly [keyof typeof meanings, ...(readonly string[])])[] = [
  ['passing', 'internal_error', 'fatal_error', 'service_unavailable', 'request_timeout', 'update_failed'],
  ['passing', 'ratelimited', 'rate_limited', 'accesslimited', 'message_limit_exceeded'],
  ['passing', 'team_added_to_org', 'org_login_required', 'external_channel_migrating'],
  ['lacking', 'missing_scope', 'not_allowed_token_type', 'paid_teams_only', 'plan_upgrade_required'],
  ['lacking', 'feature_not_enabled', 'method_deprecated', 'unknown_method'],
  ['token', 'invalid_auth', 'not_authed', 'account_inactive', 'token_revoked', 'token_expired'],
  ['drawing', 'invalid_blocks', 'invalid_blocks_format', 'msg_blocks_too_long', 'block_mismatch'],
  ['drawing', 'msg_too_long', 'no_text', 'markdown_text_conflict'],
  ['drawing', 'invalid_attachments', 'too_many_attachments', 'attachment_payload_limit_exceeded'],
  ['drawing', 'invalid_metadata_format', 'invalid_metadata_schema', 'metadata_too_large'],
  ['drawing', 'invalid_arguments', 'invalid_arg_name', 'invalid_array_arg', 'invalid_charset', 'invalid_form_data'],
  ['drawing', 'invalid_post_type', 'missing_post_type'],
  ['place', 'is_archived', 'channel_is_archived', 'is_inactive', 'no_permission', 'cannot_reply_to_message'],
  ['place', 'restricted_action_read_only_channel', 'restricted_action_thread_only_channel'],
  ['place', 'restricted_action_non_threadable_channel', 'restricted_action_thread_locked'],
  ['place', 'messages_tab_disabled', 'user_not_found', 'user_disabled', 'cannot_dm_bot'],
  ['uninvited', 'not_in_channel', 'channel_not_found'],
  ['no message', 'message_not_found', 'thread_not_found'],
  ['no edits', 'cant_update_message', 'edit_window_closed'],
];
const known = new Map(codes.flatMap(([meaning, ...all]) => all.map((code) => [code, meaning] as const)));

/** Text that is no code, such as a page of HTML, may pass. */
const meaningOf = (errorCode: string): keyof typeof meanings =>
  isErrorCode(errorCode) ? (known.get(errorCode) ?? 'unknown') : 'passing';

/** Whether this is an error code, not other text such as a page of HTML. */
export const isErrorCode = (text: string): boolean => /^[a-z][a-z0-9_]{1,80}$/.test(text);

/** Whether the same call may succeed when it is made again, whatever it asks for. */
export const isPassing = (errorCode: string): boolean => meaningOf(errorCode) === 'passing';

/** Whether Slack's error code means that this method is unavailable to us for now. */
export const isLacking = (errorCode: string): boolean => meaningOf(errorCode) === 'lacking';

/** Whether Slack will repeat this answer until somebody fixes what was asked, or how. */
export const isLasting = (errorCode: string): boolean => !['passing', 'token'].includes(meaningOf(errorCode));

/** What a message meets that Slack refuses with this code. */
export const refusalOf = (errorCode: string): Refused => meanings[meaningOf(errorCode)];
