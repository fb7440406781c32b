import { expect, test } from 'vitest';
import { action } from '../../../src/commands/kit/action.ts';
import { addresses, environment, flag, option, optional, word, type Input } from '../../../src/commands/kit/fields.ts';
import { report } from '../../../src/commands/kit/report.ts';
import { listBackups } from '../../../src/hosting/contract/backups.ts';
import { clearCache } from '../../../src/hosting/contract/cache.ts';
import { getAllowedIps, setAllowedIps } from '../../../src/hosting/contract/ssh.ts';
import { inline, say } from '../../../src/text.ts';

/** What does not compile; each line that does is an error of its own. */

const fields = { env: environment(), w: word('Word'), only: option(addresses('Only')), said: flag('Said') };
const examples = ['acme-shop/live x'] as const;
const base = { summary: 'x', button: 'x', examples, risk: 'sensitive' as const, fields };
const card = () => ({ title: inline('x'), done: inline('x') });
const call = ({ input }: { input: Input<typeof fields> }) => clearCache({ environment_id: input.env.id });

test('the types of an action', () => {
  const declared = [
    action({ ...base, target: 'env', call, card }),
    action({ ...base, target: 'company', call, card }),
    // @ts-expect-error a word is no target
    action({ ...base, target: 'w', call, card }),
    // @ts-expect-error an optional field is no target
    action({ ...base, target: 'only', call, card }),
    // @ts-expect-error there is no such field
    action({ ...base, target: 'elsewhere', call, card }),
    // @ts-expect-error a read is no write
    action({ ...base, target: 'env', call: ({ input }) => getAllowedIps({ env_id: input.env.id }), card }),
    action({
      ...base,
      target: 'env',
      // @ts-expect-error what may be left out may be undefined
      call: ({ input }) => setAllowedIps({ env_id: input.env.id, ip_allowlist: [...input.only] }),
      card,
    }),
    // @ts-expect-error a call needs all that its endpoint asks for
    action({ ...base, target: 'env', call: ({ input }) => setAllowedIps({ env_id: input.env.id }), card }),
    // @ts-expect-error a card says what was done, too
    action({ ...base, target: 'env', call, card: () => ({ title: inline('x') }) }),
    // @ts-expect-error a risk is one of three
    action({ ...base, risk: 'harmless', target: 'env', call, card }),
    action({
      ...base,
      target: 'env',
      // @ts-expect-error a write handed to read
      look: ({ input, read }) => read(clearCache({ environment_id: input.env.id })),
      call,
      card,
    }),
    action({
      ...base,
      target: 'env',
      look: ({ input, read }) => read(listBackups({ env_id: input.env.id })),
      call,
      card: ({ snapshot }) => ({ title: say`${snapshot.length} backups`, done: inline('x') }),
      proof: ({ snapshot, current }) => ({ verdict: current.length > snapshot.length ? 'yes' : 'not yet', says: [] }),
    }),
    action({
      ...base,
      target: 'env',
      call,
      card,
      // @ts-expect-error a field that is not its own
      invalid: () => ({ field: 'elsewhere', says: 'x' }),
    }),
    report({
      summary: 'x',
      button: 'x',
      fields,
      // @ts-expect-error a flag is no target
      target: 'said',
      show: async () => ({ title: [], parts: [] }),
    }),
  ];
  // @ts-expect-error a name cannot be left out
  optional(environment());
  expect(declared).toHaveLength(14);
});
