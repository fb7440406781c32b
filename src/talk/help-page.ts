import type { Ability } from '../access/ability.ts';
import { Refusal, type Args, type Offer } from '../base/errors.ts';
import { allCommands } from '../commands/builtin/help.ts';
import { type Page, paragraph } from '../commands/kit/page.ts';
import { firstOf } from '../commands/index.ts';
import { near, didYouMean } from '../words/similar-names.ts';
import { stateIn, stateLabel, states } from '../words/states.ts';
import { code, joined, sample, say, typed, type Text } from '../words/text.ts';
import { approvalSomewhere } from './can-page.ts';
import type { CommandHelp } from './command-help.ts';

/** Every command, and what the person who asks may run. */
type Asked = { readonly commands: readonly CommandHelp[]; readonly can: (args: Args) => Promise<Ability> };

/** What can be run, or how one command is used, or what a state means. Throws `Refusal` with suggestions. */
export function helpPage(asked: Asked, command: string | undefined): Promise<Page> | Page {
  const mine = asked.commands.filter(({ mayRun, unknown }) => mayRun || unknown.length > 0);
  if (command === undefined) return oneScreen(mine);
  const wanted = command.toLowerCase();
  if (wanted === allCommands) return byNounPage(mine);
  const below = mine.filter(({ path }) => path.startsWith(`${wanted} `));
  const only = below.length === 1 ? below[0] : undefined;
  const found = mine.find(({ path }) => path === wanted) ?? only;
  if (found) return helpOn(found, below, asked);
  return below.length > 0 ? groupPage(wanted, below) : helpOnOther(wanted, mine);
}

/** A note on a command that is unavailable only because Slack doesn't say who is in a user group. */
const mark = ({ unknown }: Pick<CommandHelp, 'unknown'>): Text | undefined =>
  unknown.length > 0 ? say`⚠️ Not now: Slack doesn't tell me who is in ${joined(unknown.map(code), ', ')}.` : undefined;

/** The commands used most, on one screen of a phone. */
const oneScreen = (mine: readonly CommandHelp[]): Page => ({
  title: say`**What you can run**`,
  parts: [
    {
      kind: 'list',
      entries: firstOf(mine).map((command) =>
        joined([sample(command.examples[0] ?? command.path), joined([command.summary, mark(command)])], '\n'),
      ),
    },
  ],
  source: say`leave words out, and a form opens; in a thread, mention me instead of ${typed('')}`,
  offers: [{ label: 'More', args: ['help', allCommands] }],
});

/** All commands by noun. Those with a note have a line of their own. */
function byNounPage(mine: readonly CommandHelp[]): Page {
  const noted = mine.filter(({ unknown }) => unknown.length > 0);
  const many = ['cache clear', 'status', 'backups list'].find((one) => mine.some(({ path }) => path === one));
  return {
    title: say`**Everything you can run** · type it after ${typed('')}`,
    parts: [
      ...(noted.length > 0 ? [{ kind: 'list' as const, entries: noted.map(entryOf) }] : []),
      paragraph(byNoun(mine.filter((command) => !noted.includes(command)))),
      paragraph(
        many &&
          say`Many environments at once: ${sample(`${many} acme-*/live`)}, a list with commas, or a set of the policy such as ${code('set:care-plan')}.`,
      ),
    ],
    source: say`${sample('help redirects')} shows how to type those`,
  };
}

const entryOf = (command: CommandHelp): Text =>
  joined([typed(command.path), joined([command.summary, mark(command)])], '  ');

