import { Refusal, type Args } from '../base/errors.ts';
import { paragraph, type Page } from '../commands/kit/page.ts';
import type { Environment, NamedSite } from '../hosting/contract/target.ts';
import { idsOf } from '../policy/memberships.ts';
import { exclusiveTransaction } from '../storage/transactions.ts';
import { insertWaiting, type Digest } from '../storage/waiting.ts';
import { code, list, sample, say, time, typed } from '../words/text.ts';
import { namedBy, type KnownNames } from '../language/resolve.ts';
import { searchIn } from '../language/name-search.ts';
import { record, type Asking } from '../decide/admin-actions.ts';
import { digestStartedNote, nextDue } from './digests.ts';
import { listedIn, maxDigestEnvironments, namesIn, type DigestScope } from './standing.ts';
import { auditDetails, enqueueNote } from './telling.ts';
import { bindingOf } from '../decide/channel-binding.ts';
import type { SendContext } from '../send/context.ts';
import { assertMore, listWatches, mayAllNow, newWatch } from './start-watch.ts';
import { assertPlace, placeOf } from './telling.ts';
import { aboutThen } from './watch-notes.ts';
import { dayMs } from '../words/duration.ts';

/** Starts a weekly digest in the channel where it was asked for, and announces it there. */

const keptMs = 364 * dayMs;
const maxNames = 20;

export async function digestPage(
  context: SendContext,
  asking: Asking,
  { names = [] }: { readonly names: Args | undefined },
): Promise<Page> {
  if (names.length > maxNames)
    throw new Refusal(`A digest takes ${maxNames} names at most, and these are ${names.length}. Nothing was done.`);
  const [known, channel] = [context.names(asking.person), await asking.saidIn()];
  const scope = names.length > 0 ? scopeNamed(names, known) : await ofChannel(context, channel);
  const { digest, next } = await start(context, asking, placeOf(channel, asking.person.id), scope, known);
  return {
    title: say`**Digest ${code(`#${digest.id}`)} of ${aboutThen(digest)} is on** until ${time(digest.expires_at, 'date')}`,
    parts: [
      paragraph(
        say`Every Monday at 09:00 (${digest.zone}) I tell this channel, with your rights, about vulnerable themes, old backups, certificates that expire, timed access that ends, open changes, and locks without end. The first one, in your own time zone: ${time(next, 'date')}.`,
      ),
    ],
    offers: [{ label: 'Stop', args: ['watch', 'stop', String(digest.id)] }],
  };
}

/** The sites and environments with these names. Never guesses. */
function scopeNamed(names: readonly string[], known: KnownNames): DigestScope {
  const [sites, environments] = [new Set<NamedSite>(), new Set<Environment>()];
  for (const name of names) {
    const [sitesNamed, named] = [namedBy({ kind: 'site' }, known), known.environments];
    const found = [...searchIn(sitesNamed).exact(name), ...searchIn(named).exact(name)];
    const [only, ...others] = found;
    if (only === undefined || others.length > 0)
      throw new Refusal(
        only
          ? say`${code(name.slice(0, 80))} can be more than one. Nothing was done.`
          : say`I can't find ${code(name.slice(0, 80))} among the sites and environments you can see. ${known.trouble} Nothing was done.`,
        { field: 'names', hint: say`${typed('environments')} lists what you can name.` },
      );
    if (only.kind === 'site') sites.add(only);
    if (only.kind === 'environment') environments.add(only);
  }
  return { sites: [...sites], environments: [...environments] };
}

async function ofChannel({ database }: SendContext, channel: string | undefined): Promise<DigestScope> {
  const bound = channel === undefined ? undefined : await bindingOf(database.db, channel);
  if (bound) return { sites: [{ kind: 'site', id: bound.site, name: bound.name }], environments: [] };
  throw new Refusal("This channel isn't bound to a site. Nothing was done.", {
    hint: say`Name what the digest is about, as in ${sample('digest acme-shop')}, or bind the channel with ${typed('use')}.`,
    offers: [{ label: 'Name the sites', args: ['digest'], opens: 'form' }],
  });
}

/** Throws `Refusal` if some of them are missing, or if they are too many. */
function environmentsListed(scope: DigestScope, known: KnownNames): readonly Environment[] {
  const { envs, missing } = listedIn(scope, known);
  if (missing.length > 0)
    throw new Refusal(say`I can't find ${list(missing, 5)} among what you can see. ${known.trouble} Nothing was done.`);
  if (envs.length > maxDigestEnvironments)
    throw new Refusal(
      `These are ${envs.length} environments, and one digest has room for ${maxDigestEnvironments}. Nothing was done.`,
      { hint: 'Name fewer of them.' },
    );
  return envs;
}

async function start(
  context: SendContext,
  asking: Asking,
  place: string,
  scope: DigestScope,
  known: KnownNames,
): Promise<{ readonly digest: Digest; readonly next: number }> {
  const { person } = asking;
  const envs = environmentsListed(scope, known);
  const names = namesIn(scope);
  if (!(await mayAllNow(context, person.id, envs, 'digest')))
    throw new Refusal(say`**You may not have a digest of all of ${list(names, 5)}.** Nothing was done.`);
  if (place !== person.id) await assertPlace(context, place, envs);
  return exclusiveTransaction(context.database, async (tx, at) => {
    const mine = idsOf(context.policy(), person.id);
    assertMore(await listWatches(tx), { place, mine, isSame: ({ kind }) => kind === 'digest' });
    const expires_at = at + keptMs;
    const next = nextDue({ zone: person.zone, expires_at }, at);
    const digest = await insertWaiting(tx, {
      ...newWatch(person, place, at),
      kind: 'digest',
      target: 'digest',
      targets: JSON.stringify(envs),
      sites: JSON.stringify(scope.sites),
      expires_at,
      due_at: next,
    });
    await record(context, asking, tx, at, {
      event: 'digest_start',
      about: envs,
      ...auditDetails(digest),
      until: digest.expires_at,
    });
    await enqueueNote(context, tx, digest, digestStartedNote(digest, next), at);
    return { digest, next };
  });
}
