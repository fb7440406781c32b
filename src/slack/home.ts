import { catalogue } from '../commands/index.ts';
import { mayRun, welcome } from '../pipeline/authorise.ts';
import { code, joined, say, type Text } from '../text.ts';
import { richText } from './blocks.ts';
import type { Reception } from './reception.ts';

/** App Home: who I am to this person, and what they may run. */
export async function publishHome(reception: Reception, id: string): Promise<void> {
  const blocks = [richText(await linesFor(reception, id))];
  await reception.views.views.publish({ user_id: id, view: { type: 'home', blocks } });
}

async function linesFor({ people, front }: Reception, id: string): Promise<readonly Text[]> {
  const person = await people.known(id);
  if (person === undefined) return [say`Slack does not tell me right now who you are. Come back in a minute.`];
  try {
    welcome(person);
  } catch (error) {
    return [say`${error instanceof Error ? error.message : ''}`];
  }
  const policy = front.policy();
  const mine = [...catalogue].filter(([path, command]) => mayRun(policy, person, path, command));
  return [
    say`**A pair of hands for your hosted sites.** Type these after the slash command; leave words out and a form opens.`,
    ...mine.map(([path, { summary }]) => joined([code(path), summary], '  ')),
  ];
}
