import { clearCache } from '../../hosting/contract/environment.ts';
import { say } from '../../words/text.ts';
import { action } from '../kit/action.ts';
import { environment } from '../kit/fields.ts';

export const cacheClear = action({
  summary: 'Clear the page cache of an environment',
  button: 'Clear cache',
  also: `
    clear, cache, stale, refresh cache, reset cache, remove cache, still old, old version`,
  examples: ['acme-shop/live', 'acme-shop/live --reason "new menu"'],
  risk: 'routine',
  mayBreakSite: true,
  fields: { env: environment() },
  target: 'env',
  batch: ({ where }) => ({ title: say`Clear the cache of ${where}`, done: say`Cleared the cache of ${where}` }),
  call: ({ input }) => clearCache({ environment_id: input.env.id }),
  card: ({ input }) => ({
    title: say`Clear the cache of ${input.env.name}`,
    done: say`Cleared the cache of ${input.env.name}`,
    facts: { Clears: 'the page cache; pages are slower until it is warm again' },
  }),
  twice: 'Clearing a cache twice is harmless.',
  after: 'A cache clear usually takes under a minute.',
});