/** One line per first word, `redirects  list · add · edit`; commands that share no first word share the last line. */
function byNoun(commands: readonly { readonly path: string }[]): Text {
  const verbs = new Map<string, string[]>();
  for (const { path } of commands) {
    const [noun = '', ...verb] = path.split(' ');
    verbs.set(noun, [...(verbs.get(noun) ?? []), ...verb]);
  }
  const isAlone = ({ path }: { readonly path: string }): boolean =>
    (verbs.get(path.split(' ')[0] ?? '') ?? []).length < 2;
  const alone = commands.filter(isAlone).map(({ path }) => code(path));
  const lines = [...verbs].flatMap(([noun, of]) => (of.length > 1 ? [joined([code(noun), of.join(' · ')], '  ')] : []));
  return joined(alone.length === 0 ? lines : [...lines, joined(alone, ' · ')], '\n');
}

const maxExamples = 3;
const maxMeant = 5;
const helpOffer = (path: string): Offer => ({ label: `Help on ${path}`, args: ['help', ...path.split(' ')] });

/** How one command is used. `below`: those whose path continues it. */
async function helpOn(command: CommandHelp, below: readonly CommandHelp[], asked: Asked): Promise<Page> {
  const { path, summary, button, examples, words, mayRun, isAction } = command;
  const args = path.split(' ');
  const approval = isAction && mayRun ? await approvalOf(args, asked) : undefined;
  const canAsk = approval?.isOpen === true && asked.commands.some((one) => one.path === 'can' && one.mayRun);
  return {
    title: say`${typed(path)} · ${summary}`,
    parts: [
      paragraph(mark(command), ...examples.slice(0, maxExamples).map(sample)),
      ...(words.length > 0
        ? [{ kind: 'list' as const, entries: words.map(([word, means]) => joined([code(word), means], '  ')) }]
        : []),
      ...(approval ? [paragraph(approval.says)] : []),
    ],
    offers: [
      ...(mayRun ? [{ label: button, args, ...(words.length > 0 && { opens: 'form' as const }) }] : []),
      ...(canAsk ? [{ label: 'Who approves', args: ['can', ...args], opens: 'form' as const }] : []),
      ...below.filter((one) => one !== command).map((one) => helpOffer(one.path)),
    ],
  };
}

/** Who approves it for this person. `isOpen`: that depends on the target. Undefined: the rules don't say without one. */
async function approvalOf(
  args: Args,
  { can }: Asked,
): Promise<{ readonly says: Text; readonly isOpen: boolean } | undefined> {
  const { answer, target } = await can(args);
  if (answer.kind !== 'allowed somewhere') return undefined;
  const where = target && say`You may run it on ${target}.`;
  return { says: joined([where, approvalSomewhere(answer.approval)]), isOpen: answer.approval !== 'none' };
}

const groupPage = (noun: string, commands: readonly CommandHelp[]): Page => ({
  title: say`${typed(noun)} · takes a second word`,
  parts: [{ kind: 'list', entries: commands.map(entryOf) }],
  offers: commands.map(({ path }) => helpOffer(path)),
});

/** Help on a word that is not one of this person's commands: explains a state, or throws `Refusal` with suggestions. */
function helpOnOther(wanted: string, mine: readonly CommandHelp[]): Page {
  const paths = mine.map(({ path }) => path);
  const state = stateIn(wanted);
  if (state !== undefined) {
    const { means: says, see = [] } = states[state];
    return {
      title: say`**${stateLabel(state)}** · not a command, but a state of a change`,
      parts: [
        paragraph(says),
        paragraph(say`${sample('change 42')} shows how it got there, and ${typed('changes')} lists them all.`),
      ],
      offers: ['change', 'changes', ...see].filter((path) => paths.includes(path)).map(helpOffer),
    };
  }
  const having = paths.filter((path) => path.split(' ').includes(wanted));
  const meant = [...new Set([...having, ...near(wanted, paths)])].slice(0, maxMeant);
  throw new Refusal(say`**There's no command ${code(wanted.slice(0, 60))} that you can run.** Nothing was done.`, {
    ...(meant.length > 0 && { hint: didYouMean(meant.map(typed)) }),
    offers: [...meant.map(helpOffer), { label: 'Show all', args: ['help', allCommands] }],
  });
}
