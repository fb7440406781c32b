import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseEnv, stripVTControlCharacters } from 'node:util';
import { expect, test } from 'vitest';
import { skipNote } from '../../skip-note.ts';
import { TOKENS } from '../../../src/playground/slack/options.ts';
import { patienceMs } from '../../stories/scenario.ts';

/** The prompts, on a pseudo terminal, as the playground rehearses them. */

const script = '/usr/bin/script';
const root = join(import.meta.dirname, '../../..');
/** The stand-in's. */
const hostingKey = 'playground-hosting-key';
const keys = { enter: '\r', tab: '\t', down: '\u001b[B', ctrlC: '\u0003' } as const;

/** Runs a program on a terminal of its own in this folder. After each text appears, types what belongs to it. */
async function converse(folder: string, words: string, lines: readonly (readonly [seen: string, typed: string])[]) {
  const program = `stty cols 80 rows 24; exec ${process.execPath} --import ${root}/src/node-version.js ${root}/src/${words}`;
  const terminal = spawn(script, ['-qec', program, '/dev/null'], {
    cwd: folder,
    env: { PATH: process.env['PATH'], TERM: 'xterm', SHELL: '/bin/sh' },
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
  `at a terminal it asks for everything, asks again after a wrong token, and shows no secret; the bot starts with it${noTerminal}`,
  () =>
    inFolder(async (folder) => {
      const { code, said, unseen } = await converse(
        folder,
        `sitehand.ts playground --setup --port 0 --keep ${folder}`,
        [
          ['Name of the slash command', keys.enter],
          ['Slash command: /site.', ''],
          ['How does Slack deliver?', keys.enter],
          ['Bot User OAuth Token', `${TOKENS.app}${keys.enter}`],
          ['this is an app-level token', ''],
          ['Bot User OAuth Token', `${TOKENS.bot}${keys.enter}`],
          ['Basic Information →', ''],
          ['│  App-Level Tokens', `${TOKENS.app}${keys.enter}`],
          ['Which hosting service is it?', `${keys.down}${keys.enter}`],
          ['Key of the hosting API', `${hostingKey}${keys.enter}`],
          ['Who are the leads?', `chi${keys.tab}`],
          ['Chi Chukwu', keys.enter],
          ['Who are the developers?', `devs${keys.tab}`],
          ['@devs', keys.enter],
          ['Id of the channel', `C0OPS${keys.enter}`],
          ['Only one person may approve.', keys.enter],
          ["I'm not in #C0OPS", ''],
          ['What has ⚠️ can be done once it runs.', ''],
          ['is in its channels as after /invite', ''],
          ['and who must agree', ''],
          ['Press Ctrl-C to stop', keys.ctrlC],
        ],
      );
      expect(unseen).toEqual([]);
      expect(code).toBe(0);
      // The rules that it wrote name no program, so no key is of use.
      expect(said).not.toContain('SITEHAND_CALLER_KEY');
      // What it asks for was told before.
      const asked = said.slice(said.indexOf('Name of the slash command'));
      for (const secret of [TOKENS.bot, TOKENS.app, hostingKey]) expect(asked).not.toContain(secret);
      expect(await readdir(folder)).toEqual(
        expect.arrayContaining(['.env', 'app-manifest.yml', 'policy.yml', 'sitehand.db']),
      );
      expect(parseEnv(await readFile(join(folder, '.env'), 'utf8'))).toMatchObject({
        SLACK_BOT_TOKEN: TOKENS.bot,
        HOSTING_DIALECT: 'document',
      });
      // Nothing of Slack's own pages, no line of the log, and no advice to start what starts by itself.
      expect(asked).not.toMatch(/manifest_json|"level":|To start it/);
      expect(await readFile(join(folder, 'policy.yml'), 'utf8')).toContain('    - U03CHI # Chi Chukwu\n');

      // The stand-ins are gone.
      const again = await converse(folder, 'sitehand.ts setup', [
        ['Taken from .env: SLACK_BOT_TOKEN', ''],
        ['Keep the address', 'y'],
        ['Make new rules?', keys.ctrlC],
      ]);
      expect(again.said).toContain('Stopped. Nothing was written.');
      expect(again).toMatchObject({ code: 130, unseen: [] });
    }),
);
