import { execFile } from 'node:child_process';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { copyOfProject } from './project-copy.ts';

/**
 * CONTRIBUTING says that a command is added in two steps. This test takes them in a copy, beside commands with
 * mistakes.
 */

const contributing = path.resolve(import.meta.dirname, '../CONTRIBUTING.md');

/** A command with this mistake: it replaces an environment's allowlist without a look. */
const wrong = (name: string, mistake: string): string =>
  `
  import { getAllowedIps, setAllowedIps } from '../../hosting/contract/environment.ts';
  import { say } from '../../words/text.ts';
  import { action } from '../kit/action.ts';
  import { environment } from '../kit/fields.ts';

  export const ${name} = action({
    summary: 'Let one address in and nobody else',
    button: 'Let one in',
    examples: ['acme-shop/live'],
    risk: 'sensitive',
    fields: { env: environment() },
    target: 'env',
    look: async ({ input, read }) => ({ list: await read(getAllowedIps({ env_id: input.env.id })) }),
    call: ({ input }) => setAllowedIps({ env_id: input.env.id, ip_allowlist: ['192.0.2.7'] }),
    card: ({ input }) => ({ title: say\`Let one into \${input.env.name}\`, done: say\`Let one into \${input.env.name}\` }),
    ${mistake}
  });`
    .replaceAll('\\`', '`')
    .replaceAll('\\$', '$');

const report = z.object({
  testResults: z.array(
    z.object({
      assertionResults: z.array(
        z.object({ fullName: z.string(), status: z.string(), failureMessages: z.array(z.string()).default([]) }),
      ),
    }),
  ),
});

describe('adding a command', () => {
  let copy: string;
  let results: z.infer<typeof report>['testResults'][number]['assertionResults'];

  beforeAll(async () => {
    copy = await copyOfProject();
    const text = await readFile(contributing, 'utf8');
    const [, file = '', example = ''] = /<!-- example: (\S+) -->\n```ts\n([\s\S]*?)```/.exec(text) ?? [];
    const [, line = ''] = /`(\['php restart', \w+\],)`/.exec(text) ?? [];
    const folder = path.join(copy, path.dirname(file));
    await mkdir(folder);
    await writeFile(path.join(copy, file), example);
    const proof = "proof: ({ input }) => ({ verdict: 'yes', says: say`One is let into ${input.env.name}` }),";
    await writeFile(path.join(folder, 'proven.ts'), wrong('phpProven', proof));
    const undo = "undo: ({ input }) => ['allowlist', 'add', input.env.id, '192.0.2.99'],";
    await writeFile(path.join(folder, 'undone.ts'), wrong('phpUndone', undo));
    await writeFile(path.join(folder, 'forgotten.ts'), wrong('phpForgotten', ''));
    const index = path.join(copy, 'src/commands/index.ts');
    const [imports, map] = (await readFile(index, 'utf8')).split("  ['push', push],");
    await writeFile(
      index,
      `import { phpRestart } from './php/restart.ts';
      import { phpProven } from './php/proven.ts';
      import { phpUndone } from './php/undone.ts';
      ${imports}${line}['php proven', phpProven], ['php undone', phpUndone], ['push', push],${map}`,
    );
    results = await contractTest(copy);
  });

  afterAll(async () => rm(copy, { recursive: true }));

  const of = (name: string) => results.filter(({ fullName }) => fullName.startsWith(name));
  const failures = (name: string): readonly string[] => of(name).flatMap(({ failureMessages }) => failureMessages);

  it('takes its file and its line, and runs the contract tests on it', () => {
    expect(failures('php restart')).toEqual([]);
    expect(of('php restart').length).toBeGreaterThan(12);
  });

  it('fails without the line, with a message', () => {
    expect(failures('no file of a command is forgotten').join()).toContain(
      'Nobody can say src/commands/php/forgotten.ts: add its line',
    );
  });

  it('reports a proof that holds before anything is sent', () => {
    expect(failures('php proven').join()).toContain('proof says yes before anything was sent');
  });

  it('reports an undo that leaves something behind', () => {
    expect(failures('php undone').join()).toContain('undo does not bring back what was there');
  });
});

/** The results of the contract tests in the copy, for commands named php and for forgotten ones. */
async function contractTest(copy: string) {
  const file = path.join(copy, 'report.json');
  const words = ['--import', './src/node-version.js', 'node_modules/vitest/vitest.mjs', 'run', 'test/commands.test.ts'];
  const options = [
    '--experimental.viteModuleRunner=false',
    '-t',
    'php |forgotten',
    '--reporter=json',
    `--outputFile=${file}`,
  ];
  // A compile cache would not help a later run, which makes another copy.
  const env = { ...process.env, NODE_DISABLE_COMPILE_CACHE: '1' };
  // The exit code is 1, because some tests must fail.
  await new Promise((resolve) => execFile(process.execPath, [...words, ...options], { cwd: copy, env }, resolve));
  const { testResults } = report.parse(JSON.parse(await readFile(file, 'utf8')));
  return testResults.flatMap(({ assertionResults }) => assertionResults).filter(({ status }) => status !== 'skipped');
}
