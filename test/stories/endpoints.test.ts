import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { catalogue } from '../hosting/contract/catalogue.ts';
import { defaultDurations } from '../../src/playground/hosting/operations.ts';
import { selfSigned } from '../hosting/certificate.ts';
import { asks, changes, endOf, requestFor, requestOf, undo, type Way } from './endpoints/acting.ts';
import { reads } from './endpoints/reads.ts';
import { putUpSite } from './endpoints/sites.ts';
import { domainOf, environmentOf, type Dialect, type Reading, type Scene, type Writing } from './endpoints/story.ts';
import { writes } from './endpoints/writes.ts';
import { ids, openScenario, type Scenario } from './scenario.ts';
import { has } from './people.ts';

/** Ana may do everything without approval. */
const policy = `
version: 1
live: ['*/live']
groups:
  developers: [U01ANA]
rules:
  - { allow: [read], to: [developers] }
  - { allow: [routine, sensitive, destructive], to: [developers], approval: none }
`;

const sections = catalogue.filter(({ optional }) => !optional).map(({ section }) => section);
const durations = Object.fromEntries(Object.keys(defaultDurations).map((kind) => [kind, 0]));
const dialects: readonly Dialect[] = ['document', 'kinsta'];
const ways: readonly Way[] = ['typed', 'by form'];

const nameOf = ({ section, command, how }: Reading | Writing): string =>
  `${section} ${command}${how === undefined ? '' : `, ${how}`}`;
const readings = reads.flatMap((story) =>
  ways.map((way) => ({ name: nameOf(story), story, way, on: way === 'typed' ? story.typedOn : story.filledOn })),
);
/** With a single channel, the cards would wait for each other. */
const channels = ['C0ACME', 'C0GENERAL', 'C0OPS', 'G0BAKERY', 'D0U01ANA'] as const;

/** Each story has its own site, so that all can run at once. */
const writings = writes.flatMap((story, at) =>
  ways.map((way) => ({
    name: nameOf(story),
    story,
    way,
    site: `story-${at + 1}`,
    channel: channels[at % channels.length],
    on: targetOf(story, way, at),
  })),
);
function targetOf({ target }: Writing, way: Way, at: number): string {
  const name = way === 'typed' ? 'staging' : 'live';
  return target === 'domain' ? `${name}.story-${at + 1}.example` : `story-${at + 1}/${name}`;
}
type Written = (typeof writings)[number];

