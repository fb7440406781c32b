import { expect, test } from 'vitest';
import { action } from '../../../src/commands/kit/action.ts';
import { addresses, environment, flag, option, optional, word, type Input } from '../../../src/commands/kit/fields.ts';
import { report } from '../../../src/commands/kit/report.ts';
import { listBackups, clearCache, getAllowedIps, setAllowedIps } from '../../../src/hosting/contract/environment.ts';
import { builtinPages, type BuiltinPages } from '../../../src/talk/builtin-pages.ts';
import { inline, say } from '../../../src/words/text.ts';

/** Code that must not compile. A line that does is reported as an unused @ts-expect-error. */

const fields = { env: environment(), w: word('Word'), only: option(addresses('Only')), said: flag('Said') };
const examples = ['acme-shop/live x'] as const;
const base = { summary: 'x', button: 'x', examples, risk: 'sensitive' as const, fields };
const card = () => ({ title: inline('x'), done: inline('x') });
const call = ({ input }: { input: Input<typeof fields> }) => clearCache({ environment_id: input.env.id });

test('the types of an action', () => {
  const declared = [
    action({ ...base, target: 'env', call, card }),
    action({ ...base, target: 'company', call, card }),
    // @ts-expect-error a text field is not a target
    action({ ...base, target: 'w', call, card }),
    // @ts-expect-error an optional field cannot be the target
    action({ ...base, target: 'only', call, card }),
    // @ts-expect-error there is no such field
    action({ ...base, target: 'elsewhere', call, card }),
    // @ts-expect-error a read is not a write
    action({ ...base, target: 'env', call: ({ input }) => getAllowedIps({ env_id: input.env.id }), card }),
    action({
      ...base,
      target: 'env',
      // @ts-expect-error an optional field may be undefined
      call: ({ input }) => setAllowedIps({ env_id: input.env.id, ip_allowlist: [...input.only] }),
      card,
    }),
    // @ts-expect-error a call needs all parameters of its endpoint
    action({ ...base, target: 'env', call: ({ input }) => setAllowedIps({ env_id: input.env.id }), card }),
    // @ts-expect-error a card needs `done`
    action({ ...base, target: 'env', call, card: () => ({ title: inline('x') }) }),
    // @ts-expect-error a risk is one of three values
    action({ ...base, risk: 'harmless', target: 'env', call, card }),
    action({
      ...base,
      target: 'env',
      // @ts-expect-error a write cannot be read
      look: ({ input, read }) => read(clearCache({ environment_id: input.env.id })),
      call,
      card,
    }),
    action({
      ...base,
      target: 'env',
      look: ({ input, read }) => read(listBackups({ env_id: input.env.id })),
      call,
      card: ({ snapshot }) => ({ title: say`${snapshot.entries.length} backups`, done: inline('x') }),
      proof: ({ snapshot, current }) => ({ verdict: current.unread > snapshot.unread ? 'yes' : 'not yet', says: [] }),
    }),
    action({
      ...base,
      target: 'env',
      call,
      card,
      // @ts-expect-error a field that the command does not have
      invalid: () => ({ field: 'elsewhere', says: 'x' }),
    }),
    report({
      summary: 'x',
      button: 'x',
      fields,
      // @ts-expect-error a flag is not a target
      target: 'said',
      show: async () => ({ title: [], parts: [] }),
    }),
  ];
  // @ts-expect-error a name is required
  optional(environment());
  expect(declared).toHaveLength(14);
});

test('the types of the pages of built-in commands', () => {
  const { about, ...others } = builtinPages;
  const declared: readonly BuiltinPages[] = [
    { ...others, about },
    // @ts-expect-error a built-in command without a page
    others,
    // @ts-expect-error an environment that may be left out may be undefined
    { ...others, about, queue: (_context, _asking, { env }) => ({ title: inline(env.name), parts: [] }) },
    // @ts-expect-error there is no such command
    { ...others, about, elsewhere: about },
  ];
  expect(declared).toHaveLength(4);
});
