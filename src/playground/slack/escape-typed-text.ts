import type { Workspace } from './workspace.ts';

const TOP_LEVELS = 'com|net|org|io|dev|app|co|eu|de|info|test|example';
const MENTION = /(^|[\s(])([@#])([\p{L}\p{N}._-]+)/gu;
const ADDRESS = new RegExp(
  String.raw`(^|[\s(])((?:[\w.+-]+@)?(?:https?://\S+|(?:[a-z0-9-]+\.)+(?:${TOP_LEVELS})(?:/\S*)?))(?=$|[\s),;!?])`,
  'giu',
);

/** `&`, `<` and `>` as Slack writes them in text. */
export const entities = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

/**
 * A typed text as an app receives it with `should_escape`: people, groups, channels and links as tokens, the rest with
 * entities. Private channels get no name. Typed tokens stay, except for broadcasts.
 */
export function escapeTypedText(workspace: Workspace, typed: string): string {
  return typed
    .split(/(<[@#][^<>]*>|<!subteam\^[^<>]*>|<(?:https?|mailto):[^<>]*>)/)
    .map((part, index) => (index % 2 === 1 ? part : withLinks(withMentions(workspace, entities(part)))))
    .join('');
}

function withMentions(workspace: Workspace, text: string): string {
  return text.replace(MENTION, (all, before: string, sign: string, name: string) => {
    const token = sign === '@' ? mention(workspace, name) : channelToken(workspace, name);
    return token === undefined ? all : `${before}${token}`;
  });
}

function mention(workspace: Workspace, name: string): string | undefined {
  const lower = name.toLowerCase();
  const person = [...workspace.people.values()].find((each) => each.name === lower);
  if (person !== undefined) return `<@${person.id}|${person.name}>`;
  const group = [...workspace.groups.values()].find((each) => each.handle === lower);
  if (group !== undefined) return `<!subteam^${group.id}|@${group.handle}>`;
  return ['here', 'channel', 'everyone'].includes(lower) ? `<!${lower}>` : undefined;
}

function channelToken(workspace: Workspace, name: string): string | undefined {
  const channel = [...workspace.channels.values()].find((each) => each.name === name.toLowerCase() && name !== '');
  return channel && `<#${channel.id}|${channel.kind === 'private' ? '' : channel.name}>`;
}

function withLinks(text: string): string {
  return text.replace(ADDRESS, (_, before: string, address: string) => {
    if (/^https?:/i.test(address)) return `${before}<${address}>`;
    return `${before}<${address.includes('@') ? 'mailto:' : 'http://'}${address}|${address}>`;
  });
}
