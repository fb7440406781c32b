import type { Environment } from '../../../src/playground/hosting/resources.ts';
import { domains } from './domains.ts';
import { redirects } from './redirects.ts';
import { below, byHost, environmentOf, type Asked, type Scene, type Writing } from './story.ts';

/** Every endpoint that changes something, as the document describes it. */
export const writes: readonly Writing[] = [...redirects(), ...domains(), ...sites(), ...ofOne(), ...allowlists()];

function sites(): readonly Writing[] {
  const sibling = (on: string): string =>
    on.endsWith('/live') ? on.replace('/live', '/staging') : on.replace('/staging', '/live');
  const push = (scene: Scene, body: object): Asked => ({
    method: 'PUT',
    path: `/sites/${environmentOf(scene).siteId}/environments`,
    body: {
      source_env_id: environmentOf({ ...scene, on: sibling(scene.on) }).id,
      target_env_id: environmentOf(scene).id,
      ...body,
    },
  });
  const pushing = { section: '4.9', command: 'push', locksMore: true } as const;
  return [
    {
      section: '4.8',
      command: 'clone',
      locksMore: true,
      words: (on) => `${on} Copy, of ${on.replace('/', ' ')}`,
      fills: (on) => ({ 'Copy of': on, 'Display name': `Copy, of ${on.replace('/', ' ')}` }),
      seen: 'always',
      asks: (scene) => ({
        method: 'POST',
        path: '/sites/clone',
        body: {
          company: scene.company,
          display_name: `Copy, of ${scene.on.replace('/', ' ')}`,
          source_env_id: environmentOf(scene).id,
        },
      }),
      ends: () => byHost,
    },
    {
      ...pushing,
      how: 'some files',
      words: (on) => `${sibling(on)} ${on} --files --only wp-content/themes,wp-content/uploads`,
      picks: (on) => [
        { label: 'Files', said: ['yes'], draws: { label: 'Only these paths', as: 'plain_text_input' } },
        { label: 'From', said: sibling(on), draws: { label: 'Only these paths', as: 'multi_external_select' } },
      ],
      fills: (on) => ({ Onto: on, 'Only these paths': ['wp-content/themes', 'wp-content/uploads'] }),
      seen: 'always',
      asks: (scene) =>
        push(scene, {
          push_db: false,
          push_files: true,
          run_search_and_replace: false,
          push_files_option: 'SPECIFIC_FILES',
          file_list: ['wp-content/themes', 'wp-content/uploads'],
        }),
      ends: () => byHost,
    },
    {
      ...pushing,
      how: 'all of it',
      words: (on) => `${sibling(on)} ${on} --files --database --search-replace`,
      picks: (on) => [
        { label: 'Files', said: ['yes'], draws: { label: 'Only these paths', as: 'plain_text_input' } },
        { label: 'From', said: sibling(on), draws: { label: 'Only these paths', as: 'multi_external_select' } },
      ],
      fills: (on) => ({ Onto: on, Database: ['yes'], 'Search and replace': ['yes'] }),
      seen: 'always',
      asks: (scene) =>
        push(scene, {
          push_db: true,
          push_files: true,
          run_search_and_replace: true,
          push_files_option: 'ALL_FILES',
        }),
      ends: () => byHost,
    },
    {
      section: '4.10',
      command: 'delete',
      words: (on) => on,
      fills: (on) => ({ Environment: on }),
      seen: 'always',
      asks: (scene) => ({ method: 'DELETE', path: below(scene) }),
      ends: () => byHost,
    },
  ];
}

