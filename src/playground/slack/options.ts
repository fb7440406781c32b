import type { WorkspaceSeed } from './seed.ts';
import type { Tokens } from './web-api.ts';

/** Options of the workspace and its app; all have defaults. */
export type SlackOptions = {
  /** 0, the default, takes a free port. */
  readonly port?: number;
  readonly tokens?: Tokens;
  /** The people, user groups and channels. */
  readonly seed?: WorkspaceSeed;
  /** Socket Mode by default. */
  readonly delivery?: { readonly kind: 'socket' } | { readonly kind: 'http'; readonly url?: string };
  /** Whether to enforce Slack's rate limits (1 message a second per channel, 50 edits a minute, …); off by default. */
  readonly rateLimits?: boolean;
  /** The app's scopes; by default everything but `chat:write.public`. */
  readonly scopes?: readonly string[];
  /** The events the app has subscribed to. */
  readonly events?: readonly string[];
  /** Whether commands arrive with `should_escape`; true by default. */
  readonly shouldEscape?: boolean;
  /** The clock (Unix ms) for everything that expires. */
  readonly now?: () => number;
  /** How long an ack may take, in ms; 3,000 by default, as at Slack. */
  readonly ackTimeoutMs?: number;
};

/** The default tokens. */
export const TOKENS: Tokens = {
  bot: 'xoxb-playground-bot',
  app: 'xapp-playground-app',
  signingSecret: 'playground-signing-secret-of-nobody',
};
/** The default event subscriptions. */
export const EVENTS = ['app_mention', 'app_home_opened', 'subteam_members_changed'];
/** The default scopes. */
export const SCOPES = [
  'commands',
  'chat:write',
  'app_mentions:read',
  'users:read',
  'usergroups:read',
  'files:write',
  'channels:read',
  'groups:read',
  'channels:history',
  'im:write',
  'team:read',
];
