import { expect, test } from 'vitest';
import { allowlistShow } from '../../../src/commands/allowlist/show.ts';
import { company, live, noCertificate, reportDefaults } from '../../pipeline/fixtures.ts';

test('an empty entry has a line that says so', async () => {
  const page = await allowlistShow.show({
    input: { env: live },
    read: async (call) =>
      call.reply.parse({ environment: { active_container: { sftp_ip_allowlist: ['192.0.2.1', '', '192.0.2.2'] } } }),
    company,
    certificate: noCertificate,
    ...reportDefaults,
  });
  expect(page.parts).toEqual([{ kind: 'code', text: '192.0.2.1\n(an empty entry)\n192.0.2.2' }]);
});
