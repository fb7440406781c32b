import {
  autocompleteMultiselect,
  type CANCEL_SYMBOL,
  confirm,
  isCancel,
  log,
  password,
  S_BAR,
  select,
  text,
} from '@clack/prompts';
import type { ListedMember } from '../../slack-api/workspace-list.ts';
import type { exitCodes } from '../output.ts';
import { readFileSync, statSync } from 'node:fs';
import { parseArgs, parseEnv } from 'node:util';
import type { EnvironmentVariables } from '../../base/config.ts';
import { lineFor } from '../../base/beside.ts';
import { errorMessage } from '../../base/errors.ts';
import { memberShape } from '../../policy/schema.ts';
import { otherThanFile } from '../../base/bounded-reads.ts';

/** How setup is told what it needs: by options on the command line, and by answers at the terminal. */

/** Questions to the person at the terminal. Each rejects with `Stopped` on Ctrl-C. */
export type Prompts = {
  /** The answer may be empty. `example` is only shown; `initial` is filled in and can be edited. */
  readonly ask: (question: string, shown?: { readonly example?: string; readonly initial?: string }) => Promise<string>;
  /** The answer is never shown. */
  readonly askSecret: (question: string) => Promise<string>;
  readonly choose: (question: string, options: readonly Option[]) => Promise<string>;
  /** Resolves with ids. */
  readonly chooseMembers: (
    question: string,
    members: readonly ListedMember[],
    least: 0 | 1,
  ) => Promise<readonly string[]>;
  /** *No* is preselected, unless `initial` says otherwise. */
  readonly confirm: (question: string, initial?: boolean) => Promise<boolean>;
  readonly tell: (text: string) => void;
};
type Option = { readonly value: string; readonly label: string };

const maxItems = 10;

/** Prompts on this process's terminal; undefined without a terminal, so that nothing is asked. */
export function terminalPrompts(): Prompts | undefined {
  if (!process.stdin.isTTY || !process.stdout.isTTY) return undefined;
  return {
    ask: async (message, { example, initial } = {}) => {
      const shown = { ...(example && { placeholder: example }), ...(initial && { initialValue: initial }) };
      return (answered(await text({ message: asked(message), ...shown })) ?? '').trim();
    },
    askSecret: async (message) => (answered(await password({ message: asked(message) })) ?? '').trim(),
    choose: async (message, options) => answered(await select({ message, options: [...options] })),
    chooseMembers: async (message, members, least) =>
      answered(
        await autocompleteMultiselect({
          // A blank is part of a name, so it picks nobody.
          message: asked(`${message}. Type to search, Tab picks`),
          options: members.map(({ id, name }) => ({ value: id, label: name, hint: id })),
          required: least > 0,
          maxItems,
        }),
      ),
    confirm: async (message, initialValue = false) => answered(await confirm({ message, initialValue })),
    tell: (told) => log.message([...wrapped(told)]),
  };
}

/** The text in lines that fit beside the bar of these prompts. A longer word, such as an address, stays whole. */
function wrapped(text: string): readonly string[] {
  const width = (process.stdout.columns || 80) - 4;
  const line = new RegExp(`(?:\\S{${width},}|.{1,${width}})(?=\\s|$)`, 'g');
  return text.split('\n').flatMap((one) => one.match(line)?.map((part) => part.trim()) ?? '');
}
const asked = (message: string): string => wrapped(message).join(`\n${S_BAR}  `);

function answered<T>(answer: T | typeof CANCEL_SYMBOL): T {
  if (isCancel(answer)) throw interrupted();
  return answer;
}

/** Why the setup stops. `message`: one or more sentences, without the files written so far. */
export class Stopped extends Error {
  readonly end: keyof typeof exitCodes;

  constructor(message: string, end: keyof typeof exitCodes) {
    super(message);
    this.name = 'Stopped';
    this.end = end;
  }
}

/** Somebody pressed Ctrl-C. */
export const interrupted = (): Stopped => new Stopped('Stopped.', 'interrupted');

/** The options of `setup`. A secret is never one: other users of the machine can see a program's arguments. */
export type Options = ReturnType<typeof optionsOf>;

