import { BOT, BOT_USER, type WorkspaceSeed, channel, person } from './slack/seed.ts';
import type { Channel, Group, Person } from './slack/shapes.ts';

/** An id or a name in the file, with the comment after it. */
export type Commented = { readonly word: string; readonly remark: string };

/** The people and channels that a policy names. */
export type PolicyPeople = {
  readonly groups: readonly { readonly name: string; readonly members: readonly Commented[] }[];
  /** People with several ids. */
  readonly accounts: readonly { readonly name: string; readonly ids: readonly string[] }[];
  /** In the order of the file. `use` names a channel that no comment names. */
  readonly channels: readonly (Commented & { readonly use: string })[];
  /** The most approvals any rule asks for. */
  readonly approvals: number;
};

const PERSON = /^[UW][A-Z0-9]{2,20}$/;
const USER_GROUP = /^S[A-Z0-9]{2,20}$/;
const CHANNEL = /^[CG][A-Z0-9]{2,20}$/;
const GUEST = 'U0GUEST';
const OUTSIDER = 'U0NOGROUP';
const FIRST_NAMES = ['Kai', 'Lou', 'Mika', 'Noor', 'Ola', 'Pim', 'Quin', 'Rio', 'Sol', 'Tove', 'Vic', 'Wyn', 'Zoe'];

/** A workspace with these people, user groups and channels, plus a guest and a person in no group. */
export function workspaceOf(policy: PolicyPeople): WorkspaceSeed {
  const names = new Names();
  const staff = peopleNamed(policy, names);
  const groups = userGroups(policy, names, staff);
  const outsider = person(OUTSIDER, names.take('Nia'), 'in no group');
  const guest = person(GUEST, names.take('Gus'), 'guest', undefined, { is_restricted: true });
  const extras = [outsider, guest].filter(({ id }) => !staff.some((one) => one.id === id));
  const people = [...staff, ...extras, BOT];
  return { people, groups, channels: channels(policy, people) };
}

/** Hands out unique names. */
class Names {
  readonly #taken = new Set(['sitehand', 'everyone', 'here', 'channel']);

  has(name: string): boolean {
    return this.#taken.has(slug(name));
  }

  /** The name, with a number appended if it is taken. */
  take(wanted: string): string {
    for (let which = 1; ; which += 1) {
      const name = which === 1 ? wanted : `${wanted} ${which}`;
      if (!this.has(name)) {
        this.#taken.add(slug(name));
        return name;
      }
    }
  }
}

const slug = (name: string): string =>
  name
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}_]+/gu, '-')
    .replaceAll(/^-|-$/g, '');

/** Everybody the file names by a person's id. */
function peopleNamed({ groups, accounts }: PolicyPeople, names: Names): Person[] {
  const members = groups.flatMap((group) => group.members).concat(accounts.flatMap(({ ids }) => ids.map(uncommented)));
  const ids = new Set(members.map(({ word }) => word).filter((id) => PERSON.test(id) && id !== BOT_USER));
  const remarks = new Map(
    members.map(({ word, remark }) => [word, nameIn(remark)] as const).filter(([, name]) => name),
  );
  return [...ids].map((id) => {
    const account = accounts.find((one) => one.ids.includes(id))?.name;
    const titles = groups.filter((group) => group.members.some(({ word }) => word === id)).map(({ name }) => name);
    const title = titles.join(', ') || (account ? `also ${account}` : 'in no group');
    return shown(id, remarks.get(id) ?? (account ? capital(account) : readable(id)), title, names);
  });
}

const uncommented = (word: string): Commented => ({ word, remark: '' });
const capital = (name: string): string => name.slice(0, 1).toUpperCase() + name.slice(1);

function shown(id: string, realName: string, title: string, names: Names): Person {
  const [first = realName] = realName.split(' ');
  const name = names.take(names.has(first) ? realName : first);
  const own = { name: slug(name), display_name: name };
  return person(id, realName.startsWith(name) ? realName : name, title, undefined, own);
}

