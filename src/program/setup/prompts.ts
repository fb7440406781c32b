import {
  autocompleteMultiselect,
  type CANCEL_SYMBOL,
  confirm,
  isCancel,
  log,
  password,
  select,
  text,
} from '@clack/prompts';
import type { ListedMember } from '../../slack/client/workspace-list.ts';
import { interrupted } from './stopped.ts';

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
  /** *No* is preselected. */
  readonly confirm: (question: string) => Promise<boolean>;
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
      return (answered(await text({ message, ...shown })) ?? '').trim();
    },
    askSecret: async (message) => (answered(await password({ message })) ?? '').trim(),
    choose: async (message, options) => answered(await select({ message, options: [...options] })),
    chooseMembers: async (message, members, least) =>
      answered(
        await autocompleteMultiselect({
          message,
          options: members.map(({ id, name }) => ({ value: id, label: name, hint: id })),
          required: least > 0,
          maxItems,
        }),
      ),
    confirm: async (message) => answered(await confirm({ message, initialValue: false })),
    tell: (told) => log.message(told),
  };
}

function answered<T>(answer: T | typeof CANCEL_SYMBOL): T {
  if (isCancel(answer)) throw interrupted();
  return answer;
}
