import { catalogue, type Command } from './index.ts';

/** What the rules know of a command: its path and its class; `named` ones are allowed by name only. */
type Right = {
  readonly path: string;
  readonly risk: 'read' | 'routine' | 'sensitive' | 'destructive' | 'named';
  readonly emergency?: true;
};

/** What these words need of the rules: whoever may read the trail may verify it and take it away. */
export function rightOf(path: string, command: Command, input: Readonly<Record<string, unknown>> = {}): Right {
  if (path.startsWith('audit ')) return { path: 'audit', risk: 'named' };
  // It takes addresses off a list, and asks for that right again where it does.
  if (path === 'timers cancel') return { path: 'allowlist remove', risk: 'sensitive' };
  if (command.shape === 'action') return { path, risk: command.risk };
  const { ownRight } = command.shape === 'builtin' ? command : {};
  const isOwn = ownRight !== undefined && input[ownRight] === true;
  const risk = command.right === 'named' ? 'named' : 'read';
  const right = { path: isOwn ? `${path} --${ownRight}` : path, risk } as const;
  return command.shape === 'builtin' && command.emergency ? { ...right, emergency: true } : right;
}

/** Every right that the words of a command can ask for. */
export function rightsOf(path: string, command: Command): readonly Right[] {
  const { ownRight } = command.shape === 'builtin' ? command : {};
  const usual = rightOf(path, command);
  return ownRight === undefined ? [usual] : [usual, rightOf(path, command, { [ownRight]: true })];
}

/** What a right is called to somebody who said `path`: with its option, where that is a right of its own. */
export const nameOf = ({ path: right }: Pick<Right, 'path'>, path: string): string =>
  right.startsWith(path) ? right : path;

/** What lets somebody take a lock away: a person's, and that of a change. Both also end what nobody else can. */
export const unlocking = {
  usual: { path: 'unlock', risk: 'named' },
  forced: { path: 'unlock --force', risk: 'named' },
} as const satisfies Readonly<Record<string, Right>>;

/** Everything a rule may name. */
export const rights: readonly Right[] = [...catalogue]
  .flatMap(([path, command]) => rightsOf(path, command))
  .filter(({ path }, at, all) => all.findIndex((one) => one.path === path) === at);
