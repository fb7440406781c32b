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

/** Name, version, licence and its texts, for every package that one of these modules is from. */
export function licencesOf(modules: readonly string[]): string {
  const folders = new Set(modules.flatMap((module) => packageOf(module) ?? []));
  const notices = [...folders].map((folder) => {
    const { name, version, license } = manifest.parse(JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')));
    return [`${name} ${version}, ${license}`, ...textsIn(folder)].join('\n\n');
  });
  const line = `\n\n${'-'.repeat(80)}\n\n`;
  return `Sitehand contains these packages.${line}${[...new Set(notices)].toSorted().join(line)}\n`;
}