/** Settings and actions of one environment. */
function ofOne(): readonly Writing[] {
  return [
    {
      section: '4.11',
      command: 'images',
      words: (on) => `${on} Lossy`,
      fills: (on) => ({ Environment: on, 'Image optimization': 'lossy' }),
      seen: 'never',
      asks: (scene) => ({
        method: 'PUT',
        path: '/sites/cdn/image-optimization',
        body: { environment_id: environmentOf(scene).id, image_optimization_type: 'lossy' },
      }),
      ends: () => byHost,
    },
    {
      section: '4.12',
      command: 'cache clear',
      words: (on) => on,
      fills: (on) => ({ Environment: on }),
      seen: 'never',
      asks: (scene) => ({
        method: 'POST',
        path: '/sites/tools/clear-cache',
        body: { environment_id: environmentOf(scene).id },
      }),
      ends: () => byHost,
    },
    {
      section: '4.13',
      command: 'themes update',
      words: (on) => `${on} paperwhite, meridian`,
      picks: (on) => [{ label: 'Environment', said: on, draws: { label: 'Themes', as: 'multi_external_select' } }],
      fills: () => ({ Themes: ['paperwhite', 'meridian'] }),
      seen: 'live',
      asks: (scene) => ({
        method: 'PUT',
        path: below(scene, '/themes/bulk-update'),
        body: { themes: [{ name: 'paperwhite' }, { name: 'meridian' }] },
      }),
      ends: () => byHost,
    },
    {
      section: '4.15',
      command: 'ssh expiry',
      words: (on) => `${on} days_7`,
      fills: (on) => ({ Environment: on, 'Passwords expire': 'days_7' }),
      seen: 'live',
      asks: (scene) => ({
        method: 'POST',
        path: below(scene, '/ssh/change-expiration-interval'),
        body: { exp_interval: 'days_7' },
      }),
      ends: () => /^☑️ .*This setting cannot be read back\.$/,
    },
    {
      section: '4.18',
      command: 'ssh password',
      words: (on) => `${on} off`,
      fills: (on) => ({ Environment: on, 'Password access': 'off' }),
      seen: 'live',
      asks: (scene) => ({
        method: 'POST',
        path: below(scene, '/ssh/set-password-status'),
        body: { is_enabled: false },
      }),
      ends: () => /^☑️ .*This setting cannot be read back: try to connect\./,
    },
  ];
}

function allowlists(): readonly Writing[] {
  const set = (scene: Scene, ip_allowlist: readonly string[]): Asked => ({
    method: 'POST',
    path: below(scene, '/ssh/set-allowed-ips'),
    body: { ip_allowlist },
  });
  const given = (target: Environment): void => {
    target.allowlist = ['192.0.2.1', '2001:db8:4::/48'];
  };
  const undoes = (scene: Scene): readonly string[] => environmentOf(scene).allowlist.toSorted();
  return [
    {
      section: '4.16',
      command: 'allowlist add',
      given,
      words: (on) => `${on} 198.51.100.4, 198.51.100.0/28`,
      fills: (on) => ({ Environment: on, Addresses: '198.51.100.4\n198.51.100.0/28' }),
      seen: 'live',
      asks: (scene) => set(scene, ['192.0.2.1', '2001:db8:4::/48', '198.51.100.4', '198.51.100.0/28']),
      ends: (on) => `✅ 198.51.100.4, 198.51.100.0/28 are on the SSH allowlist of ${on}`,
      undoes,
    },
    {
      section: '4.16',
      command: 'allowlist remove',
      given,
      words: (on) => `${on} 2001:DB8:4:0::/48`,
      fills: (on) => ({ Environment: on, Addresses: '2001:DB8:4:0::/48' }),
      seen: 'live',
      asks: (scene) => set(scene, ['192.0.2.1']),
      ends: (on) => `✅ 2001:db8:4::/48 is not on the SSH allowlist of ${on} any more`,
      undoes,
    },
    {
      section: '4.16',
      command: 'allowlist remove',
      how: 'the last one',
      given: (target) => {
        target.allowlist = ['192.0.2.1'];
      },
      words: (on) => `${on} 192.0.2.1 --empty`,
      fills: (on) => ({ Environment: on, Addresses: '192.0.2.1', 'Leave the list empty': ['yes'] }),
      seen: 'live',
      asks: (scene) => set(scene, []),
      ends: (on) => `✅ 192.0.2.1 is not on the SSH allowlist of ${on} any more`,
    },
    {
      section: '4.16',
      command: 'allowlist set',
      given,
      words: (on) => `${on} 198.51.100.4 192.0.2.1`,
      fills: (on) => ({ Environment: on, Addresses: '198.51.100.4\n192.0.2.1' }),
      seen: 'live',
      asks: (scene) => set(scene, ['198.51.100.4', '192.0.2.1']),
      ends: (on) => `✅ The SSH allowlist of ${on} is 198.51.100.4, 192.0.2.1`,
      undoes,
    },
  ];
}
