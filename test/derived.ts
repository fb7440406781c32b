import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { catalogue } from '../src/commands/index.ts';
import { z } from 'zod';
import { rightOf, rights } from '../src/commands/rights.ts';
import { openApi } from '../src/api/openapi.ts';
import { usage } from '../src/language/usage.ts';
import { policyFile } from '../src/policy/schema.ts';
import { secretVariables, variables } from '../src/base/settings.ts';

/**
 * The parts of docs/commands.md and the manifest that come from the catalogue, the settings in docs/settings.md and
 * .env.example, the JSON Schema of the policy file, and the OpenAPI document of the interface for programs.
 * `npm run fix` runs this file, which writes them; tests check that all are up to date.
 */

const root = path.resolve(import.meta.dirname, '..');
export const commandsPage = path.join(root, 'docs/commands.md');
export const policyPage = path.join(root, 'docs/policy.md');
export const settingsPage = path.join(root, 'docs/settings.md');
export const envExample = path.join(root, '.env.example');
export const manifest = path.join(root, 'manifest.yml');
export const apiDocument = path.join(root, 'openapi.json');
export const policySchema = path.join(root, 'policy.schema.json');

const words = (name: string): string => {
  const command = catalogue.get(name);
  if (command === undefined) throw new Error(`there is no command ${name}`);
  return usage(name, command).replace(' [--reason "…"] [--dry-run]', '');
};

/** The table of all commands. */
const commandTable = (): string =>
  [
    '| command | what it does | class | what to type after it |',
    '|---|---|---|---|',
    ...[...catalogue].map(([name, command]) => {
      const after = words(name).replace(name, '').trim().replaceAll('|', '\\|');
      const typed = after === '' ? '' : `\`${after}\``;
      return `| \`${name}\` | ${command.summary} | ${rightOf(name, command).risk} | ${typed} |`;
    }),
  ].join('\n');

/** Which commands show what belongs to others. */
const shownTable = (): string =>
  [...catalogue]
    .flatMap(([name, { shows = [] }]) =>
      shows.length === 0 ? [] : [`| \`${name}\` | ${shows.map((one) => `\`${one}\``).join(', ')} |`],
    )
    .join('\n');

/** Every setting with its default; undefined if it has none. A setting that refuses to be left out is required. */
const settings = Object.entries(variables.shape).map(([name, setting]) => {
  const { success: isOptional, data } = setting.safeParse(undefined);
  const { description } = setting;
  if (description === undefined) throw new Error(`nothing says what ${name} means`);
  return { name, description, isOptional, byDefault: data === undefined ? undefined : String(data) };
});

/** The table of all settings. */
const settingsTable = (): string =>
  [
    '| setting | meaning | default |',
    '|---|---|---|',
    ...settings.map(({ name, description, isOptional, byDefault }) => {
      const names = secretVariables.has(name) ? `\`${name}\`, \`…_FILE\`` : `\`${name}\``;
      const left = byDefault === undefined ? '' : `\`${byDefault}\``;
      return `| ${names} | ${description} | ${isOptional ? left : 'required'} |`;
    }),
  ].join('\n');

/** A file of settings to fill in. What may be left out is a comment. */
const settingsFile = (): string =>
  [
    '# Copy this file to .env and fill it in, or let `sitehand setup` write it. Any secret can come from a file: NAME_FILE=/path.\n',
    ...settings.map(
      ({ name, description, isOptional, byDefault = '…' }) =>
        `\n# ${description.replaceAll('`', '')}\n${isOptional ? '# ' : ''}${name}=${byDefault}\n`,
    ),
  ].join('');

/** What Slack hints at while people type `/site`. */
const hinted = ['status', 'logs', 'cache', 'push', 'backups', 'changes', 'environments', 'help'];
/** Commands that many workspaces will want under their own names. */
const others = ['push', 'cache', 'logs'];

/** The manifest's slash commands: one, and a few more in a comment. */
function slashCommands(): string {
  const one = entry('/site', 'Do something to a hosted site', hinted.join(' | '));
  const more = others.map((name) => {
    const command = [...catalogue.keys()].find((known) => known === name || known.startsWith(`${name} `)) ?? '';
    return entry(`/${name}`, catalogue.get(command)?.summary ?? '', words(command).replace(name, '').trim());
  });
  return [
    one.replaceAll(/^/gm, '    '),
    '    # Any other slash command works as if you typed /site before its name. Add the ones you want, for example:',
    more.join('\n').replaceAll(/^/gm, '    # '),
  ].join('\n');
}

const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`;
const entry = (command: string, description: string, hint: string): string =>
  [
    `- command: ${command}`,
    `  description: ${quoted(description)}`,
    `  usage_hint: ${quoted(hint)}`,
    '  should_escape: true',
  ].join('\n');

/** The policy file's schema for editors. Each file defines its own groups, so any name is valid. */
function jsonSchema(): string {
  const schema = policyFile({ catalogue: rights, groups: new Map(), callers: [] });
  // Editors support this draft best.
  const json = z.toJSONSchema(schema, { io: 'input', target: 'draft-07' });
  return `${JSON.stringify({ ...json, title: 'The policy file of Sitehand' }, undefined, 2)}\n`;
}

/** The marks around a derived part; without marks it is the whole file. */
const marks = {
  [commandsPage]: ['<!-- commands -->\n', '\n<!-- /commands -->', commandTable],
  [policyPage]: ['<!-- shows -->\n', '\n<!-- /shows -->', shownTable],
  [settingsPage]: ['<!-- settings -->\n', '\n<!-- /settings -->', settingsTable],
  [envExample]: [undefined, undefined, settingsFile],
  [manifest]: ['  slash_commands:\n', '\n  shortcuts:', slashCommands],
  [policySchema]: [undefined, undefined, jsonSchema],
  [apiDocument]: [undefined, undefined, () => `${JSON.stringify(openApi(), undefined, 2)}\n`],
} as const;

/** The derived part of a file as it is, and as it must be. */
export function derivedIn(file: string): { readonly actual: string; readonly wanted: string } {
  const [begin, end, derive] = marks[file] ?? ['', '', () => ''];
  const text = readFileSync(file, 'utf8');
  const actual = begin === undefined ? text : (text.split(begin)[1]?.split(end)[0] ?? '');
  return { actual, wanted: derive() };
}

if (import.meta.main) {
  for (const file of Object.keys(marks)) {
    const { actual, wanted } = derivedIn(file);
    writeFileSync(
      file,
      readFileSync(file, 'utf8').replace(actual, () => wanted),
    );
  }
}
