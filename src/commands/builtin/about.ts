import { code, say, typed } from '../../words/text.ts';
import { builtin } from '../kit/builtin.ts';
import { paragraph } from '../kit/page.ts';

const promises = say`**What I promise:** I send an approved change to the host at most once, and I always say how it ended. If I don't know, I say **unknown** and don't send it again.`;
const limits = say`**What I can't do:** bring back what the host has overwritten or deleted, see what happens in the host’s own panel before I next look, or prove what the host's API doesn't show. When that matters, I say so.`;
const helps = say`**Help:** ${typed('help')} lists what you can run, ${typed('doctor')} finds out what is wrong, and the rest is in the README and the docs folder.`;

export const about = builtin({
  summary: "Show Sitehand's version, what it promises and what it can't do",
  button: 'About Sitehand',
  also: `
    version, which version, who are you, what are you, what is this, what is sitehand, info about you, licence,
    license, build`,
  right: 'anyone',
  fields: {},
  answer: ({ queryService }) => {
    const { version, licence, dialect, database, installation } = queryService.buildInfo();
    return {
      title: say`**Sitehand ${version}** · a pair of hands for your hosted sites`,
      parts: [promises, limits, helps].map((text) => paragraph(text)),
      source: say`${licence} licence · host dialect ${code(dialect)} · ${database} · installation ${code(installation)}`,
    };
  },
});
