import * as fc from 'fast-check';
import { describe, expect, expectTypeOf, test } from 'vitest';
import type { HostReader, Write } from '../../../src/hosting/contract/call.ts';
import {
  clearCache,
  optimizeImages,
  getLogs,
  getAllowedIps,
  setAllowedIps,
  setPasswordExpiration,
} from '../../../src/hosting/contract/environment.ts';
import { updateDnsRecord, addDomain, listDomains, updateRedirects } from '../../../src/hosting/contract/domains.ts';
import { getOperation, cloneSite, pushEnvironment } from '../../../src/hosting/contract/sites.ts';
import { updateThemes } from '../../../src/hosting/contract/themes.ts';
import { inDialect } from '../../../src/hosting/dialect.ts';
import { codePoint } from '../../code-points.ts';
import { uuid } from '../host.ts';

const env_id = uuid(1);
const push = {
  site_id: uuid(7),
  source_env_id: uuid(1),
  target_env_id: uuid(2),
  push_db: false,
  push_files: true,
  run_search_and_replace: false,
  push_files_option: 'ALL_FILES',
} as const;
const rule = { from: '/a', to: '/b', type: 'permanent', domain: null } as const;

test('a write is a plain value that survives JSON and does not depend on the order of parameters', () => {
  const call = pushEnvironment(push);
  expect(call).toEqual({
    kind: 'write',
    section: '4.9',
    method: 'PUT',
    path: `/sites/${uuid(7)}/environments`,
    body: {
      source_env_id: uuid(1),
      target_env_id: uuid(2),
      push_db: false,
      push_files: true,
      run_search_and_replace: false,
      push_files_option: 'ALL_FILES',
    },
  });
  expect(JSON.parse(JSON.stringify(call))).toEqual(call);
  const shuffled = pushEnvironment({ file_list: undefined, ...push, site_id: push.site_id });
  expect(JSON.stringify(shuffled)).toBe(JSON.stringify(call));
});

test('ids are sent in lower case', () => {
  const ids = { site_id: uuid(0xa7), source_env_id: uuid(0xa1), target_env_id: uuid(0xa2) };
  const capital = Object.fromEntries(Object.entries(ids).map(([name, id]) => [name, id.toUpperCase()]));
  expect(pushEnvironment({ ...push, ...capital })).toEqual(pushEnvironment({ ...push, ...ids }));
  expect(getOperation({ operation_id: 'Push:AB-1' }).path).toBe('/operations/Push%3AAB-1');
});

test('a call copies its parameters: a list changed afterwards does not change it', () => {
  const ip_allowlist = ['192.0.2.1'];
  const call = setAllowedIps({ env_id, ip_allowlist });
  ip_allowlist.push('0.0.0.0/0');
  expect(call.body).toEqual({ ip_allowlist: ['192.0.2.1'] });
});

test('types: a write cannot be read, names come from the path template, a reply has its shape', () => {
  expectTypeOf(getAllowedIps).parameter(0).toEqualTypeOf<Readonly<Record<'env_id', string>>>();
  expectTypeOf<NonNullable<(typeof asked)['reply']['_zod']['output']>>().toEqualTypeOf<readonly string[]>();
  const asked = getAllowedIps({ env_id });
  const wrong = (read: HostReader, write: Write): void => {
    // @ts-expect-error: a write is not a read
    void read(write);
    // @ts-expect-error: the call of a writing endpoint is not a read
    void read(clearCache({ environment_id: env_id }));
    // @ts-expect-error: the path needs its parameter
    getAllowedIps({});
    // @ts-expect-error: the body needs its fields
    setAllowedIps({ env_id });
    // @ts-expect-error: the fields have types
    setAllowedIps({ env_id, ip_allowlist: '192.0.2.1' });
  };
  expect(wrong).toBeTypeOf('function');
});

