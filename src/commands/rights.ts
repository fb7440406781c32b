import { catalogue, changesSomething, type Command } from './index.ts';

/** A command as the rules see it: its path and its class; `named` ones are allowed only by name. */
type Right = {
  readonly path: string;
  readonly risk: 'read' | 'routine' | 'sensitive' | 'destructive' | 'named';
  readonly brake?: true;
  readonly within?: string;
  readonly neverFrozen?: true;
};

/** The right that these words need. The right to read the trail includes verifying and exporting it. */
export function rightOf(path: string, command: Command, input: Readonly<Record<string, unknown>> = {}): Right {
  if (path.startsWith('audit ')) return { path: 'audit', risk: 'named' };
  // `timers cancel` removes addresses from a list; that right is checked again when it does.
  if (path === 'timers cancel') return { path: 'allowlist remove', risk: 'sensitive', neverFrozen: true };
  if (command.shape === 'action')
    return { path, risk: command.risk, ...(command.takesAccess?.(input) && { neverFrozen: true }) };
  const { ownRight } = command.shape === 'builtin' ? command : {};
  const isOwn = ownRight !== undefined && input[ownRight] === true;
  const risk = command.right === 'named' ? 'named' : 'read';
  const right = { path: isOwn ? `${path} --${ownRight}` : path, risk } as const;
  if (command.shape !== 'builtin') return right;
  const { brake, within } = command;
  return { ...right, ...(brake && { brake }), ...(within !== undefined && { within }) };
}

/** Every right that a command can need. */
export function rightsOf(path: string, command: Command): readonly Right[] {
  const { ownRight } = command.shape === 'builtin' ? command : {};
  const usual = rightOf(path, command);
  return ownRight === undefined ? [usual] : [usual, rightOf(path, command, { [ownRight]: true })];
}

/** Whether programs may use it at all: what changes a site, and reports that need no right by name. */
export const isForCallers = (path: string, command: Command): boolean =>
  command.shape === 'action' || (!changesSomething(command) && rightOf(path, command).risk !== 'named');

/** The name of a right in a message about `path`, including the option if the option is a separate right. */
export const nameOf = ({ path: right }: Pick<Right, 'path'>, path: string): string =>
  right.startsWith(path) ? right : path;

/** The rights to remove a person's lock (`usual`) and a change's lock (`forced`). */
export const unlocking = {
  usual: { path: 'unlock', risk: 'named' },
  forced: { path: 'unlock --force', risk: 'named' },
} as const satisfies Readonly<Record<string, Right>>;

/** All rights that a rule may name. */
export const rights: readonly Right[] = [...catalogue]
  .flatMap(([path, command]) => rightsOf(path, command))
  .filter(({ path }, at, all) => all.findIndex((one) => one.path === path) === at);
