import { quoted } from './mistakes.ts';
import { fold, type Pattern } from './pattern.ts';
import type { PinnedEnvironment, PinnedSite, Pins } from './rules.ts';
import { isNamedLive } from './overrides.ts';
import type { YamlNode } from './yaml-node.ts';

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const NAME = /^(?! )[^\p{Cc}\p{Cf}\p{Cs}/*]{1,100}(?<! )$/u;

/** Reads `environments` and `sites`: names that the hosting API lacks. `live`: what counts as live. */
export function readPins(
  environments: YamlNode | undefined,
  sites: YamlNode | undefined,
  live: readonly Pattern[],
): Pins {
  return { environments: readEnvironments(environments, live), sites: readSites(sites) };
}

function readEnvironments(at: YamlNode | undefined, live: readonly Pattern[]): readonly PinnedEnvironment[] {
  const pins: PinnedEnvironment[] = [];
  const taken = new Set<string>();
  for (const { key, value } of at?.entries('ids of environments, each with its site and name') ?? []) {
    const id = readId(key, key.word);
    const pin = readEnvironment(value, live);
    if (id === undefined || !pin) continue;
    claimOnce(key, id, taken);
    claimOnce(value, `${fold(pin.site)}/${fold(pin.name)}`, taken);
    pins.push({ id, ...pin });
  }
  return pins;
}

function readEnvironment(at: YamlNode, live: readonly Pattern[]): Omit<PinnedEnvironment, 'id'> | undefined {
  const fields = at.fields(['site', 'name', 'live'], '{ site, name, live }');
  if (!fields) return undefined;
  const site = readName(at, fields.get('site'), 'site');
  const name = readName(at, fields.get('name'), 'name');
  if (site === undefined || name === undefined) return undefined;
  const isLive = fields.get('live')?.flag();
  if (isLive === false && isNamedLive(live, site, name)) {
    fields.get('live')?.wrong(`${quoted(`${site}/${name}`)} is not live here, but "live" lists its name`);
  }
  return { site, name, live: isLive };
}

function readSites(at: YamlNode | undefined): readonly PinnedSite[] {
  const pins: PinnedSite[] = [];
  const taken = new Set<string>();
  for (const { key, value } of at?.entries('ids of sites, each with its name and environments') ?? []) {
    const id = readId(key, key.word);
    const fields = value.fields(['name', 'environments'], '{ name, environments }');
    const name = fields && readName(value, fields.get('name'), 'name');
    const environments = (fields?.get('environments')?.items('a list of environment ids') ?? []).flatMap((item) => {
      const environment = readId(item, item.text('the id of an environment'));
      return environment !== undefined && claimOnce(item, environment, taken) ? environment : [];
    });
    if (id === undefined || name === undefined) continue;
    claimOnce(key, id, taken);
    claimOnce(value, fold(name), taken);
    pins.push({ id, name, environments });
  }
  return pins;
}

/** Notes a mistake if an id or a name is used twice. */
function claimOnce(at: YamlNode, name: string, taken: Set<string>): boolean {
  if (taken.has(name)) at.wrong(`${quoted(name)} is listed twice`);
  return taken.size < taken.add(name).size;
}

function readId(at: YamlNode, text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  return UUID.test(text)
    ? text.toLowerCase()
    : at.wrong(`${quoted(text)} is not the id of a site or environment; expected a UUID`);
}

function readName(owner: YamlNode, at: YamlNode | undefined, key: string): string | undefined {
  if (!at) return owner.wrong(`"${key}" is missing`);
  const name = at.text('a name');
  return name === undefined || NAME.test(name) ? name : at.wrong(`${quoted(name)} cannot be a name`);
}