describe('a malformed call is never made', () => {
  const secret = { $secret: 'shop.key', sha256: '0'.repeat(64) };
  const cases: readonly (readonly [string, () => unknown])[] = [
    ['an id that climbs', () => getAllowedIps({ env_id: '../../company' })],
    ['an invalid id', () => getAllowedIps({ env_id: '' })],
    ['an operation that climbs', () => getOperation({ operation_id: '..' })],
    ['an unknown parameter', () => getAllowedIps(Object.assign({ env_id }, { other: 1 }))],
    // @ts-expect-error: nor does it compile
    ['an unknown log', () => getLogs({ env_id, file_name: 'kinsta-cache-perf' })],
    ['too many lines', () => getLogs({ env_id, file_name: 'error', lines: 20_001 })],
    ['half a line', () => getLogs({ env_id, file_name: 'error', lines: 0.5 })],
    ['an invalid time', () => getLogs({ env_id, file_name: 'error', from: 'yesterday' })],
    ['an invalid company', () => listDomains({ company: 'acme' })],
    ['addresses without end', () => setAllowedIps({ env_id, ip_allowlist: Array<string>(10_001).fill('192.0.2.1') })],
    ['an empty address', () => setAllowedIps({ env_id, ip_allowlist: [''] })],
    // @ts-expect-error: nor does it compile
    ['an unknown interval', () => setPasswordExpiration({ env_id, exp_interval: 'days_8' })],
    // @ts-expect-error: nor does it compile
    ['an unknown way', () => optimizeImages({ environment_id: env_id, image_optimization_type: 'max' })],
    ['no theme', () => updateThemes({ env_id, themes: [] })],
    ['a name of two lines', () => cloneSite({ company: env_id, display_name: 'a\nb', source_env_id: env_id })],
    ['a push onto itself', () => pushEnvironment({ ...push, target_env_id: push.source_env_id })],
    ['some files, without a list', () => pushEnvironment({ ...push, push_files_option: 'SPECIFIC_FILES' })],
    [
      'some files, with an empty list',
      () => pushEnvironment({ ...push, push_files_option: 'SPECIFIC_FILES', file_list: [] }),
    ],
    ['all files, but some', () => pushEnvironment({ ...push, file_list: ['a'] })],
    ['a rule without a path', () => updateRedirects({ env_id, action_type: 'NEW' })],
    ['a change of no rule', () => updateRedirects({ env_id, action_type: 'UPDATE', new_value: rule })],
    [
      'a rule that does not say its domain',
      // @ts-expect-error: nor does it compile
      () => updateRedirects({ env_id, action_type: 'NEW', new_value: { from: '/', to: '/b', type: 'permanent' } }),
    ],
    [
      'a rule that does not say its type',
      // @ts-expect-error: nor does it compile
      () => updateRedirects({ env_id, action_type: 'NEW', new_value: { from: '/', to: '/b', domain: null } }),
    ],
    ['a removal of no rule', () => updateRedirects({ env_id, action_type: 'DELETE', rules_to_update: [] })],
    ['all, but some', () => updateRedirects({ env_id, action_type: 'DELETE_ALL', rules_to_update: [rule] })],
    [
      'www without wildcard',
      () => addDomain({ env_id, domain_name: 'a.b', is_wildcardless: true, add_with_www_subdomain: true }),
    ],
    ['a key without a certificate', () => addDomain({ env_id, domain_name: 'a.b', custom_ssl_key: secret })],
    // @ts-expect-error: nor does it compile
    ['a key in clear', () => addDomain({ env_id, domain_name: 'a.b', custom_ssl_key: 'PEM', custom_ssl_cert: secret })],
    ['a negative TTL', () => updateDnsRecord({ ...dns, ttl: -1 })],
    ['a TTL beyond DNS', () => updateDnsRecord({ ...dns, ttl: 2 ** 31 })],
  ];
  const dns = {
    domain_id: env_id,
    type: 'A',
    name: 'www',
    ttl: 60,
    new_resource_records: [],
    removed_resource_records: [],
  };

  test.each(cases)('%s', (_, call) => {
    expect(call).toThrow(TypeError);
  });
});

test('rules are named with all their fields, including null ones', () => {
  const { body } = updateRedirects({
    env_id,
    action_type: 'UPDATE',
    new_value: { ...rule, to: '/c' },
    rules_to_update: [rule],
  });
  expect(body).toEqual({ action_type: 'UPDATE', new_value: { ...rule, to: '/c' }, rules_to_update: [rule] });
});

test('any operation id stays one segment of the path', () => {
  fc.assert(
    fc.property(fc.string({ unit: codePoint, maxLength: 40 }), (operation_id) => {
      let path: string;
      try {
        ({ path } = getOperation({ operation_id }));
      } catch (error) {
        expect(error).toBeInstanceOf(TypeError);
        return;
      }
      expect(new URL(`http://host${path}`).pathname).toBe(path);
      expect(path.split('/')).toHaveLength(3);
      expect(decodeURIComponent(path.slice('/operations/'.length))).toBe(operation_id);
    }),
  );
});

test('a dialect changes no other call', () => {
  for (const call of [getAllowedIps({ env_id }), getLogs({ env_id, file_name: 'error' })]) {
    expect(inDialect<unknown>(call, 'kinsta')).toBe(call);
  }
});
