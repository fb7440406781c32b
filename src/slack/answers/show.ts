import type { AnyDesk } from '../../commands/kit/builtin.ts';
import type { Page } from '../../commands/kit/page.ts';
import type { AnyReport, Surroundings } from '../../commands/kit/report.ts';
import type { Words } from '../../errors.ts';
import type { Authorised, Person } from '../../pipeline/access/authorise.ts';
import { writeDown } from '../../pipeline/steps/admin-actions.ts';
import { happenedTo } from '../../pipeline/builtin/change-history.ts';
import { officeFor } from '../../pipeline/builtin/query-service.ts';
import { canonicalWords } from '../../pipeline/language/resolve.ts';
import { sourcesOf } from '../../pipeline/changes/read-sources.ts';
import { asRefusal } from '../../pipeline/changes/host-trouble.ts';
import { drawPage, isLong } from '../draw/blocks.ts';
import { giveFile } from './files.ts';
import { afterAll } from '../context/slow-work.ts';
import type { Heard, Reception } from '../context/context.ts';

/** What a report shows, or a desk command answers, to the one who asked, told to them alone; or what it says instead. */
export async function show(
  reception: Reception,
  heard: Heard,
  wish: Authorised,
  command: AnyReport | AnyDesk,
  person: Person,
): Promise<Words | undefined> {
  const now = Date.now();
  if (command.shape === 'desk') {
    if (command.freshens) await reception.front.freshenNames();
    const office = officeFor(reception.office, person, now, {
      permit: wish.permit,
      inbox: heard.inbox,
      channel: heard.channel,
      channelOf: reception.people.channel,
    });
    const answered = await command.answer({ input: wish.input, office });
    if ('instead' in answered) return answered.instead;
    await answer(reception, heard, wish, answered);
    return undefined;
  }
  if (command.noted !== undefined) await note(reception, heard, wish, person, command.noted);
  const surroundings: Surroundings = {
    ...sourcesOf(reception.front, person.id),
    now,
    zone: person.zone,
    alias: reception.alias,
    look: reception.logs.look,
    happened: (env, since) => happenedTo(reception.front.database, env, since),
  };
  const page = command.show({ input: wish.input, ...surroundings }).catch((error: unknown) => {
    throw asRefusal(error, canonicalWords(wish));
  });
  await answer(reception, heard, wish, await page);
  return undefined;
}

/** Writes down who asks for what; where that fails nothing is shown. */
function note({ office }: Reception, { inbox }: Heard, wish: Authorised, person: Person, event: string): Promise<void> {
  const target = wish.target?.kind === 'environment' ? { target: wish.target } : {};
  const told = { event, ...target, words: canonicalWords(wish).join(' ') };
  return writeDown(office, { person, permit: wish.permit, inbox }, told);
}

/** Gives somebody a page: kept where it can be shared, or has further pages. */
export async function answer(reception: Reception, heard: Heard, wish: Authorised, page: Page): Promise<void> {
  const { command } = wish.wish;
  const shareable = command.shape === 'report' && command.right !== 'named';
  const id =
    shareable || isLong(page)
      ? await reception.shelf.keepPage(heard.person, {
          words: [...canonicalWords(wish, { dryRun: wish.wish.dryRun })],
          page,
        })
      : undefined;
  const before = await afterAll(reception, heard);
  if (before) await reception.privately(heard, before);
  await reception.privately(heard, drawPage(page, id === undefined ? undefined : { id, shareable }));
  if (page.file) await giveFile(reception, heard, page.file);
}
