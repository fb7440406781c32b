import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { sitehand } from './beside.ts';
import { BOT_USER } from './slack/seed.ts';
import type { SlackStandIn } from './slack/stand-in.ts';

/** What the setup asks for. It is given the rest, such as the addresses, so nothing is asked of the originals. */
const asked = {
  SLACK_BOT_TOKEN: 'Bot User OAuth Token',
  SLACK_APP_TOKEN: 'App-level token',
  SLACK_SIGNING_SECRET: 'Signing Secret',
  HOSTING_API_KEY: 'Key of the hosting API',
} as const;
/** What it finds out by itself, or asks for. */
const found = new Set(['HOSTING_COMPANY_ID', 'POLICY_FILE']);

/**
 * Runs `sitehand setup` at this terminal, in this folder. `environment`: a bot's, which leads to the stand-ins. Resolves
 * with what a bot with the files of the setup needs. Rejects with a sentence if there are none.
 */
export async function rehearseSetup(
  environment: Readonly<Record<string, string>>,
  folder: string,
  slack: Pick<SlackStandIn, 'channels' | 'changeChannel'>,
): Promise<Record<string, string>> {
  const all = Object.entries(environment);
  const given = Object.fromEntries(all.filter(([name]) => !(name in asked) && !found.has(name)));
  const answers = Object.entries(asked).flatMap(([name, question]) => {
    const answer = environment[name];
    return answer === undefined ? [] : [[question, answer]];
  });
  const delivery = 'SLACK_APP_TOKEN' in environment ? 'Socket Mode' : 'HTTP';
  const service = 'Another service with the same API';
  const lines = [...answers, ['How does Slack deliver?', delivery], ['Which hosting service?', service]].map(
    ([question = '', answer = '']) => `    ${question.padEnd(26)}${answer}\n`,
  );
  process.stdout.write(
    `\n  sitehand setup, with stand-ins for Slack and the hosting service. Answer as you like, but for:\n${lines.join('')}\n`,
  );
  // An app that was just installed is in no channel.
  const joined = slack.channels().filter(({ members }) => members.includes(BOT_USER));
  for (const { id } of joined) slack.changeChannel(id, { bot: false });
  const setup = spawn(process.execPath, [...sitehand, 'setup', '--rehearsal'], {
    cwd: folder,
    env: { ...given, TERM: process.env['TERM'] },
    stdio: 'inherit',
  });
  await once(setup, 'close');
  for (const { id } of joined) slack.changeChannel(id, { bot: true });
  const file = join(folder, '.env');
  const isOver = setup.exitCode === 0 || setup.exitCode === 1 || setup.exitCode === 3;
  if (!isOver || !existsSync(file)) throw new Error('The setup did not come to its end, so nothing is running.');
  process.stdout.write('\n  The bot starts with these files, and is in its channels as after /invite.\n');
  // An `.env` of an earlier rehearsal has other addresses.
  return { POLICY_FILE: join(folder, 'policy.yml'), ...parseEnv(readFileSync(file, 'utf8')), ...given };
}
