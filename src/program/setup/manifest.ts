import { readFileSync } from 'node:fs';
import { parse, parseDocument } from 'yaml';
import { manifestFile } from '../../base/beside.ts';

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
