/**
 * What Slack's word for a refused message means: `transient`, it may take it after a while; `drawing`, this message and
 * no other is wrong; `token`, it takes nothing from us at all; `gone`, this place does not take it, another may.
 */
export type Refused = 'transient' | 'drawing' | 'token' | 'gone';

// The words of chat.postMessage and chat.update as Slack documents them, 2026-11.
const transient: readonly string[] = [
  // What the token or the network may not do until somebody mends it: the token itself is taken.
  'not_allowed_token_type',
  'missing_scope',
  'accesslimited',
  'internal_error',
  'fatal_error',
  'service_unavailable',
  'request_timeout',
  'ratelimited',
  'rate_limited',
  'message_limit_exceeded',
  'update_failed',
  // These last as long as a migration does.
  'team_added_to_org',
  'org_login_required',
  'external_channel_migrating',
];
const drawing: readonly string[] = [
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
];
const token: readonly string[] = ['invalid_auth', 'not_authed', 'account_inactive', 'token_revoked', 'token_expired'];

const known = new Map<string, Refused>([
  ...transient.map((word) => [word, 'transient'] as const),
  ...drawing.map((word) => [word, 'drawing'] as const),
  ...token.map((word) => [word, 'token'] as const),
]);

/** A method that this workspace, or this token, lacks until somebody mends it. */
const lacking = new Set([
  'feature_not_enabled',
  'method_deprecated',
  'missing_scope',
  'not_allowed_token_type',
  'paid_teams_only',
  'plan_upgrade_required',
  'unknown_method',
]);

/** Whether Slack's word means that it never answers this method to us, as things are. */
export const isLacking = (word: string): boolean => lacking.has(word);

/**
 * The kind of a refusal. A word that is not known is `gone`: whatever is new at Slack is told elsewhere, rather than
 * tried for a day. What is no word at all, as a page of HTML, is no answer to the message.
 */
export const refusalOf = (word: string): Refused =>
  known.get(word) ?? (/^[a-z][a-z0-9_]{1,80}$/.test(word) ? 'gone' : 'transient');
