import { expect, test } from 'vitest';
import { allowlistShow } from '../../../src/commands/allowlist/show.ts';
import { textsIn } from '../../../src/commands/kit/page.ts';
import { plain } from '../../../src/words/text.ts';
import { company, live, noCertificate, reportDefaults } from '../../fixtures.ts';

/** The page for this list. */
const pageOf = (list: readonly string[], timed: readonly { address: string; until: number }[] = []) =>
  allowlistShow.show({
    input: { env: live },
    read: async (call) => call.reply.parse({ environment: { active_container: { sftp_ip_allowlist: list } } }),
    company,
    certificate: noCertificate,
    ...reportDefaults,
    timed: async () => timed,
  });

test('an empty entry has a line that says so', async () => {
  const { parts } = await pageOf(['192.0.2.1', '', '192.0.2.2']);
  expect(parts).toEqual([{ kind: 'code', text: '192.0.2.1\n(an empty entry)\n192.0.2.2' }]);
});

test('says of an entry that it lets everybody in, or nobody', async () => {
  const { parts } = await pageOf(['0.0.0.0/0', '10.0.0.5']);
  expect(textsIn(parts).map(plain).join('\n')).toMatch(/0\.0\.0\.0\/0 lets everybody in.*10\.0\.0\.5 is private/);
});

test('says when the timed access on it ends, however the host spells an address', async () => {
  const { parts } = await pageOf(
    ['192.0.2.1', '192.0.2.2/32', '192.0.2.3'],
    [
      { address: '192.0.2.2', until: 1_700_000_000_000 },
      { address: '192.0.2.9', until: 1_700_000_000_000 },
    ],
  );
  expect(textsIn(parts).map(plain)).toEqual([expect.stringMatching(/^Timed access ends: 192\.0\.2\.2 .*2023.*\.$/)]);
});
