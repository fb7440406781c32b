import { sql } from 'kysely';
import { parseStored } from '../parse-json.ts';
import type { Tx } from '../tx.ts';

/** Domains are locked by name from this version on: renames the existing locks of changes. */
export async function domainLocks(tx: Tx): Promise<void> {
  const locks = sql<{ readonly target: string; readonly targets: string }>`
    select locks.target, changes.targets from locks join changes on changes.number = locks.change
    where locks.target like 'domain:%'`;
  for (const { target, targets } of (await locks.execute(tx)).rows) {
    const domain = parseStored<readonly { kind: string; id: string; name: string }[]>(targets).find(
      ({ kind, id }) => `${kind}:${id}` === target,
    );
    const key = domain && `domain:${domain.name.toLowerCase()}`;
    if (key === undefined || key === target) continue;
    // Two ids of one domain may both be locked; one lock is enough.
    await sql`delete from locks where target = ${key}`.execute(tx);
    await sql`update locks set target = ${key} where target = ${target}`.execute(tx);
  }
}
