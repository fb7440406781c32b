import { readFile } from 'node:fs/promises';
import { stripTypeScriptTypes } from 'node:module';

/** A file of the page as text. */
export type Asset = { readonly type: string; readonly text: string };

const MODULE = /^\/web\/[a-z-]+\.ts$/;
const STYLES = /^\/web\/[a-z]+\.css$/;
/** The module that the page shares with the server; it needs nothing of Node. */
const SHARED = new Set(['/slack/json-fields.ts']);

/**
 * The file at a path of the page's server, or undefined. Read on each request, so that edits show on reload.
 * `inOneFile`, if given, is served as the page's first module and imports no other.
 */
export async function assetAt(path: string, inOneFile?: string): Promise<Asset | undefined> {
  if (path === '/') return read('/web/index.html', 'text/html');
  if (path === '/web/page.ts' && inOneFile !== undefined) return { type: 'text/javascript', text: inOneFile };
  if (STYLES.test(path)) return read(path, 'text/css');
  if (!MODULE.test(path) && !SHARED.has(path)) return undefined;
  const source = await read(path, 'text/javascript');
  return source && { ...source, text: withoutTypes(path, source.text) };
}

/** The stripped text of each module; every page load asks for all of them. */
const stripped = new Map<string, { readonly source: string; readonly text: string }>();

function withoutTypes(path: string, source: string): string {
  const known = stripped.get(path);
  if (known?.source === source) return known.text;
  const text = stripTypeScriptTypes(source);
  stripped.set(path, { source, text });
  return text;
}

async function read(path: string, type: string): Promise<Asset | undefined> {
  try {
    return { type, text: await readFile(new URL(`..${path}`, import.meta.url), 'utf8') };
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}

/** Hides Node's warning that this function is experimental; the reader can do nothing about it. */
function useOnceInSilence(): void {
  const announce = process.emitWarning.bind(process);
  process.emitWarning = () => undefined;
  stripTypeScriptTypes('');
  process.emitWarning = announce;
}

useOnceInSilence();
