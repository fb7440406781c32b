import { readFile } from 'node:fs/promises';
import { stripTypeScriptTypes } from 'node:module';

/** A file of the page as text. */
export type Asset = { readonly type: string; readonly text: string };

const MODULE = /^\/web\/[a-z-]+\.ts$/;
const STYLES = /^\/web\/[a-z]+\.css$/;
/** All modules in one, which the build makes. */
const BUNDLE = '/web/page.js';
/** The module that the page shares with the server; it needs nothing of Node. */
const SHARED = new Set(['/slack/json-fields.ts']);

/** The file at a path of the page's server, or undefined. Read on each request, so that edits show on reload. */
export async function assetAt(path: string, folder: URL): Promise<Asset | undefined> {
  const read = (name: string, type: string): Promise<Asset | undefined> => assetIn(new URL(`.${name}`, folder), type);
  if (path === '/') return read('/web/index.html', 'text/html');
  if (STYLES.test(path)) return read(path, 'text/css');
  if (path === BUNDLE) return read(path, 'text/javascript');
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

async function assetIn(file: URL, type: string): Promise<Asset | undefined> {
  try {
    return { type, text: await readFile(file, 'utf8') };
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
