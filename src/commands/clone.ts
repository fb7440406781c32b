import { Refusal } from '../base/errors.ts';
import { cloneSite } from '../hosting/contract/sites.ts';
import { codeOf, code, say, unseen } from '../words/text.ts';
import { action } from './kit/action.ts';
import { companyId } from './kit/sources.ts';
import { environment, phrase, type PlainField } from './kit/fields.ts';

const maxLength = 100;

const oneLine = phrase('Display name', maxLength);
/** A site's display name: one line without invisible characters. */
const displayName: PlainField<string, false> = {
  ...oneLine,
  hint: `What the new site is called, at most ${maxLength} characters.`,
  read: (words) => {
    const value = oneLine.read(words);
    const [hidden] = unseen.exec(value) ?? [];
    if (hidden === undefined) return value;
    throw new Refusal(`Display name has a character in it that cannot be seen (${codeOf(hidden)}). Nothing was done.`);
  },
};

export const clone = action({
  summary: 'Create a new site as a copy of an environment',
  button: 'Clone a site',
  also: `
    copy as, copy site, make copy, create copy, another copy, new site from, new environment from, copy
    <environment> as`,
  examples: ['acme-shop/live "Acme relaunch"'],
  risk: 'sensitive',
  fields: { env: environment('Copy of'), displayName },
  target: 'company',
  alsoReads: ['env'],
  look: async (sources) => ({ company: companyId(sources) }),
  call: ({ input, snapshot }) =>
    cloneSite({ company: snapshot.company, display_name: input.displayName, source_env_id: input.env.id }),
  card: ({ input: { env, displayName } }) => ({
    title: say`Clone ${env.name} as “${displayName}”`,
    done: say`Cloned ${env.name} as “${displayName}”`,
    facts: { 'Copy of': say`${env.name} ${code(env.id)}`, 'New site': displayName },
  }),
  after: 'A clone usually takes some minutes; then the new site is listed among the environments.',
  next: () => [{ label: 'List environments', args: ['environments'] }],
});
