import type { Undeliverable } from '../../pipeline/messages/messenger.ts';

/**
 * What Slack's error code for a message means. `transient`: it may work later. `drawing`: only this message is wrong.
 * `token`: Slack refuses everything from us. `gone`: this channel or person can't get the message, another may.
 */
export type RefusalKind = 'transient' | 'drawing' | 'token' | 'gone';

/** Slack's own trouble: the same call may succeed when it is made again. */
const outages = [
  'internal_error',
  'fatal_error',
  'service_unavailable',
  'request_timeout',
  'ratelimited',
  'rate_limited',
];

/** Whether this error code tells of trouble at Slack, not of what was asked. */
export const isOutage = (errorCode: string): boolean => outages.includes(errorCode);

// The error codes of chat.postMessage and chat.update in Slack's documentation of November 2026.
const transient = new Set([
  ...outages,
  // Missing rights of the token or network. Somebody has to fix them, but the token itself is valid.
  'not_allowed_token_type',
  'missing_scope',
  'accesslimited',
  'message_limit_exceeded',
  'update_failed',
  // These last as long as a migration.
  'team_added_to_org',
  'org_login_required',
  'external_channel_migrating',
]);
const drawing = new Set([
  'invalid_blocks',
  'invalid_blocks_format',
  'msg_blocks_too_long',
  'msg_too_long',
  'invalid_attachments',
  'too_many_attachments',
  'attachment_payload_limit_exceeded',
  'block_mismatch',
  'markdown_text_conflict',
  'no_text',
  'invalid_metadata_format',
  'invalid_metadata_schema',
  'metadata_too_large',
  'invalid_arguments',
  'invalid_arg_name',
  'invalid_array_arg',
  'invalid_charset',
  'invalid_form_data',
  'invalid_post_type',
  'missing_post_type',
]);
const token = new Set(['invalid_auth', 'not_authed', 'account_inactive', 'token_revoked', 'token_expired']);

/** This workspace or token can't use the method until somebody fixes that. */
const lacking = new Set([
  'feature_not_enabled',
  'method_deprecated',
  'missing_scope',
  'not_allowed_token_type',
  'paid_teams_only',
  'plan_upgrade_required',
  'unknown_method',
]);

/** Whether Slack's error code means that this method is unavailable to us for now. */
export const isLacking = (errorCode: string): boolean => lacking.has(errorCode);

/** Whether this is an error code, not other text such as a page of HTML. */
export const isErrorCode = (text: string): boolean => /^[a-z][a-z0-9_]{1,80}$/.test(text);

/**
 * The kind of a refusal. An unknown code counts as `gone`, so the message is sent elsewhere and not retried for a day.
 * Text that is not a code, such as a page of HTML, is `transient`.
 */
export function refusalOf(errorCode: string): RefusalKind {
  if (transient.has(errorCode) || !isErrorCode(errorCode)) return 'transient';
  if (drawing.has(errorCode)) return 'drawing';
  return token.has(errorCode) ? 'token' : 'gone';
}

/** What such a code says about the place or the message, besides its kind. */
export function whyRefused(errorCode: string): Undeliverable['why'] {
  if (errorCode === 'not_in_channel' || errorCode === 'channel_not_found') return 'uninvited';
  return errorCode === 'message_not_found' ? 'no message' : undefined;
}
