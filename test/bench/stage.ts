import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startHosting, type HostingStandIn } from '../../src/playground/hosting/server.ts';
import { startSlack } from '../../src/playground/slack/server.ts';
import type { SlackStandIn } from '../../src/playground/slack/stand-in.ts';

/** Both full stand-ins on loopback, an empty folder with a policy, and the variables of a bot between them. */
export type Stage = {
  readonly slack: SlackStandIn;
  readonly hosting: HostingStandIn;
  readonly environment: Record<string, string>;
  readonly close: () => Promise<void>;
};

export async function openStage(policy: string, options: Parameters<typeof startHosting>[0]): Promise<Stage> {
  const hosting = await startHosting(options);
  const slack = await startSlack({ delivery: { kind: 'http' } });
  const folder = await mkdtemp(join(tmpdir(), 'sitehand-bench-'));
  await writeFile(join(folder, 'policy.yml'), policy);
  const environment = {
    SLACK_BOT_TOKEN: slack.tokens.bot,
    SLACK_SIGNING_SECRET: slack.tokens.signingSecret,
    SLACK_API_URL: slack.apiUrl,
    HOSTING_API_URL: hosting.url,
    HOSTING_API_KEY: hosting.key,
    HOSTING_COMPANY_ID: hosting.companyId,
    POLICY_FILE: join(folder, 'policy.yml'),
    DATABASE_URL: `sqlite:${join(folder, 'sitehand.db')}`,
    LOG_LEVEL: 'error',
  };
  const close = async (): Promise<void> => {
    await Promise.all([slack.close(), hosting.close(), rm(folder, { recursive: true })]);
  };
  return { slack, hosting, environment, close };
}
