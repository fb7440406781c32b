import { breakGlassMeans, meansBreakGlass, wordAlone } from '../commands/cannot.ts';
import { catalogue, type Command, firstOf } from '../commands/index.ts';
import { commonOptions } from '../commands/kit/action.ts';
import type { Field } from '../commands/kit/fields.ts';
import { rightOf } from '../commands/rights.ts';
import { mayBreakGlass } from '../policy/policy.ts';
import type { Member, Policy } from '../policy/rules.ts';
import { mayRunSomewhere } from '../access/may-run.ts';
import { optionName, takesValue } from '../language/usage.ts';
import type { Ability } from '../access/ability.ts';
import { Refusal, type Args, type Offer } from '../base/errors.ts';
import { allCommands } from '../commands/builtin/help.ts';
import { type Page, paragraph } from '../commands/kit/page.ts';
import { near, didYouMean } from '../words/similar-names.ts';
import { stateIn, stateLabel, states } from '../words/states.ts';
import { code, joined, sample, say, typed, type Text } from '../words/text.ts';
import { approvalSomewhere } from './rights-pages.ts';

/** Help: every command, and what the person who asks may run. */

/** A command, as help shows it to one person. */
export type CommandHelp = {
  readonly path: string;
  readonly summary: string;
  /** The title of its form, and the label of the button that opens it. */
  readonly button: string;
  readonly isAction: boolean;
  /** Whole lines. */
  readonly examples: readonly string[];
  /** What can follow its path: how it is typed, and what it means. */
  readonly words: readonly (readonly [typed: string, means: string])[];
  readonly mayRun: boolean;
  /** The Slack user groups that would decide that, if Slack doesn't say who is in them. */
  readonly unknown: readonly string[];
};

/** What help says of every command: how it is typed, what its words mean, and whether this person may run it. */
export const commandsFor = (policy: Policy, person: Member): readonly CommandHelp[] =>
  [...catalogue].map(([path, command]) => {
    const is = mayRunSomewhere(policy, person, path, command);
    return {
      path,
      summary: command.summary,
      button: command.button,
      isAction: command.shape === 'action',
      examples: (command.examples ?? ['']).map((words) => `${path} ${words}`.trim()),
      words: wordsOf(command, person.caller !== undefined, mayBreakGlass(policy, person, rightOf(path, command))),
      mayRun: is === 'yes',
      unknown: is === 'yes' || is === 'no' ? [] : is,
    };
  });

function wordsOf(command: Command, isProgram: boolean, breaksGlass: boolean): CommandHelp['words'] {
  const { reason, queue, at, within, canary, 'dry-run': dryRun, 'break-glass': breakGlass } = commonOptions;
  const isBatch = command.shape === 'action' && command.batch !== undefined;
  const all = Object.entries<Field>(command.fields);
  const own = all.map(([name, field]) => {
    const isShared = field.place === 'word' && all.filter(([, { shown }]) => shown === field.shown).length > 1;
    const takesMany = (isBatch && name === command.target) || (field.kind === 'environment' && field.orMany);
    const means = [meaning(field), takesMany && field.hint === undefined && several].filter(Boolean).join(' ');
    return [
      typedAs(name, isShared ? { ...field, shown: `${field.label.toLowerCase()} ${field.shown}` } : field),
      means,
    ] as const;
  });
  if (command.shape !== 'action') return own;
  return [
    ...own,
    reason,
    dryRun,
    ...(isProgram ? [] : [queue]),
    at,
    within,
    ...(isBatch ? [canary] : []),
    ...(breaksGlass ? [breakGlass] : []),
  ];
}

const several = 'Or several: acme-*/live, a list with commas, or a set.';

function typedAs(name: string, field: Field): string {
  if (field.place === 'option')
    return takesValue(field) ? `--${optionName(name)} ${field.shown}` : `--${optionName(name)}`;
  return field.kind !== 'plain' && field.after !== undefined ? `${field.after} ${field.shown}` : field.shown;
}

/** A label that says it all needs no hint. */
const meaning = ({ label, hint, optional, place }: Field): string =>
  hint ?? (optional && place === 'word' ? `${label}; may be left out.` : `${label}.`);

/** Every command, and what the person who asks may run. */
type Asked = {
  readonly commands: readonly CommandHelp[];
  readonly can: (args: Args) => Promise<Ability>;
  /** A program asks: it gets no form, and is in no thread. */
  readonly isProgram: boolean;
};

/** What can be run, or how one command is used, or what a state means. Throws `Refusal` with suggestions. */
export function helpPage(asked: Asked, command: string | undefined): Promise<Page> | Page {
  const mine = asked.commands.filter(({ mayRun, unknown }) => mayRun || unknown.length > 0);
  if (command === undefined) return oneScreen(mine, asked);
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
const oneScreen = (mine: readonly CommandHelp[], { isProgram }: Pick<Asked, 'isProgram'>): Page => ({
  title: say`**What you can run**`,
  parts: [
    {
      kind: 'list',
      entries: firstOf(mine).map((command) =>
        joined([sample(command.examples[0] ?? command.path), joined([command.summary, mark(command)])], '\n'),
      ),
    },
  ],
  source: isProgram
    ? say`${sample('help push')} shows what can follow it`
    : say`leave words out, and a form opens; in a thread, mention me instead of ${typed('')}`,
  offers: [{ label: 'More', args: ['help', allCommands] }],
});

/** All commands by noun. Those with a note have a line of their own. */
function byNounPage(mine: readonly CommandHelp[]): Page {
  const noted = mine.filter(({ unknown }) => unknown.length > 0);
  const many = ['cache clear', 'status', 'backups list'].find((one) => mine.some(({ path }) => path === one));
  const breaksGlass = mine.some(({ words }) => words.some(([word]) => word === commonOptions['break-glass'][0]));
  return {
    title: say`**Everything you can run** · type it after ${typed('')}`,
    parts: [
      ...(noted.length > 0 ? [{ kind: 'list' as const, entries: noted.map(entryOf) }] : []),
      paragraph(byNoun(mine.filter((command) => !noted.includes(command)))),
      paragraph(
        many &&
          say`Many environments at once: ${sample(`${many} acme-*/live`)}, a list with commas, or a set of the policy such as ${code('set:care-plan')}.`,
        breaksGlass ? say`When nobody is there to approve: ${sample('help break-glass')}.` : undefined,
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
  if (meansBreakGlass(wanted))
    return {
      title: say`**Break-glass** · not a command, but an option`,
      parts: [
        paragraph(breakGlassMeans),
        paragraph(say`${sample('can push acme-shop/staging acme-shop/live --files')} says whether a rule lets you.`),
      ],
      offers: ['can', 'pause'].filter((path) => paths.includes(path)).map(helpOffer),
    };
  const alone = wordAlone(wanted);
  if (alone) return { title: say`**${wanted}** · not a command`, parts: [paragraph(alone)] };
  const having = paths.filter((path) => path.split(' ').includes(wanted));
  const meant = [...new Set([...having, ...near(wanted, paths)])].slice(0, maxMeant);
  throw new Refusal(say`**There's no command ${code(wanted.slice(0, 60))} that you can run.** Nothing was done.`, {
    ...(meant.length > 0 && { hint: didYouMean(meant.map(typed)) }),
    offers: [...meant.map(helpOffer), { label: 'Show all', args: ['help', allCommands] }],
  });
}
