import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { packageFile } from '../base/beside.ts';
import { paragraph, type Page } from '../commands/kit/page.ts';
import { code, say, typed } from '../words/text.ts';
import type { PipelineContext } from './context.ts';

const manifest = z.object({ version: z.string(), license: z.string() });

/** From package.json. */
export const { version, license: licence } = manifest.parse(JSON.parse(readFileSync(packageFile, 'utf8')));

const promises = say`**What I promise:** I send an approved change to the host at most once, and I always say how it ended. If I don't know, I say **unknown** and don't send it again.`;
const limits = say`**What I can't do:** bring back what the host has overwritten or deleted, see what happens in the host’s own panel before I next look, or prove what the host's API doesn't show. When that matters, I say so.`;
const helps = say`**Help:** ${typed('help')} lists what you can run, ${typed('doctor')} finds out what is wrong, and the rest is in the README and the docs folder.`;

/** Version, licence, and the environment of this Sitehand, with what it promises. */
export const aboutPage = ({ database, dialect }: Pick<PipelineContext, 'database' | 'dialect'>): Page => ({
  title: say`**Sitehand ${version}** · a pair of hands for your hosted sites`,
  parts: [promises, limits, helps].map((text) => paragraph(text)),
  source: say`${licence} licence · host dialect ${code(dialect)} · ${database.kind} · installation ${code(database.installation)}`,
});