describe.each(dialects.map((dialect) => ({ dialect })))(
  'every endpoint, $dialect:',
  { concurrent: true },
  ({ dialect }) => {
    const certificate = selfSigned({ hosts: ['*.own.example'] });
    let scenario: Scenario;
    let folder: string;
    beforeAll(async () => {
      folder = await mkdtemp(join(tmpdir(), 'sitehand-certificates-'));
      await writeFile(join(folder, 'own.pem'), certificate.cert);
      await writeFile(join(folder, 'own.key'), certificate.key);
      const environment = {
        HOSTING_DIALECT: dialect,
        // Everything within a minute is more than the public service allows.
        HOSTING_REQUESTS_PER_MINUTE: '100000',
        CERTIFICATES_DIR: folder,
      };
      scenario = await openScenario({ policy, environment, hosting: { dialect, durations }, start: false });
      for (const site of new Set(writings.map((one) => one.site))) putUpSite(scenario.hosting.world, site);
      await scenario.start();
    });
    afterAll(async () => {
      await scenario.close();
      await rm(folder, { recursive: true, force: true });
    });

    const sceneOf = ({ given }: Reading | Writing, on: string): Scene => {
      const { world, companyId: company } = scenario.hosting;
      const scene = { on, world, dialect, company, certificate };
      given?.(environmentOf(scene));
      return scene;
    };

    describe('reports', { concurrent: false }, () => {
      afterEach(() => scenario.slack.closeModal(ids.ana, true).catch(() => undefined));

      test.for(readings.map((one) => [one.name, one.way, one] as const))('%s: %s', async ([, , { story, way, on }]) => {
        const scene = sceneOf(story, on);
        const before = scenario.hosting.journal.entries().length;
        const said = await asks(scenario, story, on, way);
        const { text } = await said.hears(story.titled(on));
        for (const words of story.shows(scene)) expect(has(text, words), `${words} in ${text}`).toBe(true);
        const entries = scenario.hosting.journal.entries().slice(before);
        const asked = requestFor(story, story.asks(scene));
        expect(entries.filter(({ section }) => section === story.section).map(requestOf)).toEqual([asked]);
        expect(entries.filter(({ method }) => method !== 'GET')).toEqual([]);
      });
    });

    test(
      'a rejected key is reported in the same words, and then in those of the host',
      { concurrent: false },
      async () => {
        const message = dialect === 'kinsta' ? 'Unauthenticated.' : 'No or invalid API key provided to the request';
        scenario.hosting.faults.add({ kind: 'status', section: '4.22', status: 401, body: { message, status: 401 } });
        const said = await scenario.person('ana').says('/site backups list harbor-events/live');
        await said.hears(/^The host rejected my key \(401\)\. Whoever runs Sitehand should check HOSTING_API_KEY\./);
        await said.hears(`It says: “${message}”`);
      },
    );

    describe('changes', { concurrent: false }, () => {
      const under = new Map<Written, Promise<void>>();
      // Every change waits for the host, so all are requested first and then awaited.
      beforeAll(() => {
        let turn: Promise<unknown> = Promise.resolve();
        const inTurn = <T>(talk: () => Promise<T>): Promise<T> => {
          const result = turn.then(talk);
          turn = result
            .catch(() => undefined)
            .then(() => scenario.slack.closeModal(ids.ana, true))
            .catch(() => undefined);
          return result;
        };
        const last = new Map<Writing, Promise<void>>();
        for (const one of writings) {
          // A change that locks more than its target runs alone: the form waits for the typed one.
          const first = one.story.locksMore ? last.get(one.story) : undefined;
          const finished = (first ?? Promise.resolve()).then(() => carriedOut(one, inTurn));
          last.set(one.story, finished);
          finished.catch(() => undefined);
          under.set(one, finished);
        }
      });

      const carriedOut = async (
        { story, way, on, channel }: Written,
        inTurn: <T>(talk: () => Promise<T>) => Promise<T>,
      ): Promise<void> => {
        const scene = sceneOf(story, on);
        const { id } = story.target === 'domain' ? domainOf(scene) : environmentOf(scene);
        const sent = () =>
          scenario
            .writes()
            .filter(({ path, body }) => JSON.stringify([path, body]).includes(id))
            .map(requestOf);
        const was = story.undoes?.(scene);
        const asked = requestFor(story, story.asks(scene));
        const earlier = sent().length;
        const change = await inTurn(() => changes(scenario, story, on, way, channel));
        const last = await endOf(scenario, story, on, change);
        expect(sent().slice(earlier)).toEqual([asked]);
        if (way !== 'typed' || story.undoes === undefined) return;
        expect(story.undoes(scene)).not.toEqual(was);
        const back = await inTurn(() => undo(scenario, story, scene, last));
        await back.tells('✅');
        expect(story.undoes(scene)).toEqual(was);
        expect(sent()).toHaveLength(earlier + 2);
      };

      test.for(writings.map((one) => [one.name, one.way, one] as const))('%s: %s', async ([, , one]) => {
        expect(under.has(one)).toBe(true);
        await under.get(one);
      });

      test('the private key of a certificate is found only at the host', async () => {
        await Promise.allSettled(under.values());
        const lines = certificate.key.split('\n').filter((line) => line !== '' && !line.startsWith('---'));
        const left = await scenario.leftovers();
        expect(lines).toHaveLength(3);
        for (const line of lines) expect(left).not.toContain(line);
      });
    });

    test('all 23 endpoints were requested', { concurrent: false }, () => {
      const seen = new Set(scenario.hosting.journal.entries().map(({ section }) => section));
      expect(sections).toHaveLength(23);
      expect(sections.filter((section) => !seen.has(section))).toEqual([]);
    });
  },
);
