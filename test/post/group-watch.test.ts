import { parseStored } from '../../src/storage/parse-json.ts';
import { expect, it } from 'vitest';
import { createGroupWatch } from '../../src/post/group-watch.ts';
import type { Note } from '../../src/change/card.ts';
import type { Database } from '../../src/storage/database.ts';
import { plain } from '../../src/words/text.ts';
import { describeBoth } from '../storage/describe-both.ts';
import { policyFrom } from '../fixtures.ts';

const policy = policyFrom(
  'version: 1\ngroups: { devs: [S0DEVS], leads: [S0LEADS] }\nrules:\n  - { allow: [read], to: [devs] }\n',
);
type Words = Readonly<Record<string, string | undefined>>;

/** A freshly started watch, with Slack's error codes for the groups. */
function watching(database: Database, words: Words) {
  const asked: string[] = [];
  const slack: { words: Words } = { words };
  const watch = createGroupWatch({ database, policy: () => policy, onMembers: () => undefined }, async (group) => {
    asked.push(group);
    watch.onGroup(group, slack.words[group]);
  });
  return { look: watch.look, asked, says: (other: Words) => (slack.words = other) };
}

async function opsMessages(database: Database): Promise<readonly string[]> {
  const rows = await database.db
    .selectFrom('messages')
    .select('body')
    .where('kind', '=', 'ops')
    .orderBy('id')
    .execute();
  return rows.map(({ body }) => plain(parseStored<Note>(body ?? '').text));
}

/** A freshly started watch: `reads` the members of a group, and returns how often members had changed until then. */
function following(database: Database): { readonly reads: (...ids: readonly string[]) => Promise<number> } {
  let moved = 0;
  let members: readonly string[] = [];
  const watch = createGroupWatch({ database, policy: () => policy, onMembers: () => (moved += 1) }, async (group) =>
    watch.onGroup(group, undefined, members),
  );
  return { reads: async (...ids) => ((members = ids), await watch.look(), moved) };
}

describeBoth('the members of user groups', (open) => {
  it('are news when they change, also if they did between two starts, in each replica, whatever their order', async () => {
    const database = await open();
    const [first, second] = [following(database), following(await database.again())];
    expect([await first.reads('U1', 'U2'), await second.reads('U2', 'U1'), await first.reads('U2', 'U1')]).toEqual([
      0, 0, 0,
    ]);
    expect([await first.reads('U1'), await first.reads('U1'), await second.reads('U1')]).toEqual([1, 1, 1]);
    expect([await first.reads(), await first.reads('U1')]).toEqual([2, 3]);
    expect([await following(database).reads('U1'), await following(database).reads('U3')]).toEqual([0, 1]);
  });
});

describeBoth('user groups that cannot be read', (open) => {
  it('are reported once, by name and with Slack’s error code, by one of the replicas, and once more when they can be read', async () => {
    let now = 1_000;
    const database = await open({ now: () => (now += 1) });
    const first = watching(database, { S0DEVS: 'missing_scope', S0LEADS: 'subteam_disabled' });
    await first.look();
    await first.look();
    expect(first.asked).toEqual(['S0DEVS', 'S0LEADS', 'S0DEVS', 'S0LEADS']);
    const restarted = watching(database, { S0DEVS: 'missing_scope', S0LEADS: 'subteam_disabled' });
    await restarted.look();
    expect(await opsMessages(database)).toEqual([
      expect.stringMatching(/doesn't tell me who is in S0DEVS \(missing_scope\), S0LEADS \(subteam_disabled\)\. Until/),
    ]);
    restarted.says({ S0LEADS: 'no_such_subteam' });
    await restarted.look();
    first.says({ S0LEADS: 'no_such_subteam' });
    await first.look();
    expect((await opsMessages(database)).slice(1)).toEqual([
      expect.stringMatching(/who is in S0LEADS \(no_such_subteam\).*\nI can see again who is in S0DEVS\.$/s),
    ]);
  });

  it('are not reported while all can be read', async () => {
    const database = await open({ now: () => 1_000 });
    await watching(database, {}).look();
    expect(await opsMessages(database)).toEqual([]);
  });
});
