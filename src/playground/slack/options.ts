import type { WorkspaceSeed } from './seed.ts';
import type { Tokens } from './web-api.ts';

/** How the workspace and its app are set up; everything has a default. */
export type SlackOptions = {
  /** 0, the default, takes a free one. */
  readonly port?: number;
  readonly tokens?: Tokens;
  /** The people, user groups and channels; a workspace of its own by default. */
  readonly seed?: WorkspaceSeed;
  /** Socket Mode unless said otherwise. */
  readonly delivery?: { readonly kind: 'socket' } | { readonly kind: 'http'; readonly url?: string };
  /** Whether Slack's own limits (1 message a second in a channel, 50 edits a minute …) are kept; off by default. */
  readonly rateLimits?: boolean;
  /** What the app may do; by default everything but `chat:write.public`. */
  readonly scopes?: readonly string[];
  /** The events the app has subscribed to. */
  readonly events?: readonly string[];
  /** Whether commands arrive with `should_escape`, as by default. */
  readonly shouldEscape?: boolean;
  /** Unix milliseconds, for everything that expires. */
  readonly now?: () => number;
  /** How long an ack may take; 3,000 as at Slack. */
  readonly ackTimeoutMs?: number;
};

/** The tokens of a workspace that was given none. */
export const TOKENS: Tokens = {
  bot: 'xoxb-playground-bot',
  app: 'xapp-playground-app',
  signingSecret: 'playground-signing-secret-of-nobody',
};
/** The events an app has subscribed to unless said otherwise. */
export const EVENTS = ['app_mention', 'app_home_opened', 'subteam_members_changed'];
/** What an app may do unless said otherwise. */
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
