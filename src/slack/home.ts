import type { KnownBlock } from '@slack/types';
import { catalogue } from '../commands/index.ts';
import { mayRun, welcome } from '../pipeline/authorise.ts';
import { overviewFor } from '../pipeline/overview.ts';
import type { Card } from '../pipeline/render.ts';
import { Refusal } from '../errors.ts';
import { amount, bold, code, joined, say, type Text } from '../text.ts';
import { drawCard, richText } from './blocks.ts';
import { charactersIn } from './cut.ts';
import type { Reception } from './reception.ts';

/** Slack takes a hundred; what does not fit is left out from the end, and counted. */
const mostBlocks = 95;
const longest = 60_000;

/** App Home: what waits for this person, what they asked for, what happened lately, and what they may run. */
export async function publishHome(reception: Reception, id: string): Promise<void> {
  const all = await blocksFor(reception, id);
  const blocks: KnownBlock[] = [];
  let size = 0;
  for (const block of all) {
    size += JSON.stringify(block).length;
    if (blocks.length === mostBlocks || size > longest) break;
    blocks.push(block);
  }
  const left = charactersIn(all.slice(blocks.length));
  if (left > 0) blocks.push(richText([say`The rest is too long for this page: ${amount(left)} characters more.`]));
  await reception.views.views.publish({ user_id: id, view: { type: 'home', blocks } });
}

async function blocksFor({ people, front, office }: Reception, id: string): Promise<readonly KnownBlock[]> {
  const person = await people.known(id);
  if (person === undefined) {
    return [richText([say`Slack does not tell me right now who you are. Come back in a minute.`])];
  }
  try {
    welcome(person);
  } catch (error) {
    if (error instanceof Refusal) return [richText([error.says])];
    throw error;
  }
  const { toDecide, mine, more, recent } = await overviewFor(office, person);
  const policy = front.policy();
  const runnable = [...catalogue].filter(([path, command]) => mayRun(policy, person, path, command));
  return [
    heading('Waiting for your decision'),
    ...(toDecide.length > 0 ? toDecide.flatMap(whole) : [nothing(say`Nothing waits for you.`)]),
    ...notShown(more.toDecide, 'changes --waiting'),
    heading('Yours, under way'),
    ...(mine.length > 0 ? mine.flatMap(whole) : [nothing(say`Nothing of yours is under way.`)]),
    ...notShown(more.mine, 'changes --mine'),
    heading('Lately'),
    recent.length > 0
      ? richText(recent.map(inOneLine))
      : nothing(say`Nothing has been asked for yet. Try ${code('/site help')}.`),
    heading('What you may run'),
    richText(runnable.map(([path, { summary }]) => joined([code(path), summary], '  '))),
  ];
}

const heading = (title: string): KnownBlock => richText([[bold(title)]]);
const nothing = (text: Text): KnownBlock => richText([text]);
const notShown = (more: number, words: string): readonly KnownBlock[] =>
  more === 0 ? [] : [richText([say`And ${amount(more)} more: ${code(`/site ${words}`)}.`])];
/** The card as it stands in its channel, with its buttons. */
const whole = (card: Card): readonly KnownBlock[] => drawCard(card).blocks;
const inOneLine = ({ mark, headline, lines }: Card): Text => joined([mark, headline, lines[0]], '  ');
