import { execFileSync } from 'node:child_process';
import { z } from 'zod';

const component = z.looseObject({ 'bom-ref': z.string() });
const dependency = z.object({ ref: z.string(), dependsOn: z.array(z.string()).default([]) });
const document = z.looseObject({
  metadata: z.looseObject({ component }),
  components: z.array(component),
  dependencies: z.array(dependency),
});

/**
 * The bill of materials of the package, as CycloneDX JSON: these packages (`name@version`) by npm's own account of the
 * lockfile. Without npm's time, serial number, folder and version, so that the same sources give the same file. Throws if npm does not
 * know one of them.
 */
export function billOfMaterials(root: string, packages: ReadonlySet<string>): string {
  // Nothing is omitted here: npm would also omit what both the product and its tools use.
  const words = ['sbom', '--sbom-format', 'cyclonedx', '--package-lock-only'];
  const said = execFileSync('npm', words, { cwd: root, encoding: 'utf8', maxBuffer: 2 ** 26, stdio: 'pipe' });
  const { serialNumber: _, ...all } = document.parse(JSON.parse(said));
  const isInside = (ref: string): boolean => packages.has(ref);
  const components = all.components.filter((one) => isInside(one['bom-ref']));
  const known = new Set(components.map((one) => one['bom-ref']));
  const missing = [...packages].filter((one) => !known.has(one));
  if (missing.length > 0) throw new Error(`npm does not list ${missing.join(', ')}, which the package contains`);
  const dependencies = all.dependencies
    .filter(({ ref }) => isInside(ref) || ref === all.metadata.component['bom-ref'])
    .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter(isInside) }));
  const { timestamp: __, tools: ___, component: own, ...others } = all.metadata;
  // npm calls it by the name of the folder.
  const metadata = { ...others, component: { ...own, name: own['bom-ref'].replace(/(?<=.)@.*/, '') } };
  return `${JSON.stringify({ ...all, metadata, components, dependencies }, null, 2)}\n`;
}
