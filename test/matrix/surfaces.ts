import { z } from 'zod';
import { action } from '../../src/commands/kit/action.ts';
import type { NameField } from '../../src/commands/kit/fields.ts';
import { catalogue, type Command } from '../../src/commands/index.ts';
import { Refusal, type Args } from '../../src/base/errors.ts';
import { clearCache } from '../../src/hosting/contract/environment.ts';
import type { Domain } from '../../src/hosting/contract/target.ts';
import type { ParsedCommand } from '../../src/language/bind-arguments.ts';
import { parse, parseArgs } from '../../src/language/parse.ts';
import { join } from '../../src/language/tokenize.ts';
import type { PayloadStore } from '../../src/slack/context/button-payloads.ts';
import { drawNote, type Drawn } from '../../src/block-kit/blocks.ts';
import { readInputs } from '../../src/slack/forms/inputs.ts';
import { say } from '../../src/words/text.ts';
import { idOf, isPlace, targets, type Place } from './people-and-rules.ts';

/** One request on every surface. */

/**
 * Rules see only a command's name, class and kind of target, so these represent all commands about a domain or the
 * company.
 */
const domain: NameField<Domain, false> = {
  kind: 'domain',
  label: 'Domain',
  place: 'word',
  optional: false,
  shown: 'domain',
};
const common = {
  summary: 'x',
  button: 'x',
  examples: ['x'],
  risk: 'sensitive',
  call: () => clearCache({ environment_id: idOf('live') }),
  card: () => ({ title: say`x`, done: say`x` }),
} as const;
export const commands: ReadonlyMap<string, Command> = new Map<string, Command>([
  ...catalogue,
  ['dns set', action({ ...common, fields: { domain }, target: 'domain' })],
  ['clone', action({ ...common, fields: {}, target: 'company' })],
]);

/** `push-from-vault` is a push with an unusual source. */
export const pathOf = (row: string): string => row.replace(/-from-.*/, '').replace('-', ' ');

/** The source of a push onto a target. */
function sourceOf(row: string, onto: Place): Place {
  const named = /-from-(.*)/.exec(row)?.[1] ?? '';
  if (isPlace(named)) return named;
  if (onto === 'blog') return 'blogStaging';
  if (onto === 'secret') return 'secretStaging';
  return onto === 'staging' ? 'live' : 'staging';
}

type Said = { readonly names: readonly string[]; readonly others: Readonly<Record<string, readonly string[]>> };

/** A row's arguments: names of targets in order, and other fields. */
function saidOf(row: string, place: Place | undefined, spelt: (place: Place) => string): Said {
  const path = pathOf(row);
  const names = place === undefined ? [] : [spelt(place)];
  if (path === 'push' && place !== undefined)
    return { names: [spelt(sourceOf(row, place)), ...names], others: { database: ['yes'] } };
  if (path === 'allowlist add') return { names, others: { addresses: ['198.51.100.4'] } };
  return { names, others: path === 'lock' ? { why: ['release'] } : {} };
}

function argsOf(row: string, { names, others }: Said): Args {
  const rest = Object.entries(others).flatMap(([name, words]) => (name === 'database' ? ['--database'] : words));
  return [...pathOf(row).split(' '), ...names, ...rest];
}

/** A row's arguments with ids, as they are stored. */
export const argsById = (row: string, place: Place | undefined): Args => argsOf(row, saidOf(row, place, idOf));

/** The state of a submitted form, as Slack delivers it. */
function stateOf(row: string, { names, others }: Said): unknown {
  const fields = Object.keys(commands.get(pathOf(row))?.fields ?? {});
  const inputs = [
    ...names.map((id, at) => [fields[at] ?? '', { type: 'external_select', selected_option: { value: id } }] as const),
    ...Object.entries(others).map(([name, words]) =>
      name === 'database'
        ? ([name, { type: 'checkboxes', selected_options: words.map((value) => ({ value })) }] as const)
        : ([name, { type: 'plain_text_input', value: words.join('\n') }] as const),
    ),
  ];
  return Object.fromEntries(inputs.map(([name, input]) => [`field:${name}`, { [name]: input }]));
}

const buttons = z.object({ type: z.literal('actions'), elements: z.array(z.object({ value: z.string() })) });
/** The values of a drawn message's buttons. */
export const valuesOf = ({ blocks }: Pick<Drawn, 'blocks'>): readonly string[] =>
  blocks.flatMap((block) => buttons.safeParse(block).data?.elements.map(({ value }) => value) ?? []);

function parsedLine(line: string, context?: Parameters<typeof parse>[2]): ParsedCommand {
  const parsed = parse(line, commands, context);
  if (parsed === undefined) throw new Error(`nothing was said: ${line}`);
  return parsed;
}

/** A row's request, by surface. In a thread its target is omitted. */
export async function surfacesOf(
  row: string,
  at: Place | undefined,
  payloads: PayloadStore,
): Promise<ReadonlyMap<string, ParsedCommand>> {
  const typed = saidOf(row, at, (place) => targets[place]);
  const shouted = saidOf(row, at, (place) => targets[place].toUpperCase());
  const byId = saidOf(row, at, idOf);
  const args = argsById(row, at);
  const path = pathOf(row);
  const command = commands.get(path);
  if (command === undefined) throw new Error(`no command ${path}`);
  const offer = { label: 'x', press: { kind: 'run', args } } as const;
  const [pressed = ''] = valuesOf(drawNote({ text: say`x`, buttons: [offer] }));
  const id = await payloads.keepList(`${row} ${at}`, args);
  // Read from the database, as when the cache has forgotten it.
  await payloads.close();
  const { words: stored } = await payloads.keptList(id);
  const surfaces = new Map<string, ParsedCommand>([
    ['words that are typed', parsedLine(argsOf(row, typed).join(' '))],
    ['words in capitals', parsedLine(argsOf(row, shouted).join(' '))],
    ['a form', { path, command, dryRun: false, ...readInputs(stateOf(row, byId)) }],
    ['a button', parsedLine(pressed)],
    ['stored words', parsedLine(join(stored))],
    ['the review of a form', parseArgs(args, commands)],
  ]);
  if (at === undefined) return surfaces;
  const inThread = argsOf(row, { ...typed, names: typed.names.slice(0, -1) }).join(' ');
  return surfaces.set('a mention in its thread', parsedLine(inThread, { target: idOf(at), sibling: () => undefined }));
}

/** Whether an error is a sentence for the person; rethrows any other. */
export function refusalIn(error: unknown): Refusal {
  if (error instanceof Refusal) return error;
  throw error;
}
