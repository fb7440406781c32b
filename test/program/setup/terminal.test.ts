import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseEnv, stripVTControlCharacters } from 'node:util';
import { expect, test } from 'vitest';
import { skipNote } from '../../skip-note.ts';
import { canaries, inScenario, patienceMs } from '../../stories/scenario.ts';

/** The prompts, on a pseudo terminal. */

const script = '/usr/bin/script';
const root = join(import.meta.dirname, '../../..');
const keys = { enter: '\r', tab: '\t', down: '\u001b[B', ctrlC: '\u0003' } as const;

/** Runs it on a terminal of its own in this folder. After each text appears, types what belongs to it. */
async function converse(
  folder: string,
  environment: Readonly<Record<string, string>>,
  lines: readonly (readonly [seen: string, typed: string])[],
) {
  const program = `stty cols 100 rows 40; exec ${process.execPath} --import ${root}/src/node-version.js ${root}/src/sitehand.ts setup`;
  const terminal = spawn(script, ['-qec', program, '/dev/null'], {
    cwd: folder,
    env: { PATH: process.env['PATH'], TERM: 'xterm', SHELL: '/bin/sh', ...environment },
  });
  let drawn = '';
  let said = '';
  let read = 0;
  const next = [...lines];
  const answer = (chunk: string): void => {
    drawn += chunk;
    said = stripVTControlCharacters(drawn);
    for (;;) {
      const [seen, typed] = next[0] ?? [];
      const at = seen === undefined ? -1 : said.indexOf(seen, read);
      if (seen === undefined || at < 0) return;
      next.shift();
      read = at + seen.length;
      terminal.stdin.write(typed ?? '');
    }
  };
  terminal.stdout.setEncoding('utf8').on('data', answer);
  const late = setTimeout(() => terminal.kill('SIGKILL'), patienceMs);
  await once(terminal, 'close');
  clearTimeout(late);
  return { code: terminal.exitCode, said, unseen: next.map(([seen]) => seen) };
}

const inFolder = async (story: (folder: string) => Promise<void>): Promise<void> => {
  const folder = await mkdtemp(join(tmpdir(), 'sitehand-terminal-'));
  try {
    await story(folder);
  } finally {
    await rm(folder, { recursive: true });
  }
};

const hasTerminal = existsSync(script);
const noTerminal = skipNote('script', hasTerminal);

test.skipIf(!hasTerminal)(
  `at a terminal it asks for everything, asks again after a wrong token, and shows no secret${noTerminal}`,
  inScenario({ start: false }, (scenario) =>
    inFolder(async (folder) => {
      const { code, said, unseen } = await converse(folder, { SLACK_API_URL: scenario.slack.apiUrl }, [
        ['Name of the slash command', keys.enter],
        ['How does Slack deliver?', keys.enter],
        ['Bot User OAuth Token', `${canaries.app}${keys.enter}`],
        ['this is an app-level token', ''],
        ['Bot User OAuth Token', `${canaries.bot}${keys.enter}`],
        ['App-level token (xapp', `${canaries.app}${keys.enter}`],
        ['Base address of the hosting API', `${scenario.hosting.url}${keys.enter}`],
        ['Which service is it?', keys.enter],
        ['Key of the hosting API', `${canaries.hosting}${keys.enter}`],
        ['Who are the admins?', `chi${keys.tab}`],
        ['Chi Chukwu', keys.enter],
        ['Who else may work', `devs${keys.tab}`],
        ['@devs', keys.enter],
        ['Id of the channel', `C0OPS${keys.enter}`],
      ]);
      expect(unseen).toEqual([]);
      expect(said).toMatch(/All 18 checks are fine/);
      expect(code).toBe(0);
      for (const canary of Object.values(canaries)) expect(said).not.toContain(canary);
      expect((await readdir(folder)).toSorted()).toEqual(['.env', 'manifest.yml', 'policy.yml']);
      expect(parseEnv(await readFile(join(folder, '.env'), 'utf8'))).toMatchObject({ SLACK_BOT_TOKEN: canaries.bot });
      expect(await readFile(join(folder, 'policy.yml'), 'utf8')).toContain('    - U03CHI # Chi Chukwu\n');

      const again = await converse(folder, {}, [['Make new rules?', keys.ctrlC]]);
      expect(again.said).toContain('Stopped. Nothing was written.');
      expect(again).toMatchObject({ code: 130, unseen: [] });
    }),
  ),
);
