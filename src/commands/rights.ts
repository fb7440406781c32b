import { catalogue, type Command } from './index.ts';

/** What the rules know of a command: its path and its class; `named` ones are allowed by name only. */
type Right = { readonly path: string; readonly risk: 'read' | 'routine' | 'sensitive' | 'destructive' | 'named' };

/** A command as the rules know it: whoever may read the trail may verify it and take it away. */
export function rightOf(path: string, command: Command): Right {
  if (path.startsWith('audit ')) return { path: 'audit', risk: 'named' };
  // It takes addresses off a list, and asks for that right again where it does.
  if (path === 'timers cancel') return { path: 'allowlist remove', risk: 'sensitive' };
  if (command.shape === 'action') return { path, risk: command.risk };
  return { path, risk: command.right === 'named' ? 'named' : 'read' };
}

/** Everything a rule may name. */
export const rights: readonly Right[] = [...catalogue]
  .map(([path, command]) => rightOf(path, command))
  .filter(({ path }, at, all) => all.findIndex((one) => one.path === path) === at);
