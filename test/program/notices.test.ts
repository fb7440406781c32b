import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';

/** Ends by itself once lines were lost: after `then`, which may make room, and another line. */
const source = (
  then = '',
): string => `import { openLog } from ${JSON.stringify(join(process.cwd(), 'src/program/notices.ts'))};
  import { execFileSync } from 'node:child_process';
  import { setImmediate } from 'node:timers/promises';
  const { log, logLoss } = openLog('info');
  while (logLoss().lines < 3) { log.info('still here'); await setImmediate(); }
  ${then}
  log.info('one more'); await setImmediate();
  process.stderr.write(JSON.stringify(logLoss()) + '\\n');
  process.exit(7);`;

/** What the program says on standard error, and its exit code, if the shell gives it that standard output. */
const endOf = (shell: string, program: string): string =>
  execFileSync('/bin/bash', ['-c', shell, process.execPath, program], { encoding: 'utf8' });
const run = '"$0" --input-type=module --eval "$1"';
const complaint = (code: string): string =>
  `Sitehand can't write its log (${code}). It goes on working, and counts the lines that are lost.\n`;

describe.skipIf(process.platform !== 'linux')('a log that cannot be written', () => {
  test.each([
    ['nobody reads any more', `exec 3>&1; { ${run} 2>&3; echo $? >&3; } | true`, 'EPIPE'],
    ['is full', `${run} 2>&1 >/dev/full; echo $?`, 'ENOSPC'],
  ])('because it %s ends nothing: it is said once, and lost lines are counted', (_, shell, code) => {
    const loss = JSON.stringify({ lines: 4, why: code, isLosing: true });
    expect(endOf(shell, source())).toBe(`${complaint(code)}${loss}\n7\n`);
  });

  test('nor does it with a full standard error: it goes on until it ends by itself', () => {
    expect(endOf(`${run} >/dev/full 2>/dev/full; echo $?`, source())).toBe('7\n');
  });

  test('is written again once there is room, on a line of its own', () => {
    const folder = mkdtempSync(join(tmpdir(), 'sitehand-log-'));
    try {
      const file = join(folder, 'log');
      const makeRoom = "execFileSync('prlimit', ['--pid', String(process.pid), '--fsize=unlimited:unlimited']);";
      const shell = `ulimit -S -f 1; ${run} 2>&1 >${file}; echo $?`;
      const loss = JSON.stringify({ lines: 3, why: 'EFBIG', isLosing: false });
      expect(endOf(shell, source(makeRoom))).toBe(`${complaint('EFBIG')}${loss}\n7\n`);
      expect(readFileSync(file, 'utf8').split('\n').at(-2)).toContain('"msg":"one more"');
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  test('does not hide why the process ends: standard error says so, too', () => {
    const crash = "throw new Error('a bug');";
    expect(endOf(`${run} 2>&1 >/dev/full; echo $?`, source(crash))).toBe(
      `${complaint('ENOSPC')}Sitehand ends: unexpected error: a bug\n1\n`,
    );
  });
});
