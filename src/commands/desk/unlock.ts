import { Refusal } from '../../errors.ts';
import { code, person, say } from '../../text.ts';
import { desk, heldBy } from '../desk.ts';
import { environment } from '../fields.ts';

export const unlock = desk({
  summary: 'Take away the lock that a person put on an environment',
  button: 'Unlock',
  right: 'named',
  changes: true,
  fields: { env: environment() },
  answer: async ({ input: { env }, office }) => {
    const { done, hold } = await office.unlock(env);
    if (hold === undefined) throw new Refusal(say`**${env.name} is not locked.** Nothing was done.`);
    if (!done) {
      throw new Refusal(say`**${env.name} is ${heldBy(hold)}**, and only its end frees it. Nothing was done.`, {
        hint: 'change' in hold.by ? say`${code(`change ${hold.by.change}`)} shows how it stands.` : undefined,
      });
    }
    const whose = 'person' in hold.by ? say`the lock of ${person(hold.by.person)}` : say`the lock`;
    return {
      title: say`**${env.name} is unlocked**`,
      parts: [{ kind: 'text', text: say`That was ${whose} (“${hold.why}”). The ops channel was told.` }],
    };
  },
});