/** Each option as `parseArgs` takes it, and what people are told of it: `form` follows its name. */
const setupOptions = {
  leads: { type: 'string', form: 'U…,S…', says: 'ids of the people and user groups who approve' },
  developers: { type: 'string', form: 'U…,S…', says: 'ids of those who do what is routine' },
  'ops-channel': { type: 'string', form: 'C…', says: 'id of the channel for faults and unknown outcomes' },
  'request-url': { type: 'string', form: 'https://…', says: 'where Slack delivers over HTTP' },
  settings: { type: 'string', form: 'FILE', says: 'more settings, as in .env; - reads standard input' },
  overwrite: { type: 'boolean', form: '', says: 'replace files, and lines of .env, that are different' },
} as const;

/** What `setup --help` prints. */
export function setupHelp(): string {
  const lines = Object.entries(setupOptions).map(
    ([name, { form, says }]) => `  ${`--${name} ${form}`.padEnd(24)}  ${says}`,
  );
  return `${lineFor('setup [OPTIONS]')}\n\n${lines.join('\n')}\n\nEverything else is a setting, such as SLACK_BOT_TOKEN: from the environment, from .env, or asked for.\n`;
}

/** Reads the words after `setup`. Throws `Stopped` if they cannot be understood or a file cannot be read. */
export function optionsOf(words: readonly string[]) {
  const { values } = valuesIn(words);
  const given = values['request-url'];
  const requestUrl = given === undefined ? undefined : requestUrlIn(given);
  if (given !== undefined && requestUrl === undefined) throw new Stopped(`--request-url ${mustBePublic}`, 'wrong');
  return {
    /** Ids of people and Slack user groups. */
    leads: idsIn('--leads', values.leads),
    developers: idsIn('--developers', values.developers),
    /** The id of a channel. */
    ops: values['ops-channel'],
    /** Where Slack delivers over HTTP. */
    requestUrl,
    /** Whether to replace files that have other content. */
    overwrite: values.overwrite ?? false,
    /** Whether the playground runs this: there is no app to make, and it starts the bot. */
    isRehearsal: values.rehearsal ?? false,
    /** The settings from a file or standard input, in the form of `.env`. */
    settings: values.settings === undefined ? {} : settingsFrom(values.settings),
  };
}

export const requestUrlForm = 'https://YOUR-HOST/slack/events';
export const mustBePublic = `must be ${requestUrlForm}, with the public name of your machine, or that name alone.`;
/** The address that Slack delivers to. The name of the machine will do; undefined if it is neither. */
export function requestUrlIn(given: string): string | undefined {
  const { protocol, pathname, search, hash, hostname, origin } =
    URL.parse(/^\w+:\/\//.test(given) ? given : `https://${given}`) ?? {};
  const isWhole = pathname?.endsWith('/slack/events') && search === '' && hash === '';
  if (protocol !== 'https:' || hostname === 'your-host' || /\s/.test(given)) return undefined;
  if (isWhole) return `${origin}${pathname}`;
  return pathname === '/' ? `${origin}/slack/events` : undefined;
}

export const mustBeIds = 'must be Slack ids: U… or W… of people, S… of user groups.';
function idsIn(option: string, text: string | undefined): readonly string[] {
  const ids = splitIds(text);
  if (!ids.every((id) => memberShape.test(id))) throw new Stopped(`${option} ${mustBeIds}`, 'wrong');
  return ids;
}
export const splitIds = (text = ''): readonly string[] => [...new Set(text.split(/[\s,]+/).filter((id) => id !== ''))];

function valuesIn(words: readonly string[]) {
  try {
    return parseArgs({ args: [...words], options: { ...setupOptions, rehearsal: { type: 'boolean' } } });
  } catch {
    // Don't repeat the words: one may be a secret.
    throw new Stopped(`setup does not take all of these words. ${lineFor('setup --help')} lists its options.`, 'wrong');
  }
}

function settingsFrom(file: string): EnvironmentVariables {
  try {
    const other = file === '-' ? undefined : otherThanFile(statSync(file));
    if (other) throw new Error(`${file} is ${other}; pass them on standard input, with --settings -`);
    return parseEnv(readFileSync(file === '-' ? 0 : file, 'utf8'));
  } catch (error) {
    throw new Stopped(`The settings cannot be read: ${errorMessage(error)}.`, 'wrong');
  }
}
