import { deleteEnvironment } from '../hosting/contract/sites.ts';
import { joined, say } from '../words/text.ts';
import { action } from './kit/action.ts';
import { backupFact, newestIfReadable } from './backups/newest.ts';
import { environment } from './kit/fields.ts';

export const deletion = action({
  summary: 'Delete an environment for good',
  button: 'Delete an environment',
  also: `
    remove environment, remove site, remove <environment>, tear down, get rid, get rid <environment>, trash,
    decommission, away <environment>, throw away <environment>, no longer need <environment>, don't need, dont
    need, don't need <environment>, dont need <environment>, no longer need`,
  examples: ['acme-shop/staging'],
  risk: 'destructive',
  typedName: 'always',
  fields: { env: environment() },
  target: 'env',
  look: async ({ input, read }) => ({ backup: await newestIfReadable(read, input.env) }),
  preconditions: () => null,
  call: ({ input }) => deleteEnvironment({ env_id: input.env.id }),
  card: ({ input: { env }, snapshot }) => ({
    title: say`Delete ${env.name}`,
    done: say`Deleted ${env.name}`,
    warning: joined(
      [
        env.live ? say`**${env.name} counts as LIVE.**` : undefined,
        say`**${env.name} will be deleted, with its files and its database.** I can't undo this, and its backups may be deleted too.`,
      ],
      '\n',
    ),
    facts: { 'Newest backup': backupFact(snapshot.backup), Environment: say`\`${env.id}\`` },
  }),
  after: 'A deletion usually takes some minutes.',
});
