import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const source = `import { exitWithLog } from ${JSON.stringify(join(process.cwd(), 'src/notices.ts'))};
  import { createLog } from ${JSON.stringify(join(process.cwd(), 'src/log.ts'))};
  setInterval(() => log.info('still here'), 10);
  const log = exitWithLog(createLog('info'));`;

/** What the program says on standard error, and its exit code, if the shell gives it that standard output. */
const endOf = (shell: string): string =>
  execFileSync('/bin/bash', ['-c', shell, process.execPath, source], { encoding: 'utf8' });

test.skipIf(process.platform !== 'linux').each([
  ['nobody reads any more', `exec 3>&1; { "$0" --input-type=module --eval "$1" 2>&3; echo $? >&3; } | true`, 'EPIPE'],
  ['is full', `"$0" --input-type=module --eval "$1" 2>&1 >/dev/full; echo $?`, 'ENOSPC'],
])('a log that %s ends the process, which says so', (_, shell, code) => {
  expect(endOf(shell)).toBe(`Sitehand ends: it can't write its log to standard output (${code})\n1\n`);
});
