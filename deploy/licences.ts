import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';

const manifest = z.object({ name: z.string(), version: z.string(), license: z.string() });

/** The folder of the package that a module of it is in. Scoped names have two parts, and packages may hold packages. */
const packageOf = (module: string): string | undefined =>
  /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(module.replace(/^\0/, ''))?.[0];

/** The texts under which a package may be used: files of their own, or the end of its README. */
function textsIn(folder: string): readonly string[] {
  const named = (name: RegExp): readonly string[] =>
    readdirSync(folder)
      .filter((file) => name.test(file))
      .toSorted()
      .map((file) => readFileSync(join(folder, file), 'utf8').trim());
  const texts = named(/^(licen[cs]e|copying|notice)/i);
  if (texts.length > 0) return texts;
  const sections = named(/^readme/i).flatMap((readme) => /^#+ licen[cs]e\n+([^]*)/im.exec(readme)?.[1] ?? []);
  if (sections.length === 0) throw new Error(`${folder} has no text of its licence: it must not be shipped`);
  return sections;
}

/** A package whose modules are in the program. */
export type Bundled = z.output<typeof manifest> & { readonly folder: string };

/** The packages that these modules are from. */
export function packagesOf(modules: readonly string[]): readonly Bundled[] {
  const folders = new Set(modules.flatMap((module) => packageOf(module) ?? []));
  const about = (folder: string): unknown => JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  return [...folders].map((folder) => ({ ...manifest.parse(about(folder)), folder }));
}

/** Name, version, licence and its texts, for each of these packages. */
export function licencesOf(packages: readonly Bundled[]): string {
  const notices = packages.map(({ name, version, license, folder }) =>
    [`${name} ${version}, ${license}`, ...textsIn(folder)].join('\n\n'),
  );
  const line = `\n\n${'-'.repeat(80)}\n\n`;
  return `Sitehand contains these packages.${line}${[...new Set(notices)].toSorted().join(line)}\n`;
}
