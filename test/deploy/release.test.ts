import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { projectManifest, type Manifest } from '../../deploy/build.ts';
import { hindrancesOf, notesOf } from '../../deploy/release.ts';

const changelog = '# Changelog\n\n## Unreleased\n\n## 1.2.3\n\n* [It](docs/it.md), [there](https://there.example).\n';
const about = (name: string, repository: string, version = '1.2.3'): Manifest => ({
  ...projectManifest,
  name,
  version,
  repository: { type: 'git', url: `git+https://github.com/${repository}.git` },
});
const named = about('sitehand', 'acme/sitehand');

test('the version of this project can be released once the names are set', () => {
  const { name, version } = projectManifest;
  const ours = about(name.replace('OWNER', 'acme'), 'acme/sitehand', version);
  expect(hindrancesOf(ours, readFileSync('CHANGELOG.md', 'utf8'))).toEqual([]);
});

test.each<[what: string, manifest: Manifest, changelog: string, tag: string | undefined, sentences: readonly RegExp[]]>(
  [
    ['all set', named, changelog, 'v1.2.3', []],
    ['changes under way, without a tag', named, changelog.replace('## 1', '* New\n\n## 1'), undefined, []],
    ['changes under way', named, changelog.replace('## 1', '* New\n\n## 1'), 'v1.2.3', [/"## Unreleased"/]],
    ['no owner', about('sitehand', 'OWNER/sitehand'), changelog, undefined, [/names on the registries/]],
    ['no owner of the scope', about('@OWNER/sitehand', 'acme/sitehand'), changelog, undefined, [/names on the/]],
    ['no repository', { ...named, repository: { type: 'git', url: '' } }, changelog, undefined, [/names on the/]],
    ['another tag', named, changelog, 'v1.2.4', [/v1\.2\.4 is not v1\.2\.3/]],
    ['a part of a version', about('sitehand', 'acme/x', '1.2'), changelog, 'v1.2', [/not X\.Y\.Z/, /under "## 1\.2"/]],
    ['no notes', named, '# Changelog\n\n## 1.2.3\n\n## 1.2.2\n\n* Old\n', 'v1.2.3', [/nothing under "## 1\.2\.3"/]],
  ],
)('what hinders a release: %s', (_, manifest, log, tag, sentences) => {
  const found = hindrancesOf(manifest, log, tag);
  expect(found).toHaveLength(sentences.length);
  for (const [at, sentence] of sentences.entries()) expect(found[at]).toMatch(sentence);
});

test('the notes are what the changelog says of the version, and their links lead to the files of that tag', () => {
  expect(notesOf(named, changelog)).toBe(
    '* [It](https://github.com/acme/sitehand/blob/v1.2.3/docs/it.md), [there](https://there.example).',
  );
});
