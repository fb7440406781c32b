import { quoted } from './mistakes.ts';
import type { YamlNode } from './yaml-node.ts';

const PERSON = /^[UW][A-Z0-9]{2,20}$/;
const MEMBER = /^[UWS][A-Z0-9]{2,20}$/;
const GROUP_NAME = /^[a-z0-9_-]{1,40}$/;

/** Reads `groups`: name → Slack ids of people and user groups. */
export function readGroups(at: YamlNode | undefined): ReadonlyMap<string, ReadonlySet<string>> {
  const groups = new Map<string, ReadonlySet<string>>();
  for (const { key, value } of at?.entries('names of groups, each with a list of Slack ids') ?? []) {
    const name = key.word;
    if (name === 'everyone') key.wrong('"everyone" already means everyone; give this group another name');
    else if (!GROUP_NAME.test(name))
      key.wrong(`${quoted(name)} cannot name a group; use small letters a to z, digits, - and _, 40 at most`);
    groups.set(name, new Set(value.items('a list of Slack ids').flatMap((item) => readMember(item) ?? [])));
  }
  return groups;
}

function readMember(item: YamlNode): string | undefined {
  const id = item.text('a Slack id');
  if (id === undefined || MEMBER.test(id)) return id;
  return item.wrong(`${quoted(id)} is not a Slack id: U… or W… for a person, S… for a user group; never a name`);
}

/** Reads `people`: name → the Slack ids of one person. Returns each id with all ids of that person. */
export function readPeople(at: YamlNode | undefined): ReadonlyMap<string, readonly string[]> {
  const people = new Map<string, readonly string[]>();
  for (const { value } of at?.entries('names of people, each with a list of their Slack ids') ?? []) {
    const ids = value.items('a list of Slack ids').flatMap((item) => readPerson(item, people) ?? []);
    for (const id of ids) people.set(id, ids);
  }
  return people;
}

function readPerson(item: YamlNode, people: ReadonlyMap<string, readonly string[]>): string | undefined {
  const id = item.text('a Slack id');
  if (id === undefined) return undefined;
  if (!PERSON.test(id)) return item.wrong(`${quoted(id)} is not the Slack id of a person: U… or W…`);
  return people.has(id) ? item.wrong(`${id} already belongs to another person`) : id;
}
