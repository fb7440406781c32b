import { catalogue, type Command } from './index.ts';

/** What the rules know of a command: its path and its class; `named` ones are allowed by name only. */
type Right = { readonly path: string; readonly risk: 'read' | 'routine' | 'sensitive' | 'destructive' | 'named' };

/** Commands that a policy may already speak of, though they are not here yet: so that it can be written once. */
const announced: readonly Right[] = [
  ...['push', 'delete', 'redirects clear'].map((path) => ({ path, risk: 'destructive' }) as const),
  ...['themes update', 'redirects add', 'redirects edit', 'redirects remove', 'domains add', 'dns set', 'clone'].map(
    (path) => ({ path, risk: 'sensitive' }) as const,
  ),
  ...['ssh expiry', 'ssh password', 'allowlist set'].map((path) => ({ path, risk: 'sensitive' }) as const),
  { path: 'images', risk: 'routine' },
  ...['themes list', 'themes show', 'redirects list', 'domains list', 'domains records', 'dns list'].map(
    (path) => ({ path, risk: 'read' }) as const,
  ),
  ...['files', 'backups next', 'changes', 'can', 'doctor', 'about'].map((path) => ({ path, risk: 'read' }) as const),
  ...['audit', 'use', 'lock', 'unlock', 'pause', 'resume'].map((path) => ({ path, risk: 'named' }) as const),
];

/** A command as the rules know it: whoever may read the trail may verify it and take it away. */
export function rightOf(path: string, command: Command): Right {
  if (path.startsWith('audit ')) return { path: 'audit', risk: 'named' };
  if (command.shape === 'action') return { path, risk: command.risk };
  return { path, risk: command.shape === 'desk' && command.right === 'named' ? 'named' : 'read' };
}

/** Everything a rule may name. */
export const rights: readonly Right[] = [
  ...[...catalogue]
    .map(([path, command]) => rightOf(path, command))
    .filter(({ path }, at, all) => all.findIndex((one) => one.path === path) === at),
  ...announced.filter(({ path }) => !catalogue.has(path)),
];
