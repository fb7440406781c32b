import type { ChannelBounds, Channels } from './rules.ts';
import { quoted } from './mistakes.ts';
import { readGlob, type Glob } from './pattern.ts';
import type { YamlNode } from './yaml-node.ts';

const CHANNEL = /^[CG][A-Z0-9]{2,20}$/;

/** Reads `channels`: which sites may be discussed where. */
export function readBounds(at: YamlNode | undefined): Channels {
  const bounds = new Map<string, ChannelBounds>();
  const entries = at?.entries('ids of channels, and deny and ops') ?? [];
  const denied = new Set(
    entries
      .filter(({ key }) => key.word === 'deny')
      .flatMap(({ value }) => value.items('a list of channel ids').flatMap((item) => readChannel(item) ?? [])),
  );
  let ops: string | undefined;
  for (const { key, value } of entries) {
    if (key.word === 'deny') continue;
    if (key.word === 'ops') ops = readOpen(value, denied);
    else if (CHANNEL.test(key.word)) bounds.set(key.word, readChannelBounds(value, denied));
    else key.wrong(`${quoted(key.word)} is neither the id of a channel (C… or G…) nor deny nor ops`);
  }
  return { bounds, denied, ops };
}

function readChannelBounds(at: YamlNode, denied: ReadonlySet<string>): ChannelBounds {
  const fields = at.fields(['sites', 'cards'], '{ sites, cards }');
  const cards = fields?.get('cards');
  return {
    sites: fields?.get('sites')?.several('sites, like ["acme-*"]', readSite),
    cards: cards && readOpen(cards, denied),
  };
}

function readSite(item: YamlNode): Glob | undefined {
  const text = item.text('the name of a site');
  if (text === undefined) return undefined;
  if (text.includes('/')) return item.wrong(`${quoted(text)} names an environment; a channel is bound to whole sites`);
  const glob = readGlob(text);
  return typeof glob === 'string' ? item.wrong(`${quoted(text)} is not a site: ${glob}`) : glob;
}

/** Reads a channel that Sitehand posts to, so it must not be denied. */
function readOpen(at: YamlNode, denied: ReadonlySet<string>): string | undefined {
  const id = readChannel(at);
  return id !== undefined && denied.has(id) ? at.wrong(`${id} is denied, so nothing can be posted there`) : id;
}

function readChannel(at: YamlNode): string | undefined {
  const id = at.text('the id of a channel');
  if (id === undefined || CHANNEL.test(id)) return id;
  return at.wrong(`${quoted(id)} is not the id of a channel: C… or G…, never its name`);
}
