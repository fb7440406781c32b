import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parse as parseYaml } from 'yaml';
import { z } from 'zod';
import { parse } from '../src/language/parse.ts';
import { catalogue } from '../src/commands/index.ts';
import { EVENTS } from '../src/playground/slack/options.ts';
import { derivedIn, manifest } from './derived.ts';

/**
 * Slack's published rules for manifests, as far as ours uses them: known keys, lengths, and keys that depend on each
 * other.
 */

const text = (most: number) => z.string().min(1).max(most);
const scope = z.string().regex(/^[a-z]+([:._][a-z]+)*$/);
const schema = z.strictObject({
  _metadata: z.strictObject({ major_version: z.literal(2) }),
  display_information: z.strictObject({
    name: text(35),
    description: text(140),
    long_description: z.string().min(175).max(4_000),
    background_color: z.string().regex(/^#[0-9a-f]{6}$/),
  }),
  features: z.strictObject({
    app_home: z.strictObject({
      home_tab_enabled: z.boolean(),
      messages_tab_enabled: z.boolean(),
      messages_tab_read_only_enabled: z.boolean(),
    }),
    bot_user: z.strictObject({ display_name: text(80), always_online: z.boolean() }),
    slash_commands: z
      .array(
        z.strictObject({
          command: z.string().regex(/^\/[a-z][a-z0-9_-]{0,30}$/),
          description: text(2_000),
          usage_hint: text(1_000),
          should_escape: z.boolean(),
          url: z.url().optional(),
        }),
      )
      .max(50),
    shortcuts: z
      .array(
        z.strictObject({
          name: text(24),
          type: z.enum(['global', 'message']),
          callback_id: text(255),
          description: text(150),
        }),
      )
      .max(10),
  }),
  oauth_config: z.strictObject({
    scopes: z.strictObject({ bot: z.array(scope).max(255), bot_optional: z.array(scope) }),
  }),
  settings: z.strictObject({
    event_subscriptions: z.strictObject({ bot_events: z.array(z.string()).max(100) }),
    interactivity: z.strictObject({ is_enabled: z.literal(true) }),
    org_deploy_enabled: z.boolean(),
    socket_mode_enabled: z.boolean(),
    token_rotation_enabled: z.boolean(),
  }),
});

const yaml = readFileSync(manifest, 'utf8');
const read = schema.parse(parseYaml(yaml));

describe('the manifest', () => {
  it('has the commands of the catalogue', () => {
    const { actual, wanted } = derivedIn(manifest);
    expect(actual, 'npm run fix writes it').toBe(wanted);
  });

  it('is valid also with the optional commands, and with the addresses that HTTP needs', () => {
    const url = 'https://bot.example/slack/events';
    const more = yaml
      .replaceAll(/^( {4})# (- command:| {2}\w+:)/gm, '$1$2')
      .replaceAll(/( +)(should_escape:)/g, `$1url: ${url}\n$1$2`);
    const { slash_commands: commands } = schema.parse(parseYaml(more)).features;
    expect(commands.length).toBeGreaterThan(read.features.slash_commands.length);
    for (const { command, url: asked } of commands) {
      expect(asked).toBe(url);
      const name = command.slice(1);
      const known = [...catalogue.keys()].some((path) => path === name || path.startsWith(`${name} `));
      expect(known || command === '/site').toBe(true);
    }
  });

  it('has only existing commands in its hint', () => {
    const [site] = read.features.slash_commands;
    for (const name of site?.usage_hint.split(' | ') ?? []) {
      expect([...catalogue.keys()].some((path) => path.split(' ')[0] === name)).toBe(true);
    }
    expect(parse('', catalogue)).toBeUndefined();
  });

  it('subscribes to the events that the bot handles, and lists its optional scopes among its scopes', () => {
    expect(read.settings.event_subscriptions.bot_events.toSorted()).toEqual(EVENTS.toSorted());
    const { bot, bot_optional: optional } = read.oauth_config.scopes;
    expect(bot).toEqual(expect.arrayContaining(optional));
    expect(new Set(bot).size).toBe(bot.length);
    expect(bot.filter((one) => one.includes('history'))).toEqual([]);
    const settings = readFileSync(new URL('../docs/settings.md', import.meta.url), 'utf8');
    for (const one of bot) expect(settings).toContain(`\`${one}\``);
  });

  it('has the shortcut that the bot handles', () => {
    expect(read.features.shortcuts.map(({ type }) => type)).toEqual(['global']);
    const listeners = readFileSync(new URL('../src/slack/incoming/listeners.ts', import.meta.url), 'utf8');
    expect(listeners).toContain('app.shortcut(');
  });
});
