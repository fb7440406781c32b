import { Refusal } from '../../errors.ts';
import { code, joined, say, type Text } from '../../text.ts';
import { builtin, type QueryService } from '../kit/builtin.ts';
import { optional, phrase } from '../kit/fields.ts';
import { near, didYouMean } from '../../nearest-words.ts';
import { type Page, paragraph } from '../kit/page.ts';
import { stateIn, stateLabel, states } from './states.ts';

/** A note on a command that is unavailable only because Slack doesn't say who is in a user group. */
const mark = ({ unknown }: { readonly unknown: readonly string[] }): Text | undefined =>
  unknown.length > 0 ? say`⚠️ Not now: Slack doesn't tell me who is in ${joined(unknown.map(code), ', ')}.` : undefined;

/** The commands people use most; they come first. */
const firstCommands = [
  'status',
  'cache clear',
  'push',
  'logs',
  'backups list',
  'allowlist add',
  'changes',
  'environments',
] as readonly string[];

/** How to name many environments, shown with the first of the person's commands that takes many. */
function manyAtOnce(mine: ReturnType<QueryService['commands']>): Page['parts'] {
  const path = ['cache clear', 'status', 'backups list'].find((one) => mine.some((command) => command.path === one));
  return path === undefined
    ? []
    : [
        paragraph(
          say`Many environments at once: ${code(`${path} acme-*/live`)}, a list with commas, or a set of the policy such as ${code('set:care-plan')}.`,
        ),
      ];
}

/** The first commands and those with a note, each with what it does, then the names of the others. */
function partsOf(mine: ReturnType<QueryService['commands']>): Page['parts'] {
  const first = firstCommands.flatMap((path) => mine.find((command) => command.path === path) ?? []);
  const noted = mine.filter((command) => command.unknown.length > 0 && !first.includes(command));
  const shown = [...first, ...noted];
  const entries = shown.map((command) => joined([code(command.path), joined([command.summary, mark(command)])], '  '));
  const rest = mine.filter((command) => !shown.includes(command));
  return [
    ...(entries.length > 0 ? [{ kind: 'list' as const, entries }] : []),
    ...(rest.length > 0 ? [paragraph(byNoun(rest))] : []),
  ];
}

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

const exampleOf = ({ example }: { readonly example: string | undefined }): Text | undefined =>
  example === undefined ? undefined : say`For example: ${code(example)}`;

export const help = builtin({
  summary: 'Show what you can run, or how to use one command',
  button: 'Help',
  also: `
    help me how, what can you do, what can i do, what you do, how does this work, commands, list command, show
    command, usage, manual, menu, instruction, example, getting started, start`,
  right: 'anyone',
  glances: true,
  fields: { command: optional(phrase('Command')) },
  answer: ({ input, queryService }) => {
    const mine = queryService.commands().filter(({ mayRun, unknown }) => mayRun || unknown.length > 0);
    if (input.command === undefined) {
      return {
        title: say`**What you can run** · every command is also a form: leave words out and it opens`,
        parts: [...partsOf(mine), ...manyAtOnce(mine)],
        source: say`${code('help redirects')} shows how to type those; in a thread, mention me instead of using the slash command`,
      };
    }
    const wanted = input.command.toLowerCase();
    const found = mine.filter((command) => command.path === wanted || command.path.startsWith(`${wanted} `));
    if (found.length === 0) return helpOnOther(wanted, mine);
    return {
      title: say`**${wanted}**`,
      parts: found.map((command) => paragraph(code(command.usage), command.summary, exampleOf(command), mark(command))),
    };
  },
});

/** Help on a word that is not one of this person's commands: explains a state, or throws `Refusal` with suggestions. */
function helpOnOther(wanted: string, mine: ReturnType<QueryService['commands']>): Page {
  const paths = mine.map(({ path }) => path);
  const helpOn = (path: string) => ({ label: `Help on ${path}`, args: ['help', ...path.split(' ')] });
  const state = stateIn(wanted);
  if (state !== undefined) {
    const { says, see = [] } = states[state];
    return {
      title: say`**${stateLabel(state)}** · not a command, but a state of a change`,
      parts: [
        paragraph(says),
        paragraph(say`${code('change')} and its number shows how it got there, and ${code('changes')} lists them all.`),
      ],
      offers: ['change', 'changes', ...see].filter((path) => paths.includes(path)).map(helpOn),
    };
  }
  const meant = near(wanted, paths);
  throw new Refusal(say`I can't find ${code(wanted.slice(0, 60))} among the commands you can run. Nothing was done.`, {
    ...(meant.length > 0 && { hint: didYouMean(meant.map(code)) }),
    offers: [...meant.map(helpOn), { label: 'Show all', args: ['help'] }],
  });
}
