import * as fc from 'fast-check';
import { catalogue } from '../../src/commands/index.ts';
import type { LookSources } from '../../src/commands/kit/sources.ts';
import type { Args } from '../../src/base/errors.ts';
import type { Json, Query, Read, Write } from '../../src/hosting/contract/call.ts';
import type { Company, Domain, Environment } from '../../src/hosting/contract/target.ts';
import type { Given } from '../../src/language/bind-arguments.ts';
import { parse } from '../../src/language/parse.ts';
import type { KnownNames } from '../../src/language/resolve.ts';
import { answerTo } from '../../src/playground/hosting/answer.ts';
import type { Dialect, Host } from '../../src/playground/hosting/endpoint.ts';
import { accepted } from '../../src/playground/hosting/operations.ts';
import type { Reply } from '../../src/playground/hosting/reply.ts';
import { routeFor } from '../../src/playground/hosting/routes/table.ts';
import { everythingOn } from '../../src/playground/hosting/server.ts';
import { seedWorld } from '../../src/playground/hosting/seed/seed.ts';
import { World } from '../../src/playground/hosting/world.ts';
import { address, noCertificate, nothingKnown, path } from '../fixtures.ts';

/** The host for tests of commands: the stand-in's routes on a world of its own, called without a network. */

const startedAt = Date.UTC(2026, 2, 1);
const whole = seedWorld('commands', startedAt);
/** Only two sites, so that a new world is made quickly. */
const sites = whole.sites.slice(0, 2);
const seeded = {
  ...whole,
  sites,
  domains: whole.domains.filter(({ siteId }) => sites.some(({ id }) => id === siteId)),
};

export const ownWorld = (): World => new World(structuredClone(seeded));
const shared = ownWorld();

type Request = Pick<Read<unknown> | Write, 'method' | 'path'> & { readonly query?: Query; readonly body?: Json };

/** A world that commands' reads can read and their calls can change. Accepted operations finish at once. */
export class InMemoryHost {
  /** Shared until something is written; use `ownWorld` to change it by hand. */
  world: World;
  readonly dialect: Dialect = 'document';

  constructor(world = shared) {
    this.world = world;
  }

  #answer({ method, path, query = {}, body }: Request): Reply {
    const said = Object.entries(query).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, String(value)] as [string, string]],
    );
    const asked = {
      authorized: true,
      found: routeFor(method, path),
      query: new URLSearchParams(said),
      contentType: 'application/json',
      body: Buffer.from(body === undefined ? '' : JSON.stringify(body)),
    };
    return answerTo(asked, this.#host(), everythingOn);
  }

  #host(): Host {
    const start: Host['operations']['start'] = (kind, work) => {
      work.finish();
      return accepted(kind);
    };
    const status: Host['operations']['status'] = () => ({ status: 404, body: {} });
    return {
      world: this.world,
      operations: { start, status },
      seed: 'commands',
      dialect: this.dialect,
      now: () => startedAt,
    };
  }

  /** The context with which a command reads it. */
  sources(): LookSources {
    return {
      read: async (call) => {
        const answer = this.#answer(call);
        return call.reply.parse(call.answers ? answer : answer.body);
      },
      company: this.company(),
      certificate: noCertificate,
      ...nothingKnown,
    };
  }

  company(): Company {
    const { id, name } = this.world.company;
    return { kind: 'company', id, name };
  }

  /** Applies a call; returns the host's status. */
  write(call: Write): number {
    if (this.world === shared) this.world = ownWorld();
    return this.#answer(call).status;
  }

  names(): KnownNames {
    const environments = this.world.environments().map((one): Environment => {
      const { id, name } = this.world.site(one.siteId);
      return {
        kind: 'environment',
        id: one.id,
        name: `${name}/${one.name}`,
        live: one.name === 'live',
        site: { id, name },
      };
    });
    const domains = this.world.domains.map(({ id, name }): Domain => ({ kind: 'domain', id, name, site: undefined }));
    return { environments, domains };
  }

  /** Everything visible of the world, independent of order. */
  seen(): unknown {
    return {
      environments: this.world.environments().map((one) => ({
        id: one.id,
        allowlist: one.allowlist.toSorted(),
        redirects: one.redirects.map((rule) => JSON.stringify(rule)).sort(),
        themes: one.themes.map(({ name, version }) => `${name} ${version}`).sort(),
      })),
      domains: this.world.domains.map(({ id, dns }) => ({
        id,
        dns: dns
          .map(({ type, name, ttl, resource_records: values }) =>
            JSON.stringify([type, name, ttl, values.map(({ value }) => value).sort()]),
          )
          .sort(),
      })),
    };
  }
}

const one = (...words: readonly string[]): fc.Arbitrary<readonly string[]> => fc.constant(words);
const some = (from: readonly string[], most = 3): fc.Arbitrary<readonly string[]> =>
  fc.uniqueArray(fc.constantFrom(...from), { minLength: 1, maxLength: most });
const maybe = (words: fc.Arbitrary<readonly string[]>): fc.Arbitrary<readonly string[] | undefined> =>
  fc.option(words, { nil: undefined });
