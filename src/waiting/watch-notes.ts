import { type NewKind, readAsUtc, type NewKinds } from '../commands/kit/log-query.ts';
import type { Watch, Digest } from '../storage/waiting.ts';
import { dayMs } from '../words/duration.ts';
import { counted } from '../commands/kit/page.ts';
import type { Environment } from '../hosting/contract/target.ts';
import { amount, bold, code, joined, list, say, time, typed, type Inline, type Text } from '../words/text.ts';
import { membersUnknownQuietly } from '../access/unknown-groups.ts';
import type { Note } from '../change/card.ts';
import { runButton, type Button } from '../change/buttons.ts';
import { namesIn, digestScope, storedEnvironment } from './standing.ts';
import { type Trouble, type News, maxMessagesAnHour } from './watch-limits.ts';

/** The messages of watches. They name people without mentions, so that nobody is notified. */

const maxNames = 5;

export const stopButton = ({ id }: { readonly id: number }): Button =>
  runButton({ label: 'Stop', args: ['watch', 'stop', String(id)] });
const logButton = ({ id }: Environment): Button =>
  runButton({ label: 'Error log', args: ['logs', id, 'error', '--errors', '--since=24h'] });

const footOf = ({ id, match, requester_name: owner, expires_at: until }: Watch): Text =>
  joined(
    [say`Watch #${id} of ${owner}, until ${time(until, 'date')}`, match === null ? undefined : say`only “${match}”`],
    ', ',
  );

export function newsNote(
  watch: Watch,
  env: Environment,
  news: News,
  { isZoneless }: Pick<NewKinds, 'isZoneless'>,
): Note {
  const zone = isZoneless ? readAsUtc : undefined;
  return {
    text: joined([newsText(env, news), zone, footOf(watch)], '\n'),
    buttons: [logButton(env), stopButton(watch)],
  };
}

function newsText(env: Environment, { kinds, more, wereHeld, until }: News): Text {
  const [certain, others] = [kinds.filter(isNew), kinds.filter((kind) => !isNew(kind))];
  const far = Math.max(...others.map(({ reaches }) => reaches));
  const held = wereHeld ? ' Some were held back until now.' : '';
  return joined(
    [
      certain.length > 0 &&
        say`**${counted(certain.length, 'new kind')} of errors in ${env.name}**, not seen in the 24 hours before.${held}`,
      ...certain.map(lineOf),
      others.length > 0 &&
        say`**${counted(others.length, 'kind')} of errors in ${env.name}, first seen in the lines I could read** since ${time(far, 'date')}. They don't go back 24 hours, so I can't say that ${others.length === 1 ? 'it is' : 'they are'} new.${certain.length > 0 ? '' : held}`,
      ...others.map(lineOf),
      more > 0 && say`And ${counted(more, 'more kind')}.`,
      until !== undefined &&
        say`That's ${maxMessagesAnHour} messages within an hour, so I'll hold further ones back until ${time(until)}.`,
    ].map((line): Inline => line || undefined),
    '\n',
  );
}

const lineOf = ({ count, says, first }: NewKind): Text =>
  say`• ${bold(`${amount(count)}×`)} ${code(says || 'an empty line')} · first ${time(first, 'date')}`;

/** Whether the lines that were read go back 24 hours before the first error, so that it is known to be new. */
const isNew = ({ first, reaches }: NewKind): boolean => reaches <= first - dayMs;

export const startedNote = (watch: Watch, env: Environment, quiet: Text | undefined): Note => ({
  text: joined([
    say`**${watch.requester_name} watches the error log of ${env.name} here** until ${time(watch.expires_at, 'date')}: I post new kinds of errors${watch.match === null ? '' : say` with “${watch.match}”`} and skip known ones.`,
    quiet,
  ]),
  buttons: [stopButton(watch)],
});

/** What a watch or a digest is about, as of its start. */
export const aboutThen = (watch: Watch | Digest): Inline =>
  watch.kind === 'digest' ? list(namesIn(digestScope(watch)), maxNames) : storedEnvironment(watch).name;

const numbered = ({ kind, id }: Watch | Digest): string => `${kind === 'digest' ? 'Digest' : 'Watch'} #${id}`;
const titleOf = (watch: Watch | Digest, about: Inline): Text => say`${numbered(watch)} of ${about}`;

/** What whoever may no longer see what it was about is told of its end. */
export const endUnnamed = (watch: Watch | Digest): Text =>
  say`**${numbered(watch)} has ended.** You may no longer see what it was about.`;

export const stoppedNote = (watch: Watch | Digest, about: Inline, by: string): Note => ({
  text: say`**${titleOf(watch, about)} was stopped** by ${by}.`,
  hidden: endUnnamed(watch),
});

/** `untold`: how many kinds were held back and can't be told. */
export function overNote(watch: Watch, env: Environment, news: News | undefined, untold: number): Note {
  const again = say`**Watch #${watch.id} of ${env.name} is over:** its time is up. I read the log up to ${time(watch.read_to, 'date')}. ${typed(`watch ${env.name} error`)} starts another one.`;
  const lost =
    untold > 0 &&
    say`I held back ${counted(untold, 'new kind')} of errors, and can't show them, because I can't check who may read them.`;
  return { text: joined([news && newsText(env, news), again, lost || undefined], '\n'), hidden: endUnnamed(watch) };
}

export const endedNote = (watch: Watch | Digest, why: Text): Note => ({
  text: say`**${titleOf(watch, aboutThen(watch))} has ended:** ${why}`,
  hidden: endUnnamed(watch),
});

export const unreadNote = (watch: Watch, env: Environment, why: Text, since: number): Note => ({
  text: say`⚠️ **I can't read all of the error log of ${env.name}** since ${time(since, 'date')}. ${why} So silence of watch #${watch.id} doesn't mean that there are no errors. I keep trying, and say when I can.`,
  buttons: [stopButton(watch)],
});

export const readAgainNote = (watch: Watch, env: Environment, { told, since }: Trouble): Note => ({
  text: joined([
    told.includes('gap')
      ? say`**I can read all of the error log of ${env.name} again.** I missed a part of what was written since ${time(since, 'date')}.`
      : say`**I can read the error log of ${env.name} again**, and looked at what was written since ${time(since, 'date')}.`,
    say`Watch #${watch.id} goes on.`,
  ]),
});

export const pausedNote = (watch: Watch, env: Environment, groups: readonly string[]): Note => ({
  text: say`**Watch #${watch.id} of ${env.name} is paused:** I can't tell whether ${watch.requester_name} may still read it. ${membersUnknownQuietly(groups)} I go on once I can.`,
  buttons: [stopButton(watch)],
});

export const resumedNote = (watch: Watch, env: Environment): Note => ({
  text: say`**Watch #${watch.id} of ${env.name} goes on:** ${watch.requester_name} may still read it.`,
});
