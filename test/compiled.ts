import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';

const root = path.resolve(import.meta.dirname, '..');

/** What the compiler says of a source in a folder of `test/`, by the project's own settings; nothing if it compiles. */
export function compilerSays(source: string): string {
  const folder = mkdtempSync(path.join(root, 'test', '.example-'));
  try {
    writeFileSync(path.join(folder, 'example.ts'), source);
    writeFileSync(
      path.join(folder, 'tsconfig.json'),
      JSON.stringify({ extends: '../../tsconfig.json', files: ['example.ts'], include: [], exclude: [] }),
    );
    const { stdout, status } = spawnSync(path.join(root, 'node_modules/.bin/tsc'), ['-p', folder, '--singleThreaded'], {
      encoding: 'utf8',
    });
    return status === 0 ? '' : `exit code ${status}: ${stdout}`;
  } finally {
    rmSync(folder, { recursive: true });
  }
}