const ticked = maybe(one('yes'));
const each = (words: readonly string[]): fc.Arbitrary<readonly string[]> =>
  fc.constantFrom(...words).map((word) => [word]);

type Fields = Readonly<Record<string, fc.Arbitrary<readonly string[] | undefined>>>;
const note = (fields: Fields): fc.Arbitrary<Given> =>
  fc.record(fields).map((said) => {
    const given: Record<string, readonly string[]> = {};
    for (const [name, words] of Object.entries(said)) if (words !== undefined) given[name] = words;
    return given;
  });

const to = each(['/new', '/shop/', 'https://acme.example/x?y=1', '/blog/spring-101']);
const ips = fc.uniqueArray(fc.oneof(address, fc.constantFrom('203.0.113.10', '192.0.2.44', '2001:db8:4::/48')), {
  minLength: 1,
  maxLength: 4,
});

const record = (domain: string, type: string, names: Args, add: Args, remove: Args): fc.Arbitrary<Given> =>
  note({
    domain: one(domain),
    type: one(type),
    name: each(names),
    ttl: maybe(each(['0', '300', '3600'])),
    add: maybe(some(add, 2)),
    remove: maybe(some(remove, 2)),
  });

/** A command's own examples, as fields. */
export function exampleArguments(path: string): readonly Given[] {
  const command = catalogue.get(path);
  if (command === undefined) return [];
  return (command.examples ?? []).map((words) => {
    const parsed = parse(`${path} ${words}`, catalogue);
    if (parsed?.command !== command) throw new Error(`the example ${path} ${words} is not read as ${path}`);
    return parsed.given;
  });
}

/** Arguments for an action in that world: mostly possible ones, sometimes impossible ones. */
export function argumentsFor(action: string, host: InMemoryHost): fc.Arbitrary<Given> {
  const { environments, domains } = host.names();
  const ids = environments.map(({ id }) => id);
  const env = each(ids);
  const inEnv = (fields: (of: Environment) => Fields): fc.Arbitrary<Given> =>
    fc.constantFrom(...environments).chain((of) => note({ env: one(of.id), ...fields(of) }));
  const rulesOf = ({ id }: Environment) => host.world.environment(id).redirects;
  const aRule = (of: Environment) => fc.constantFrom(...rulesOf(of)).map(({ from }) => [from]);
  switch (action) {
    case 'push':
      return fc.constantFrom(...host.world.sites).chain(({ environments: [from, onto] }) =>
        note({
          from: one(from?.id ?? ''),
          onto: one(onto?.id ?? ''),
          files: ticked,
          database: ticked,
          searchReplace: ticked,
          only: maybe(fc.uniqueArray(path, { minLength: 1, maxLength: 5 })),
        }),
      );
    case 'delete':
    case 'cache clear':
      return note({ env });
    case 'clone':
      return note({ env, displayName: each(['Acme', 'Ä shop', 'x'.repeat(100)]) });
    case 'images':
      return note({ env, images: each(['off', 'lossy', 'lossless']) });
    case 'ssh expiry':
      return note({ env, expiry: each(['hours_24', 'days_7', 'days_30', 'days_90', 'never']) });
    case 'ssh password':
      return note({ env, access: each(['on', 'off']) });
    case 'allowlist add':
      return note({ env, addresses: ips, for: maybe(each(['5m', '2h', '30d'])) });
    case 'allowlist remove':
      return note({ env, addresses: ips, empty: ticked });
    case 'allowlist set':
      return note({ env, addresses: ips });
    case 'redirects add':
      return note({
        env,
        from: each(['/new-1', '/new-2', '/old-shop']),
        to,
        type: maybe(each(['permanent', 'redirect'])),
        domain: maybe(one('acme.example')),
        country: maybe(one('DE')),
        city: maybe(one('Berlin')),
      });
    case 'redirects edit':
      return inEnv((of) => ({ from: aRule(of), to: maybe(to), type: maybe(each(['permanent', 'redirect'])) }));
    case 'redirects remove':
      return inEnv((of) => ({ from: aRule(of) }));
    case 'redirects clear':
      return note({ env, search: maybe(each(['/blog', 'SPRING', 'nothing has this'])) });
    case 'themes update':
      return inEnv(({ id }) => ({ themes: some(host.world.environment(id).themes.map(({ name }) => name)) }));
    case 'domains add':
      return note({
        env,
        domain: each(['new-1.example', 'bücher.example', 'acme.example']),
        www: ticked,
        noWildcard: ticked,
        setup: maybe(each(['quick', 'avoid_downtime'])),
      });
    case 'dns set':
      return fc
        .constantFrom(...domains.map(({ id }) => id))
        .chain((id) =>
          fc.oneof(
            record(id, 'A', ['@', 'status', 'new'], ['192.0.2.7', '192.0.2.8'], ['192.0.2.80', '198.51.100.24']),
            record(id, 'TXT', ['@', '_dmarc', 'new'], ['v=spf1 a, b', '"x y"'], ['site-owner=acme']),
            record(id, 'MX', ['@', 'new'], ['10 mx.acme.example'], ['10 mx1.post.example', '20 mx2.post.example']),
          ),
        );
    default:
      return fc.constantFrom(...exampleArguments(action));
  }
}
