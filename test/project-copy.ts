import { cp, mkdtemp, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

const root = path.resolve(import.meta.dirname, '..');
const copied = [
  'src',
  'test',
  'package.json',
  'package-lock.json',
  '.npmrc',
  '.env.example',
  'LICENSE',
  'CHANGELOG.md',
  'tsconfig.json',
  'vitest.config.ts',
  'manifest.yml',
  'policy.example.yml',
  'policy.schema.json',
  'README.md',
  'docs',
  'deploy',
];

/** A copy of the project in a temporary folder, with the packages of this one. */
export async function copyOfProject(): Promise<string> {
  const copy = await mkdtemp(path.join(tmpdir(), 'sitehand-copy-'));
  await Promise.all(copied.map((name) => cp(path.join(root, name), path.join(copy, name), { recursive: true })));
  await symlink(path.join(root, 'node_modules'), path.join(copy, 'node_modules'));
  return copy;
}
