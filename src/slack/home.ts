import type { KnownBlock } from '@slack/types';
import { catalogue } from '../commands/index.ts';
import { standingTo, welcome } from '../pipeline/authorise.ts';
import { overviewFor } from '../pipeline/overview.ts';
import type { Card } from '../pipeline/render.ts';
import { notToldQuietly } from '../pipeline/unknown-groups.ts';
import { mentionedGroups } from '../policy/people.ts';
import { Refusal } from '../errors.ts';
import { bold, code, joined, say, type Text } from '../text.ts';
import { drawCard, richText } from './blocks.ts';
import type { Reception } from './reception.ts';

/** Slack takes a hundred; what does not fit is left out from the end. */
const mostBlocks = 95;
const longest = 60_000;

/** App Home: what waits for this person, what they asked for, what happened lately, and what they may run. */
export async function publishHome(reception: Reception, id: string): Promise<void> {
  const blocks: KnownBlock[] = [];
  let size = 0;
  for (const block of await blocksFor(reception, id)) {
    size += JSON.stringify(block).length;
    if (blocks.length === mostBlocks || size > longest) break;
    blocks.push(block);
  }
  await reception.views.views.publish({ user_id: id, view: { type: 'home', blocks } });
}

async function blocksFor({ people, front, office }: Reception, id: string): Promise<readonly KnownBlock[]> {
  const policy = front.policy();
  const person = await people.glanced(id, mentionedGroups(policy));
  if (person === undefined) {
    return [richText([say`Slack does not tell me right now who you are. Come back in a minute.`])];
  }
  try {
    welcome(person);
  } catch (error) {
    if (error instanceof Refusal) return [richText([error.says])];
    throw error;
  }
  const { toDecide, mine, recent } = await overviewFor(office, person);
  const runnable = [...catalogue].flatMap(([path, command]) => {
    const is = standingTo(policy, person, path, command);
    const line = joined([code(path), command.summary], '  ');
    return is === 'no' ? [] : [is === 'yes' ? line : say`${line}  ⚠️ ${notToldQuietly(is)}`];
  });
  return [
    heading('Waiting for your decision'),
    ...(toDecide.length > 0 ? toDecide.flatMap(whole) : [nothing(say`Nothing waits for you.`)]),
    heading('Yours, under way'),
    ...(mine.length > 0 ? mine.flatMap(whole) : [nothing(say`Nothing of yours is under way.`)]),
    heading('Lately'),
    recent.length > 0
      ? richText(recent.map(inOneLine))
      : nothing(say`Nothing has been asked for yet. Try ${code('/site help')}.`),
    heading('What you may run'),
    richText(runnable),
  ];
}

const heading = (title: string): KnownBlock => richText([[bold(title)]]);
const nothing = (text: Text): KnownBlock => richText([text]);
/** The card as it stands in its channel, with its buttons. */
const whole = (card: Card): readonly KnownBlock[] => drawCard(card).blocks;
const inOneLine = ({ mark, headline, lines }: Card): Text => joined([mark, headline, lines[0]], '  ');
