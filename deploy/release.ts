import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFile, mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import { z } from 'zod';
import { build, projectManifest, type Manifest } from './build.ts';

/** `npm run release:dry`: makes in `release/` all that a release publishes, and publishes nothing. */

const USAGE = `npm run release:dry -- [--name NAME] [--repository OWNER/NAME] [--tag vX.Y.Z] [--package FILE]

  --name NAME              the package on npm; default: name in package.json
  --repository OWNER/NAME  the project on GitHub; default: repository in package.json
  --tag vX.Y.Z             the tag that is released, which must fit package.json and CHANGELOG.md
  --package FILE           the package that was tested, which must be what these sources make
`;
const root = resolve(import.meta.dirname, '..');
/** Stands in package.json for a name that the owner has not set. */
const unset = 'OWNER';
const urlOf = (repository: string): string => `git+https://github.com/${repository}.git`;
const repositoryOf = ({ repository }: Manifest): string =>
  /^git\+https:\/\/github\.com\/([\w.-]+\/[\w.-]+)\.git$/.exec(repository.url)?.[1] ?? unset;

const sectionOf = (changelog: string, heading: string): string =>
  changelog
    .split(/^## /m)
    .find((section) => section.split('\n')[0] === heading)
    ?.slice(heading.length)
    .trim() ?? '';

/** What the changelog says of this version, its links as they lead from a page of GitHub's. */
export const notesOf = (about: Manifest, changelog: string): string =>
  sectionOf(changelog, about.version).replaceAll(
    /\]\((?![a-z]+:)/g,
    `](https://github.com/${repositoryOf(about)}/blob/v${about.version}/`,
  );

/** Why this is not to be released, one sentence each. */
export function hindrancesOf(about: Manifest, changelog: string, tag?: string): readonly string[] {
  const { name, version } = about;
  const named = 'The names on the registries are not set: put them into name and repository of package.json';
  const found: readonly (readonly [boolean, string])[] = [
    [`${name} ${repositoryOf(about)}`.includes(unset), `${named}, or give --name and --repository.`],
    [!/^\d+\.\d+\.\d+$/.test(version), `The version ${version} is not X.Y.Z.`],
    [sectionOf(changelog, version) === '', `CHANGELOG.md says nothing under "## ${version}".`],
    [tag !== undefined && tag !== `v${version}`, `The tag ${tag} is not v${version}, the version in package.json.`],
    [
      tag !== undefined && sectionOf(changelog, 'Unreleased') !== '',
      'CHANGELOG.md has changes under "## Unreleased", which this tag would release. Move them.',
    ],
  ];
  return found.flatMap(([isSo, sentence]) => (isSo ? [sentence] : []));
}

const said = z.tuple([z.object({ filename: z.string(), files: z.array(z.object({ path: z.string() })) })]);

/** A packed package: its file, the folder that it was made of, and the paths in it. */
export type Packed = { readonly file: string; readonly folder: string; readonly paths: readonly string[] };

/** Builds and packs the package in a folder. */
export async function pack(place: string, about: Manifest = projectManifest): Promise<Packed> {
  const folder = join(place, 'package');
  await build(folder, about);
  const options = { cwd: place, encoding: 'utf8', stdio: 'pipe' } as const;
  const [{ filename, files }] = said.parse(JSON.parse(execFileSync('npm', ['pack', '--json', folder], options)));
  return { file: join(place, filename), folder, paths: files.map(({ path }) => path).toSorted() };
}

const digest = async (file: string): Promise<string> =>
  createHash('sha256')
    .update(await readFile(file))
    .digest('hex');

/** What a public linter finds wrong with a package. */
async function faultsOf(file: string): Promise<readonly string[]> {
  const { buffer } = new Uint8Array(await readFile(file));
  const { messages, pkg } = await publint({ pack: { tarball: buffer } });
  return messages.map((message) => formatMessage(message, pkg, { color: false }) ?? message.code);
}

/** Puts what is published into a new folder. Resolves with the digests of what people download. */
async function lay(into: string, { file, folder }: Packed, notes: string): Promise<string> {
  await rm(into, { recursive: true, force: true });
  await mkdir(into);
  const published = [file, join(folder, 'sbom.cdx.json')];
  const sums = await Promise.all(published.map(async (each) => `${await digest(each)}  ${basename(each)}\n`));
  await writeFile(join(into, 'SHA256SUMS'), sums.join(''));
  await writeFile(join(into, 'notes.md'), `${notes}\n`);
  // By this the image is made of the package.
  for (const each of [...published, join(root, 'deploy/Dockerfile')]) await copyFile(each, join(into, basename(each)));
  return sums.join('');
}

async function listingOf({ folder, paths }: Packed): Promise<string> {
  const line = async (path: string): Promise<string> => {
    const [sum, { size }] = await Promise.all([digest(join(folder, path)), stat(join(folder, path))]);
    return `${sum}  ${String(size).padStart(8)}  ${path}\n`;
  };
  return (await Promise.all(paths.map(line))).join('');
}

function refuse(sentences: readonly string[]): void {
  if (sentences.length > 0) throw new Error(`${sentences.join('\n')}\nNothing was published.`);
}

/** Makes the package, and once more unless the one that was tested is given. Rejects with sentences that say what is wrong. */
async function make(about: Manifest, tag: string | undefined, tested: string | undefined): Promise<string> {
  const changelog = await readFile(join(root, 'CHANGELOG.md'), 'utf8');
  refuse(hindrancesOf(about, changelog, tag));
  const place = await mkdtemp(join(tmpdir(), 'sitehand-release-'));
  try {
    const packed = await pack(join(place, 'first'), about);
    const other = tested ?? (await pack(join(place, 'second'), about)).file;
    const isSame = (await digest(other)) === (await digest(packed.file));
    refuse(isSame ? [] : [`${other} is not byte for byte what these sources make.`]);
    refuse(await faultsOf(packed.file));
    const repository = repositoryOf(about);
    const sums = await lay(join(root, 'release'), packed, notesOf(about, changelog));
    const places = `${about.name} on npm, v${about.version} on GitHub in ${repository}, ghcr.io/${repository.toLowerCase()}`;
    return `${await listingOf(packed)}\nIn release/:\n${sums}\nFor ${places}. Made ${tested === undefined ? 'twice' : 'again'}, byte for byte the same. Nothing was published.\n`;
  } finally {
    await rm(place, { recursive: true, force: true });
  }
}

if (import.meta.main) {
  const string = { type: 'string' } as const;
  const options = {
    name: string,
    repository: string,
    tag: string,
    package: string,
    help: { type: 'boolean' },
  } as const;
  try {
    const { values } = parseArgs({ options });
    const { name = projectManifest.name, repository = repositoryOf(projectManifest), tag } = values;
    const about: Manifest = { ...projectManifest, name, repository: { type: 'git', url: urlOf(repository) } };
    process.stdout.write(values.help ? USAGE : await make(about, tag, values.package));
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 1;
  }
}
