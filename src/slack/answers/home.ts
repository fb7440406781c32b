import type { KnownBlock } from '@slack/types';
import { assertMember, type Person } from '../../access/access-check.ts';
import { mayRunOn } from '../../access/may-run.ts';
import { overviewFor, type RecentChange } from '../../waiting/overview.ts';
import type { Card, Note } from '../../change/card.ts';
import { mentionedGroups } from '../../policy/memberships.ts';
import { Refusal, type Offer } from '../../base/errors.ts';
import { amount, bold, joined, say, time, typed, type Text } from '../../words/text.ts';
import { buttonRow, drawCard, drawNote, offerButton, richText } from '../../block-kit/blocks.ts';
import { charactersIn, fitting, jsonLength } from '../../block-kit/text.ts';
import type { SlackContext } from '../context/context.ts';

/** Slack allows 100. Blocks that don't fit are cut from the end and counted. */
const maxBlocks = 95;
const maxLength = 60_000;

/** How often outdated homes are looked for. */
export const redrawEveryMs = 1_000;

/**
 * App Home: what waits for this person, what they asked for, the sites they use, and what happened lately. If it can't be
 * drawn now, it is drawn later.
 */
export async function publishHome(context: SlackContext, id: string): Promise<void> {
  try {
    await drawHome(context, id);
  } catch (error) {
    context.homes.failed(id);
    context.log.warn({ err: error }, 'a home stays old');
  }
}

async function drawHome(context: SlackContext, id: string): Promise<void> {
  const { drawn, numbers } = await homeOf(context, id);
  const shown = fitting(drawn.slice(0, maxBlocks), maxLength, jsonLength);
  const left = charactersIn(drawn.slice(shown.length));
  const rest = say`The rest is too long for this page: ${amount(left)} more characters.`;
  const blocks = left > 0 ? [...shown, paragraph(rest)] : [...shown];
  await context.views.views.publish({ user_id: id, view: { type: 'home', blocks } });
  context.homes.drew(id, numbers);
}

/** Redraws outdated homes of people who opened theirs lately: as many as Slack allows. */
export async function redrawHomes(context: SlackContext): Promise<void> {
  for (const id of context.homes.take()) await publishHome(context, id);
}

type DrawnHome = { readonly drawn: readonly KnownBlock[]; readonly numbers: readonly number[] };
const homeWith = (text: Text): DrawnHome => ({ drawn: [paragraph(text)], numbers: [] });

async function homeOf(context: SlackContext, id: string): Promise<DrawnHome> {
  const { people, pipeline } = context;
  const policy = pipeline.policy();
  const person = await people.glanceAt(id, mentionedGroups(policy));
  if (person === undefined) {
    return homeWith(say`Slack isn't telling me who you are right now. Come back in a minute.`);
  }
  try {
    assertMember(person);
  } catch (error) {
    if (error instanceof Refusal) return homeWith(error.says);
    throw error;
  }
  const overview = await overviewFor(pipeline, person);
  const { recent, numbers } = overview;
  const drawn = [
    ...openBlocks(overview),
    heading('Your sites'),
    ...(await recentSites(context, person)),
    heading('Recent changes'),
    recent.length > 0
      ? richText(recent.map(cardLine))
      : paragraph(say`Nothing that you can see has been asked for lately. Try ${typed('help')}.`),
    paragraph(say`${typed('help')} shows what you can run; ${typed('')} alone opens a form.`),
    ...offerRow({ label: 'Help', args: ['help'] }),
  ];
  return { drawn, numbers };
}

/** What is open and concerns this person, and the freezes of what they can see. */
function openBlocks({
  toStop,
  toDecide,
  mine,
  places,
  more,
  untold,
  freezes,
}: Awaited<ReturnType<typeof overviewFor>>): readonly KnownBlock[] {
  return [
    ...(toStop.length > 0 ? [heading('Can still be stopped'), ...toStop.flatMap(cardBlocks)] : []),
    ...(freezes.length > 0 ? [heading('Freezes'), richText(freezes)] : []),
    heading('Waiting for your decision'),
    ...(toDecide.length > 0 ? toDecide.flatMap(cardBlocks) : [paragraph(say`Nothing is waiting for you.`)]),
    ...moreNote(more.toDecide, 'changes --waiting'),
    heading('Your open changes'),
    ...(mine.length > 0
      ? mine.flatMap(cardBlocks)
      : [paragraph(say`You have no ${toStop.length + toDecide.length > 0 ? 'other ' : ''}open changes.`)]),
    ...moreNote(more.mine, 'changes --mine'),
    ...notesUnder('Your places in queues', places),
    ...notesUnder("What I couldn't tell you", untold),
  ];
}

/** Each environment that this person used lately, with its most used commands. */
async function recentSites({ pipeline }: SlackContext, person: Person): Promise<readonly KnownBlock[]> {
  const { environments } = pipeline.names(person);
  const used = (await pipeline.recent.of(person.id)).flatMap(
    (id) => environments.find((environment) => environment.id === id) ?? [],
  );
  if (used.length === 0) return [paragraph(say`Environments you use will show up here.`)];
  return used
    .slice(0, maxSites)
    .flatMap((env) => [
      heading(env.name),
      ...buttonRow(
        siteButtons
          .filter(({ path }) => mayRunOn(pipeline.policy(), person, path, env) === 'yes')
          .map(({ path, ...button }) => offerButton({ ...button, args: [...path.split(' '), env.id] })),
      ),
    ]);
}

const maxSites = 4;
/** Buttons of commands that change something open a form first, because a wrong press is easy on a phone. */
const siteButtons: readonly (Omit<Offer, 'args'> & { readonly path: string })[] = [
  { label: 'Status', path: 'status' },
  { label: 'Logs', path: 'logs' },
  { label: 'Backups', path: 'backups list' },
  { label: 'Changes', path: 'changes' },
  { label: 'Clear the cache', opens: 'form', path: 'cache clear' },
];

const notesUnder = (title: string, notes: readonly Note[]): readonly KnownBlock[] =>
  notes.length === 0 ? [] : [heading(title), ...notes.flatMap((note) => drawNote(note).blocks)];
const heading = (title: string): KnownBlock => paragraph([bold(title)]);
const paragraph = (text: Text): KnownBlock => richText([text]);
const moreNote = (more: number, line: string): readonly KnownBlock[] =>
  more === 0
    ? []
    : [
        paragraph(say`And ${amount(more)} more: ${typed(line)}.`),
        ...offerRow({ label: 'Show all', args: line.split(' ') }),
      ];
const offerRow = (offer: Offer): readonly KnownBlock[] => buttonRow([offerButton(offer)]);
/** The card as in its channel, with its buttons. */
const cardBlocks = (card: Card): readonly KnownBlock[] => drawCard(card).blocks;
const cardLine = ({ card: { mark, headline, lines }, at, beside }: RecentChange): Text =>
  joined([mark, headline, joined([lines[0], time(at, 'date'), beside], ' · ')], '  ');
