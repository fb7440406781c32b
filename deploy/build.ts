import { chmod, copyFile, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { rolldown, type Plugin } from 'rolldown';
import { z } from 'zod';
import { licencesOf, packagesOf } from './licences.ts';
import { billOfMaterials } from './sbom.ts';

/** Makes the package: the program in one file for any Node from 24 on, without dependencies. */

const root = resolve(import.meta.dirname, '..');
const manifest = z.object({ version: z.string(), description: z.string(), license: z.string() });

/** Puts what stands beside the package's program in the place of what stands beside the sources. */
const beside: Plugin = {
  name: 'beside',
  resolveId: { filter: { id: /\/beside\.ts$/ }, handler: () => join(root, 'deploy/beside.ts') },
};

/** Writes one source, and all that it imports, into one file. Resolves with the modules that are in it. */
export async function bundle(source: string, file: string): Promise<readonly string[]> {
  const build = await rolldown({
    input: join(root, source),
    platform: 'node',
    external: ['pg-native'],
    plugins: [beside],
  });
  const { output } = await build.write({ file, codeSplitting: false, comments: false });
  await build.close();
  return output.flatMap((chunk) => (chunk.type === 'chunk' ? chunk.moduleIds : []));
}

/** Builds the package into an empty or new folder. */
export async function build(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  const modules = [
    await bundle('deploy/program.ts', join(folder, 'program.js')),
    await bundle('src/commands/logs/analysis-thread.ts', join(folder, 'analysis-thread.js')),
  ].flat();
  const { version, description, license } = manifest.parse(
    JSON.parse(await readFile(join(root, 'package.json'), 'utf8')),
  );
  const about = { name: 'sitehand', version, description, license, type: 'module' };
  const uses = { bin: { sitehand: 'sitehand.js' }, engines: { node: '>=24' } };
  await writeFile(join(folder, 'package.json'), `${JSON.stringify({ ...about, ...uses }, null, 2)}\n`);
  const packages = packagesOf(modules);
  await writeFile(join(folder, 'THIRD-PARTY-LICENCES.txt'), licencesOf(packages));
  const inside = new Set(packages.map((one) => `${one.name}@${one.version}`));
  await writeFile(join(folder, 'sbom.cdx.json'), billOfMaterials(root, inside));
  await copyFile(join(root, 'src/node-version.js'), join(folder, 'node-version.js'));
  await copyFile(join(root, 'deploy/sitehand.js'), join(folder, 'sitehand.js'));
  await chmod(join(folder, 'sitehand.js'), 0o755);
  const taken = ['LICENSE', 'manifest.yml', 'policy.example.yml', 'policy.schema.json', '.env.example'];
  for (const name of taken) await copyFile(join(root, name), join(folder, name));
}

if (import.meta.main) {
  const folder = join(root, 'dist');
  await rm(folder, { recursive: true, force: true });
  await build(folder);
}
