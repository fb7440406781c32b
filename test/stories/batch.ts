import { createHash } from 'node:crypto';
import { patienceMs, type Scenario } from './scenario.ts';
import { expectSoon, type ChangeThread, type TestUser } from './people.ts';

/** What stories about batches share. */

/** Developers clear caches and take addresses off at once; adding some wants a lead. */
export const policy = `
version: 1
live: ["*/live"]
groups: { developers: [U01ANA, U02BEN], leads: [U03CHI, U04DEE], some: [U06ROB] }
sets: { care-plan: ["acme-*/live", harbor-events/live] }
rules:
  - { allow: [read], to: [developers, leads, some] }
  - { allow: ["cache clear"], to: [developers] }
  - { allow: ["cache clear"], to: [some], where: ["acme-shop/*", "acme-docs/*"] }
  - { allow: ["allowlist add"], to: [developers], approval: { by: [leads], count: 1, expires: 1h } }
  - { allow: ["allowlist remove"], to: [developers] }
  - { allow: [pause, resume, lock, unlock], to: [leads] }
channels: { ops: C0OPS }
`;

export const address = '198.51.100.4';
/** The environments of the set, in their order. */
export const carePlan = ['acme-blog', 'acme-docs', 'acme-shop', 'harbor-events'].map((site) => `${site}/live`);

/** Submits the review of a batch that needs no approval, or asks for it. */
export async function submitBatch(
  person: TestUser,
  line: string,
  filled: Parameters<TestUser['confirms']>[0] = {},
): Promise<ChangeThread> {
  await person.opens(line, 'Leave out');
  return person.confirms(filled);
}

/** How often each of these was written. */
export const writeCounts = ({ writes }: Scenario, names: readonly string[]): readonly number[] =>
  names.map((name) => writes(name).length);

/** How often the card was edited so far. */
export const editsOf = ({ slack }: Scenario, { ts }: ChangeThread): number =>
  slack.calls().filter(({ method, args }) => method === 'chat.update' && JSON.stringify(args).includes(ts)).length;

/** Waits until something is so that the database or the host shows. */
export const eventually = async (scenario: Scenario, what: string, isSo: () => boolean): Promise<void> => {
  await expectSoon(
    { until: (probe) => poll(probe) },
    what,
    () => isSo() || undefined,
    () => scenario.rows('select number, target_name, state, last_note from changes order by number limit 20'),
  );
};

async function poll<T>(probe: () => T | undefined): Promise<T> {
  const { vi } = await import('vitest');
  return vi.waitFor(
    () => {
      const found = probe();
      if (found === undefined) throw new Error('not yet');
      return found;
    },
    { timeout: patienceMs, interval: 50 },
  );
}

/** So many sites with one environment each. */
export const manySites = (count: number) => ({
  sites: Array.from({ length: count }, (_, at) => ({
    id: idOf('site', at),
    name: `many-${String(at).padStart(3, '0')}`,
    environments: [{ id: idOf('environment', at), name: 'live' }],
  })),
  domains: [],
});

function idOf(kind: string, at: number): string {
  const hex = createHash('sha256').update(`${kind} ${at}`).digest('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

export const namesOfMany = (count: number): readonly string[] =>
  manySites(count).sites.map(({ name }) => `${name}/live`);
