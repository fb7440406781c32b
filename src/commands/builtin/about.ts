import { builtin } from '../kit/builtin.ts';

export const about = builtin({
  summary: "Show Sitehand's version, what it promises and what it can't do",
  button: 'About Sitehand',
  also: `
    version, which version, who are you, what are you, what is this, what is sitehand, info about you, licence,
    license, build`,
  right: 'anyone',
  fields: {},
});
