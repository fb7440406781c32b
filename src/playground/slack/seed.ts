import type { Channel, Group, Person } from './shapes.ts';

/** The workspace, its app and its bot. */
export const TEAM = { id: 'T0SITEHAND', name: 'Sitehand playground', domain: 'sitehand-playground' } as const;
/** The app's id in every payload. */
export const APP_ID = 'A0SITEHAND';
/** The user id of the app's bot. */
export const BOT_USER = 'U0SITEHAND';
/** The bot id in the bot's messages. */
export const BOT_ID = 'B0SITEHAND';

const ZONES = {
  berlin: { tz: 'Europe/Berlin', tz_label: 'Central European Time', tz_offset: 3600 },
  lisbon: { tz: 'Europe/Lisbon', tz_label: 'Western European Time', tz_offset: 0 },
  newYork: { tz: 'America/New_York', tz_label: 'Eastern Standard Time', tz_offset: -18_000 },
  kolkata: { tz: 'Asia/Kolkata', tz_label: 'India Standard Time', tz_offset: 19_800 },
} as const;

type Zone = (typeof ZONES)[keyof typeof ZONES];

/** The content of a new workspace. */
export type WorkspaceSeed = {
  readonly people: readonly Person[];
  readonly groups: readonly Group[];
  readonly channels: readonly Channel[];
};

/** A full member, known by their first name. */
export function person(
  id: string,
  realName: string,
  title: string,
  zone: Zone = ZONES.berlin,
  apart: Partial<Person> = {},
): Person {
  const [first = realName] = realName.split(' ');
  return {
    id,
    team_id: TEAM.id,
    name: first.toLowerCase(),
    real_name: realName,
    display_name: first,
    title,
    ...zone,
    is_bot: false,
    is_restricted: false,
    is_ultra_restricted: false,
    is_stranger: false,
    deleted: false,
    ...apart,
  };
}

/** The bot as a person of the workspace. */
export const BOT: Person = person(BOT_USER, 'Sitehand', '', ZONES.berlin, { is_bot: true });

/** The people of the default workspace. */
const PEOPLE: readonly Person[] = [
  person('U01ANA', 'Ana Almeida', 'Developer', ZONES.lisbon),
  person('U02BEN', 'Ben Bauer', 'Developer', ZONES.berlin),
  person('U03CHI', 'Chi Chukwu', 'Lead', ZONES.berlin),
  person('U04DEE', 'Dee Das', 'Lead', ZONES.kolkata),
  person('U05FAY', 'Fay Foster', 'Lead', ZONES.newYork),
  person('U06ROB', 'Rob Rossi', 'Reads only', ZONES.berlin),
  person('U07GUS', 'Gus Green', 'Guest', ZONES.newYork, { is_restricted: true }),
  person('U08SAM', 'Sam Silva', 'Partner', ZONES.lisbon, { is_stranger: true, team_id: 'T0PARTNER' }),
  person('U09MAX', 'Max Moreau', 'Left us', ZONES.berlin, { deleted: true }),
  BOT,
];

const STAFF = ['U01ANA', 'U02BEN', 'U03CHI', 'U04DEE', 'U05FAY', 'U06ROB'];

/** The default user groups. */
const GROUPS: readonly Group[] = [
  { id: 'S0DEVS', handle: 'devs', name: 'Developers', users: ['U01ANA', 'U02BEN'], updated: 1_700_000_000 },
  { id: 'S0LEADS', handle: 'leads', name: 'Leads', users: ['U03CHI', 'U04DEE', 'U05FAY'], updated: 1_700_000_000 },
];

/** A channel, public by default. */
export const channel = (
  id: string,
  name: string,
  members: readonly string[],
  apart: Partial<Channel> = {},
): Channel => ({
  id,
  name,
  kind: 'public',
  members,
  archived: false,
  shared: false,
  ...apart,
});

/** Every kind of channel an app can meet, and a direct message between two people that the bot must not see. */
const CHANNELS: readonly Channel[] = [
  channel('C0GENERAL', 'general', [...STAFF, BOT_USER]),
  channel('C0ACME', 'acme-shop', [...STAFF, 'U07GUS', BOT_USER]),
  channel('C0OPS', 'ops', [...STAFF, BOT_USER]),
  channel('C0RANDOM', 'random', STAFF),
  channel('G0BAKERY', 'bakery', ['U01ANA', 'U03CHI', 'U04DEE', BOT_USER], { kind: 'private' }),
  channel('G0SECRET', 'secret', ['U01ANA', 'U03CHI'], { kind: 'private' }),
  channel('C0OLD', 'old-launch', [...STAFF, BOT_USER], { archived: true }),
  channel('C0SHARED', 'with-partner', [...STAFF, 'U08SAM', BOT_USER], { shared: true }),
  channel('D0ANABEN', '', ['U01ANA', 'U02BEN'], { kind: 'im' }),
];

/** The default workspace. */
export const SEED: WorkspaceSeed = { people: PEOPLE, groups: GROUPS, channels: CHANNELS };
