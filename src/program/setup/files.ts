import { randomBytes } from 'node:crypto';
import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname } from 'node:path';
import { parseEnv } from 'node:util';
import { attempt } from '../../base/errors.ts';
import { otherThanFile } from '../../base/bounded-reads.ts';
import { Stopped } from './prompts.ts';
import { settingsIn, type Settings } from './settings.ts';

/** A file that is written as a whole. `mode`: its permissions. */
export type WholeFile = { readonly path: string; readonly text: string; readonly mode: number };

/** What a file of settings says; undefined if it can't be read. Throws `Stopped` if it would be damaged by a change. */
export function textIn(path: string): string | undefined {
  const bytes = attempt(() => readFileSync(path));
  if (bytes === undefined) return undefined;
  const text = attempt(() => new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  if (text === undefined)
    throw new Stopped(`${basename(path)} is not in UTF-8. Save it so first; nothing was written.`, 'wrong');
  return text;
}

/** `open`: the content is right, but others have permissions that they should not have. Throws if it can't be read. */
export function stateOf({ path, text, mode }: WholeFile): 'missing' | 'same' | 'open' | 'other' {
  if (!existsSync(path)) return 'missing';
  const found = statSync(path);
  const other = otherThanFile(found);
  if (other) throw new Error(`it is ${other}`);
  if (readFileSync(path, 'utf8') !== text) return 'other';
  return (found.mode & 0o077 & ~mode) === 0 ? 'same' : 'open';
}

/**
 * Writes the file beside its place and then moves it there, so that it is never half written. Nothing else runs in
 * between, not even a signal handler. Throws if that fails; then nothing has changed.
 */
export function writeWhole({ path, text, mode }: WholeFile): void {
  // A link is kept, and its target is replaced.
  const place = existsSync(path) ? realpathSync(path) : path;
  const beside = `${place}.${randomBytes(4).toString('hex')}.new`;
  mkdirSync(dirname(place), { recursive: true });
  const file = openSync(beside, 'wx', mode);
  try {
    writeFileSync(file, text);
    fsyncSync(file);
    renameSync(beside, place);
  } catch (error) {
    rmSync(beside, { force: true });
    throw error;
  } finally {
    closeSync(file);
  }
}

/**
 * The text of `.env` with these settings, without those that were `dropped`, and with whatever else it had. `lines`: the
 * names whose lines are other ones or gone. Throws `Stopped` if such a file can't hold one of the values.
 */
export function envWith(
  settings: Settings,
  former = '# Written by sitehand setup.\n',
  dropped: readonly string[] = [],
): { readonly text: string; readonly lines: readonly string[] } {
  const was = parseEnv(former);
  const wanted = { ...Object.fromEntries(dropped.map((name) => [name, undefined])), ...settingsIn(settings) };
  const other = Object.entries(wanted).filter(([name, value]) => was[name]?.trim() !== value);
  const text = other.reduce((before, [name, value]) => {
    const line = value === undefined ? '' : `${name}=${quotedFor(value)}\n`;
    if (name in was) return before.replaceAll(lineOf(name), () => line);
    return `${before.replace(/(?<=[^\n])$/, '\n')}${line}`;
  }, former);
  const read = parseEnv(text);
  const lost = Object.entries({ ...was, ...wanted }).find(([name, value]) => read[name]?.trim() !== value?.trim());
  if (lost)
    throw new Stopped(
      `.env cannot hold the value of ${lost[0]}, because of its quotation marks or line breaks.`,
      'wrong',
    );
  return { text, lines: other.map(([name]) => name).filter((name) => name in was) };
}

/** The line of a setting, or its lines, if its value is quoted. */
const lineOf = (name: string): RegExp =>
  new RegExp(`^[ \\t]*(?:export[ \\t]+)?${name}[ \\t]*=[ \\t]*(?:"[^"]*"|'[^']*'|\`[^\`]*\`)?.*\\n?`, 'gm');

/** A value with blanks or # needs quotation marks. */
function quotedFor(value: string): string {
  if (/^[\w./:@%+=,~?&-]+$/.test(value)) return value;
  const mark = ["'", '"', '`'].find((one) => !value.includes(one)) ?? '';
  return `${mark}${value}${mark}`;
}
