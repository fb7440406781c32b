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
