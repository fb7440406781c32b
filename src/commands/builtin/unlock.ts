import { Refusal } from '../../errors.ts';
import type { Environment } from '../../hosting/contract/target.ts';
import { code, joined, person, say, time, type Text } from '../../text.ts';
import { builtin, type Forced, type QueryService } from '../kit/builtin.ts';
import { heldBy } from '../kit/lock-info.ts';
import { environment, flag } from '../kit/fields.ts';
import type { Page } from '../kit/page.ts';

export const unlock = builtin({
  summary: 'Unlock an environment; by force also from a change whose outcome is unknown',
  button: 'Unlock',
  right: 'named',
  changes: true,
  urgent: true,
  ownRight: 'force',
  fields: { env: environment(), force: flag('Force') },
  answer: ({ input: { env, force }, queryService }) => (force ? forced(env, queryService) : usual(env, queryService)),
});

async function usual(env: Environment, queryService: QueryService): Promise<Page> {
  const { done, hold } = await queryService.unlock(env);
  if (hold === undefined) throw notLocked(env);
  if (!done) {
    throw new Refusal(say`**${env.name} is ${heldBy(hold)}**, not by a person. Nothing was done.`, {
      hint:
        'change' in hold.by
          ? say`${code(`change ${hold.by.change}`)} shows how it stands. Where its outcome is unknown, ${code('unlock --force')} frees it, for whom a rule names that.`
          : undefined,
    });
  }
  const whose = 'person' in hold.by ? say`the lock of ${person(hold.by.person)}` : say`the lock`;
  return {
    title: say`**${env.name} is unlocked**`,
    parts: [{ kind: 'text', text: say`That was ${whose} (“${hold.why}”). The ops channel was told.` }],
  };
}

async function forced(env: Environment, queryService: QueryService): Promise<Page> {
  const came = await queryService.forceUnlock(env);
  switch (came.kind) {
    case 'not locked':
      throw notLocked(env);
    case 'held by a person':
      throw new Refusal(say`**${env.name} is ${heldBy(came.hold)}**, not by a change. Nothing was done.`, {
        hint: say`${code('unlock')} without ${code('--force')} takes that lock away.`,
      });
    case 'under way':
      throw new Refusal(
        say`**${env.name} is held by #${came.change}, which is under way:** ${came.stands} Its lock cannot be taken away. Nothing was done.`,
        { hint: say`${code(`change ${came.change}`)} shows how it goes on.` },
      );
    case 'freed':
      return freedPage(env, came, queryService);
  }
}

function freedPage(env: Environment, { change, stands, arrives, others }: Freed, queryService: QueryService): Page {
  const left = queryService.names().environments.filter(({ id }) => others.includes(id));
  const unnamed = others.length - left.length;
  const names = [...left.map(({ name }) => name), ...(unnamed > 0 ? [`${unnamed} more`] : [])];
  const lines: (Text | undefined)[] = [
    say`#${change} held it: ${stands}`,
    arrives === undefined ? undefined : say`**Until ${time(arrives)} it can still arrive at the host.**`,
    say`This says nothing about what came of #${change}. Its thread and the ops channel were told.`,
    names.length > 0 ? say`#${change} still locks ${names.join(' and ')}: only ${env.name} was freed.` : undefined,
  ];
  return {
    title: say`**${env.name} is unlocked**`,
    parts: [{ kind: 'text', text: joined(lines, '\n') }],
    offers: [
      ...left.map(({ id, name }) => ({ label: `Unlock ${name} too`.slice(0, 75), words: ['unlock', id, '--force'] })),
      { label: `Show #${change}`, words: ['change', String(change)] },
    ],
  };
}

type Freed = Extract<Forced, { kind: 'freed' }>;

const notLocked = ({ name }: Environment): Refusal => new Refusal(say`**${name} is not locked.** Nothing was done.`);
