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
import { dirname } from 'node:path';
import { parseEnv } from 'node:util';
import { otherThanFile } from '../../base/regular-file.ts';
import { Stopped } from './prompts.ts';
import { settingsIn, type Settings } from './settings.ts';
import { parse, parseDocument } from 'yaml';
import { manifestFile } from '../../base/beside.ts';

/** A file that is written as a whole. `mode`: its permissions. */
export type WholeFile = { readonly path: string; readonly text: string; readonly mode: number };

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

/** What setup calls the manifest that it writes: a clone has a `manifest.yml` of its own. */
export const manifestName = 'app-manifest.yml';

const main = ['features', 'slash_commands', 0, 'command'];
const socketMode = ['settings', 'socket_mode_enabled'];
/** The places of addresses in the manifest to which Slack delivers. */
const addresses = [
  ['features', 'slash_commands', 0, 'url'],
  ['settings', 'event_subscriptions', 'request_url'],
  ['settings', 'interactivity', 'request_url'],
  ['settings', 'interactivity', 'message_menu_options_url'],
];

/**
 * The app manifest with this slash command. `requestUrl`: the address that Slack delivers to over HTTP; undefined: Socket
 * Mode.
 */
export function manifestOf(command: string, requestUrl: string | undefined): string {
  const text = readFileSync(manifestFile, 'utf8');
  const former = String(parseDocument(text).getIn(main));
  const named = text.replaceAll(new RegExp(`(?<=\\s)${RegExp.escape(former)}(?![\\w-])`, 'g'), command);
  const isSocketMode = requestUrl === undefined;
  // The removed comment explains where the addresses go; here they are filled in.
  const manifest = parseDocument(isSocketMode ? named : named.replace(/^# Without Socket Mode.*\n(?:#.*\n)*/m, ''));
  if (isSocketMode && manifest.getIn(socketMode) === true) return named;
  for (const path of addresses) {
    if (isSocketMode) manifest.deleteIn(path);
    else manifest.setIn(path, requestUrl);
  }
  manifest.setIn(socketMode, isSocketMode);
  return manifest.toString({ lineWidth: 0, singleQuote: true });
}

/**
 * The address of Slack's page for a new app with this manifest filled in; undefined if it would be too long. Its form is
 * in Slack's "Configuring apps with app manifests".
 */
export function newAppPage(manifest: string): string | undefined {
  const filledIn = encodeURIComponent(JSON.stringify(parse(manifest)));
  const page = `https://api.slack.com/apps?new_app=1&manifest_json=${filledIn}`;
  return page.length <= maxAddress ? page : undefined;
}
/** What everything between should let pass (RFC 9110, 4.1). */
const maxAddress = 8_000;
