import type { FileNode } from './resources.ts';

/** Copies the named paths of `source` over those in `target`. A path that `source` lacks changes nothing. */
export function withPaths(
  target: readonly FileNode[],
  source: readonly FileNode[],
  paths: readonly string[],
): FileNode[] {
  const grown = structuredClone([...target]);
  for (const path of paths) copyPath(grown, source, path.split('/').filter(Boolean));
  return grown;
}

function copyPath(target: FileNode[], source: readonly FileNode[], [name, ...below]: readonly string[]): void {
  const wanted = source.find((node) => node.name === name);
  if (wanted === undefined) return;
  const at = target.findIndex((node) => node.name === name);
  const present = target[at];
  if (below.length === 0) {
    target.splice(at < 0 ? target.length : at, 1, structuredClone(wanted));
  } else if (wanted.children !== undefined && contains(wanted.children, below)) {
    const folder = present?.children === undefined ? { ...wanted, children: [] } : present;
    if (folder !== present) target.splice(at < 0 ? target.length : at, 1, folder);
    copyPath(folder.children ?? [], wanted.children, below);
  }
}

function contains(nodes: readonly FileNode[], [name, ...below]: readonly string[]): boolean {
  const node = nodes.find((one) => one.name === name);
  return node !== undefined && (below.length === 0 || contains(node.children ?? [], below));
}

/** Whether copying `paths` copies anything in `folder`. */
export function touches(paths: readonly string[], folder: string): boolean {
  return paths
    .map((path) => `${path.split('/').filter(Boolean).join('/')}/`)
    .some((path) => `${folder}/`.startsWith(path) || path.startsWith(`${folder}/`));
}