/** The person's name in a comment such as `Ana Almeida, nights` or `@ana`; undefined if there is none. */
function nameIn(remark: string): string | undefined {
  const [name = ''] = remark.trim().split(/\s*[,;:(–—]|\s-\s/);
  if (/^@[\p{L}\p{N}._-]{1,40}$/u.test(name)) return capital(name.slice(1));
  return name.length <= 40 && /^\p{Lu}[\p{L}.'’-]*( \p{Lu}[\p{L}.'’-]*){0,2}$/u.test(name) ? name : undefined;
}

/** `U01ANA` as `Ana`; for an id without a name, its last four characters. */
function readable(id: string): string {
  const [, word] = /^[UW]\d*([A-Z]{3,})$/.exec(id) ?? [];
  return word === undefined ? `${id.slice(0, 1)}…${id.slice(-4)}` : capital(word.toLowerCase());
}

/** The user groups. Members are the people listed beside them, or invented people, who are added to `staff`. */
function userGroups({ groups, approvals }: PolicyPeople, names: Names, staff: Person[]): readonly Group[] {
  const ids = new Set(
    groups.flatMap(({ members }) => members.map(({ word }) => word)).filter((id) => USER_GROUP.test(id)),
  );
  return [...ids].map((id) => {
    const homes = groups.filter(({ members }) => members.some(({ word }) => word === id));
    const beside = homes.flatMap(({ members }) => members.map(({ word }) => word));
    const known = [...new Set(beside)].filter((word) => staff.some((one) => one.id === word));
    const title = homes.map((home) => home.name).join(', ');
    // Enough people for one to ask and the others to approve.
    const missing = known.length > 0 ? [] : Array.from({ length: Math.max(3, approvals + 1) }, (_, at) => at);
    const invented = missing.map((at) => {
      const [first = 'Kai'] = FIRST_NAMES.slice((staff.length + at) % FIRST_NAMES.length);
      return shown(`U${id.slice(1)}${at + 1}`, first, title, names);
    });
    staff.push(...invented);
    const remark = homes.flatMap((home) => home.members).find((one) => one.word === id && one.remark !== '')?.remark;
    const name = names.take(groupNameIn(remark ?? '') ?? homes[0]?.name ?? id);
    const users = [...known, ...invented.map((one) => one.id)];
    return { id, handle: slug(name), name, users, updated: 1_700_000_000 };
  });
}

function groupNameIn(remark: string): string | undefined {
  const [name = ''] = remark
    .trim()
    .replace(/^@/, '')
    .split(/\s*[,;:(–—]/);
  return name.length <= 40 && /^[\p{L}\p{N}][\p{L}\p{N} ._-]*$/u.test(name) ? name : undefined;
}

/** #general and the file's channels; everybody is a member of all of them. */
function channels(policy: PolicyPeople, people: readonly Person[]): readonly Channel[] {
  const everybody = people.map(({ id }) => id);
  const names = new Names();
  const uses = new Map<string, string>();
  for (const { word, remark, use } of policy.channels) {
    const name = channelNameIn(remark);
    if (CHANNEL.test(word) && (name !== undefined || !uses.has(word))) uses.set(word, name ?? use);
  }
  const general = channel('C0GENERAL', names.take('general'), everybody);
  const others = [...uses].map(([id, name]) =>
    channel(id, slug(names.take(name)), everybody, id.startsWith('G') ? { kind: 'private' } : {}),
  );
  return [general, ...others.filter(({ id }) => id !== general.id)];
}

/** The channel's name in a comment that begins with `#acme-team`; undefined if there is none. */
function channelNameIn(remark: string): string | undefined {
  return /^#([\p{L}\p{N}_-]{1,80})(?:$|[\s,;:])/u.exec(remark.trim())?.[1]?.toLowerCase();
}
