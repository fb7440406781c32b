import { code, say } from '../../text.ts';
import { builtin } from '../kit/builtin.ts';

const promises = say`**What it promises:** an approved change is sent to the host at most once, and its end is always told. What is not known is called unknown, and not sent again.`;
const limits = say`**What it cannot:** bring back what the host has overwritten or deleted, see what is done in the host’s own panel before the next look, or prove what no call of the host shows. Then it says so.`;
const helps = say`**Help:** ${code('help')} lists what you may run, ${code('doctor')} looks what is wrong, and the rest is in the README and the docs folder beside the program.`;

export const about = builtin({
  summary: 'Say which Sitehand this is, what it promises, what it cannot',
  button: 'About Sitehand',
  right: 'anyone',
  fields: {},
  answer: ({ queryService }) => {
    const { version, licence, dialect, database, installation } = queryService.edition();
    return {
      title: say`**Sitehand ${version}** · a pair of hands for your hosted sites`,
      parts: [promises, limits, helps].map((text) => ({ kind: 'text', text })),
      source: say`${licence} licence · host dialect ${code(dialect)} · ${database} · installation ${code(installation)}`,
    };
  },
});
