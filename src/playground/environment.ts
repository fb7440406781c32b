import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { playgroundFolder } from './beside.ts';
import type { HostingStandIn } from './hosting/server.ts';
import type { SiteStandIn } from './site/server.ts';
import type { SlackStandIn } from './slack/stand-in.ts';

/** The inputs of the bot's environment. */
export type EnvironmentInputs = {
  readonly slack: Pick<SlackStandIn, 'apiUrl' | 'tokens'>;
  readonly hosting: Pick<HostingStandIn, 'url' | 'key' | 'companyId'>;
  readonly site: Pick<SiteStandIn, 'connectTo'>;
  /** The database's folder. */
  readonly folder: string;
  /** Where the bot listens in HTTP mode; undefined means Socket Mode. */
  readonly port: number | undefined;
  readonly logLevel: string;
  /** The policy file; undefined means the playground's own. */
  readonly policy: string | undefined;
  /** Where programs ask. */
  readonly apiPort: number;
  /** Applied last, so a caller can override anything. */
  readonly more: Readonly<Record<string, string>>;
};

/** The key of the caller in the playground's own policy. It opens nothing but stand-ins. */
export const playgroundKey = 'shk_playground-opens-only-stand-ins-0000000000000';

/** The only variables of this process that the bot inherits. */
const INHERITED = ['PATH', 'HOME', 'TZ', 'LANG', 'NODE_COMPILE_CACHE'];

/** The bot's whole environment, with the two stand-ins in place of Slack and the host. */
export function botEnvironment(inputs: EnvironmentInputs): Record<string, string> {
  const { slack, hosting, site, folder, port, logLevel, policy, more } = inputs;
  const inherited = INHERITED.flatMap((name): [string, string][] => {
    const value = process.env[name];
    return value === undefined ? [] : [[name, value]];
  });
  const delivery: Record<string, string> =
    port === undefined
      ? { SLACK_APP_TOKEN: slack.tokens.app, PORT: '0' }
      : { SLACK_SIGNING_SECRET: slack.tokens.signingSecret, PORT: String(port), HOST: '127.0.0.1' };
  return {
    ...Object.fromEntries(inherited),
    API_PORT: String(inputs.apiPort),
    SLACK_BOT_TOKEN: slack.tokens.bot,
    ...delivery,
    SLACK_API_URL: slack.apiUrl,
    HOSTING_API_URL: hosting.url,
    HOSTING_API_KEY: hosting.key,
    HOSTING_COMPANY_ID: hosting.companyId,
    CHECK_CONNECT_TO: site.connectTo,
    POLICY_FILE: policy ?? fileURLToPath(new URL('policy.yml', playgroundFolder)),
    DATABASE_URL: `sqlite:${join(folder, 'sitehand.db')}`,
    LOG_LEVEL: logLevel,
    ...more,
  };
}
