import { chmod, copyFile, mkdir, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { rolldown, type Plugin } from 'rolldown';
import { z } from 'zod';
import { licencesOf, packagesOf } from './licences.ts';
import { billOfMaterials } from './sbom.ts';

/** Makes the package: the program in one file for any Node from 24 on, without dependencies. */

const root = resolve(import.meta.dirname, '..');
const web = 'src/playground/web';

/** What the package says of itself, as the project does. `repository` is a GitHub address. */
const manifest = z.object({
  name: z.string(),
  version: z.string(),
  description: z.string(),
  keywords: z.array(z.string()),
  license: z.string(),
  repository: z.object({ type: z.literal('git'), url: z.string() }),
  type: z.literal('module'),
  engines: z.object({ node: z.string() }),
  // Whoever publishes it elsewhere than in CI is refused by npm itself.
  publishConfig: z.object({ access: z.literal('public'), provenance: z.literal(true) }),
});
export type Manifest = z.output<typeof manifest>;
export const projectManifest: Manifest = manifest.parse(JSON.parse(await readFile(join(root, 'package.json'), 'utf8')));

/** Puts what stands beside the package's program in the place of what stands beside the sources. */
const beside: Plugin = {
  name: 'beside',
  resolveId: {
    filter: { id: /\/(?:beside|playground\/main|protocol)\.ts$/ },
    handler(id, importer) {
      if (id.endsWith('/beside.ts')) return join(root, 'deploy/beside.ts');
      // Bundles of their own, loaded by `sitehand playground` alone, and for agents alone.
      const file = id.endsWith('/main.ts') ? './playground.js' : './protocol.js';
      return importer === undefined ? undefined : { id: file, external: 'relative' };
    },
  },
};

/** Writes one source, and all that it imports, into one file. Resolves with the modules that are in it. */
export async function bundle(
  source: string,
  file: string,
  platform: 'node' | 'browser' = 'node',
): Promise<readonly string[]> {
  const build = await rolldown({
    input: join(root, source),
    platform,
    external: ['pg-native'],
    plugins: [beside],
    // Else it says where each module was on this machine.
    experimental: { attachDebugInfo: 'none' },
  });
  const { output } = await build.write({ file, codeSplitting: false, comments: false });
  await build.close();
  return output.flatMap((chunk) => (chunk.type === 'chunk' ? chunk.moduleIds : []));
}

/** Writes the playground's page into a folder, its modules as one. */
export async function buildPage(folder: string): Promise<void> {
  await bundle(`${web}/page.ts`, join(folder, 'page.js'), 'browser');
  const html = await readFile(join(root, web, 'index.html'), 'utf8');
  await writeFile(join(folder, 'index.html'), html.replace('/web/page.ts', '/web/page.js'));
  const styles = (await readdir(join(root, web))).filter((name) => name.endsWith('.css'));
  for (const name of styles) await copyFile(join(root, web, name), join(folder, name));
}

/** Builds the package into an empty or new folder. */
export async function build(folder: string, about: Manifest = projectManifest): Promise<void> {
  const playground = join(folder, 'playground');
  await mkdir(playground, { recursive: true });
  const modules = [
    await bundle('deploy/program.ts', join(folder, 'program.js')),
    await bundle('src/commands/logs/analysis-thread.ts', join(folder, 'analysis-thread.js')),
    await bundle('src/playground/main.ts', join(folder, 'playground.js')),
    await bundle('src/api/protocol.ts', join(folder, 'protocol.js')),
  ].flat();
  await buildPage(join(playground, 'web'));
  await copyFile(join(root, 'src/playground/policy.yml'), `${playground}/policy.yml`);
  const packages = packagesOf(modules);
  await writeFile(join(folder, 'THIRD-PARTY-LICENCES.txt'), licencesOf(packages));
  const inside = new Set(packages.map((one) => `${one.name}@${one.version}`));
  await writeFile(join(folder, 'sbom.cdx.json'), billOfMaterials(root, inside));
  await copyFile(join(root, 'src/node-version.js'), join(folder, 'node-version.js'));
  await copyFile(join(root, 'deploy/sitehand.js'), join(folder, 'sitehand.js'));
  const taken = ['README.md', 'LICENSE', 'manifest.yml', 'policy.example.yml', 'policy.schema.json', '.env.example'];
  for (const name of taken) await copyFile(join(root, name), join(folder, name));
  // Nothing of it can be imported, but for what tools read.
  const readable = ['./package.json', './policy.schema.json'];
  const uses = {
    bin: { sitehand: 'sitehand.js' },
    exports: Object.fromEntries(readable.map((name) => [name, name])),
    files: (await readdir(folder)).toSorted(),
  };
  await writeFile(join(folder, 'package.json'), `${JSON.stringify({ ...about, ...uses }, null, 2)}\n`);
  // Whoever builds it may have files that nobody else can read.
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true }))
    await chmod(
      join(entry.parentPath, entry.name),
      entry.isDirectory() || entry.name === 'sitehand.js' ? 0o755 : 0o644,
    );
}

if (import.meta.main) {
  const folder = join(root, 'dist');
  await rm(folder, { recursive: true, force: true });
  await build(folder);
}
