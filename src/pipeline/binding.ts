import type { Office } from '../commands/desk.ts';
import { Refusal } from '../errors.ts';
import type { NamedSite } from '../hosting/contract/target.ts';
import { decide } from '../policy/policy.ts';
import type { Database } from '../storage/database.ts';
import { owe } from '../storage/messages.ts';
import { readSetting, removeSetting, writeSetting } from '../storage/settings.ts';
import { thawed } from '../storage/json.ts';
import { person as mention, say } from '../text.ts';
import { record, undisturbed, type DeedDesk, type Doer } from './deeds.ts';
import type { Shelf } from './readable.ts';

/** Which site a channel is about: there a bare `live` is enough. */
export type Binding = {
  /** The site's id, or its name where the host lists no sites. */
  readonly site: string;
  readonly name: string;
  /** Slack user id. */
  readonly by: string;
};

const keyOf = (channel: string): string => `site of ${channel}`;

/** The site that a channel is bound to, if it is. */
export async function bindingOf(db: Database['db'], channel: string): Promise<Binding | undefined> {
  const setting = await readSetting(db, keyOf(channel));
  return setting && thawed<Binding>(setting.value);
}

/** Binding the channel in which somebody speaks; `channel` undefined: there is none. */
export const bindingFor = (
  desk: DeedDesk & Shelf,
  doer: Doer,
  channel: string | undefined,
): Pick<Office, 'bound' | 'use' | 'forget'> => ({
  bound: async () => (channel === undefined ? undefined : bindingOf(desk.database.db, channel)),
  use: (site) => {
    const place = placeOf(channel);
    mayUse(desk, doer, site);
    return undisturbed(desk, async (tx, at) => {
      const before = await bindingOf(tx, place);
      if (before?.site === site.id) return false;
      const binding: Binding = { site: site.id, name: site.name, by: doer.person.id };
      await writeSetting(tx, { key: keyOf(place), value: JSON.stringify(binding), at });
      await record(desk, doer, tx, at, { event: 'use', channel: place, site: site.name, before: before?.name });
      const text = say`**This channel is about ${site.name} now**, says ${mention(doer.person.id)}: here \`live\` means ${site.name}/live. What destroys something still wants the whole name.`;
      await owe(tx, {
        key: `use:${place}:${at}`,
        kind: 'notice',
        recipient: place,
        body: JSON.stringify({ text }),
        at,
      });
      return true;
    });
  },
  forget: () => {
    const place = placeOf(channel);
    return undisturbed(desk, async (tx, at) => {
      const before = await bindingOf(tx, place);
      if (before === undefined || !(await removeSetting(tx, keyOf(place)))) return undefined;
      await record(desk, doer, tx, at, { event: 'use', channel: place, before: before.name });
      return before;
    });
  },
});

function placeOf(channel: string | undefined): string {
  if (channel !== undefined && !channel.startsWith('D')) return channel;
  throw new Refusal('Only a channel can be bound to a site. Nothing was done.', { hint: 'Say it in the channel.' });
}

/** Whoever may use a site may do so with one of its environments; to others the site is told as any name that is not theirs. */
function mayUse(desk: Shelf, { person }: Doer, site: NamedSite): void {
  const policy = desk.policy();
  const may = desk
    .names(person)
    .environments.filter((env) => (env.site?.id ?? env.site?.name) === site.id)
    .some(
      (target) =>
        decide(policy, person, { command: { path: 'use', risk: 'named' }, aims: [{ target, access: 'read' }] }).kind ===
        'allowed',
    );
  if (!may) throw new Refusal(say`**You may not bind a channel to ${site.name}.** Nothing was done.`);
}
