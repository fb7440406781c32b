import { below, byHost, domainOf, type Asked, type Scene, type Writing } from './story.ts';

/** Writes to domains and their records. */
export function domains(): readonly Writing[] {
  const add = (scene: Scene, body: unknown): Asked => ({ method: 'POST', path: below(scene, '/domains'), body });
  const named = (what: string, on: string): string => `${what}.${on.replace('/', '-')}.example`;
  const certified = (on: string): string => `${on.replace('/', '-')}.own.example`;
  const put = (scene: Scene, body: unknown): Asked => ({
    method: 'PUT',
    path: `/domains/${domainOf(scene).id}/dns-records`,
    body,
  });
  return [
    {
      section: '4.4',
      command: 'domains add',
      how: 'in few words',
      words: (on) => `${on} ${named('plain', on)}`,
      fills: (on) => ({ Environment: on, Domain: named('plain', on) }),
      seen: 'live',
      asks: (scene) =>
        add(scene, {
          domain_name: named('plain', scene.on),
          is_wildcardless: false,
          add_with_www_subdomain: false,
          setup_type: 'quick',
        }),
      ends: () => byHost,
    },
    {
      section: '4.4',
      command: 'domains add',
      how: 'with www and without downtime',
      words: (on) => `${on} ${named('whole', on)} --www --setup avoid_downtime`,
      fills: (on) => ({
        Environment: on,
        Domain: named('whole', on),
        'Add www too': ['yes'],
        Setup: 'avoid_downtime',
      }),
      seen: 'live',
      asks: (scene) =>
        add(scene, {
          domain_name: named('whole', scene.on),
          is_wildcardless: false,
          add_with_www_subdomain: true,
          setup_type: 'avoid_downtime',
        }),
      ends: () => byHost,
    },
    {
      section: '4.4',
      command: 'domains add',
      how: 'with its own certificate',
      words: (on) => `${on} ${certified(on)} --no-wildcard --certificate own`,
      fills: (on) => ({
        Environment: on,
        Domain: certified(on),
        'Without the wildcard': ['yes'],
        Certificate: 'own',
      }),
      seen: 'live',
      asks: (scene) =>
        add(scene, {
          domain_name: certified(scene.on),
          is_wildcardless: true,
          add_with_www_subdomain: false,
          setup_type: 'quick',
          custom_ssl_key: scene.certificate.key,
          custom_ssl_cert: scene.certificate.cert,
        }),
      ends: () => byHost,
    },
    {
      section: '4.6',
      command: 'dns set',
      target: 'domain',
      how: 'an address for another',
      words: (on) => `${on} a STATUS --add 198.51.100.77 --add 198.51.100.78 --remove 198.51.100.24 --ttl 600`,
      fills: (on) => ({
        Domain: on,
        Type: 'A',
        Name: 'status',
        TTL: '600',
        Add: '198.51.100.77\n198.51.100.78',
        Remove: '198.51.100.24',
      }),
      seen: 'always',
      asks: (scene) =>
        put(scene, {
          type: 'A',
          name: `status.${scene.on}`,
          ttl: 600,
          new_resource_records: [{ value: '198.51.100.77' }, { value: '198.51.100.78' }],
          removed_resource_records: [{ value: '198.51.100.24' }],
        }),
      ends: () => byHost,
      // The host moves a changed record to the end.
      undoes: (scene) =>
        domainOf(scene)
          .dns.map((record) => JSON.stringify(record))
          .toSorted(),
    },
    {
      section: '4.6',
      command: 'dns set',
      target: 'domain',
      how: 'a text with commas, with no TTL said',
      words: (on) => `${on} TXT _proof --add "one, two; three"`,
      fills: (on) => ({ Domain: on, Type: 'TXT', Name: '_proof', Add: 'one, two; three' }),
      seen: 'always',
      asks: (scene) =>
        put(scene, {
          type: 'TXT',
          name: `_proof.${scene.on}`,
          ttl: 3600,
          new_resource_records: [{ value: 'one, two; three' }],
          removed_resource_records: [],
        }),
      ends: () => byHost,
    },
  ];
}
