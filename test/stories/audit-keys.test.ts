import { afterAll, beforeAll, expect, test } from 'vitest';
import { audit } from '../../src/program/audit.ts';
import { canaries, openScenario, type Scenario } from './scenario.ts';

const policy = `
version: 1
groups: { leads: [U03CHI] }
rules: [{ allow: [read, routine, audit], to: [leads] }]
channels: { ops: C0OPS }
`;
const second = 'canary-second-audit-key-0a1b2c3d4e5f6071';
let scenario: Scenario;
beforeAll(async () => {
  scenario = await openScenario({ policy, environment: { AUDIT_KEY: '' } });
});
afterAll(() => scenario.close());

async function verified(words: string): Promise<string> {
  return (await (await scenario.person('chi').says('/site audit verify')).hears(words)).text;
}
const inOps = (words: RegExp) =>
  scenario.slack.until(() =>
    scenario.slack.messages({ channel: 'C0OPS', as: 'U03CHI' }).find(({ text }) => words.test(text)),
  );

test('promise 7: a first key seals the existing lines, a second one replaces it, and a missing key is reported', async () => {
  expect(await verified('unaltered since')).toContain('The chain is a plain hash');
  await scenario.stop();
  await scenario.start({ AUDIT_KEY: canaries.audit });
  await inOps(/The audit trail has a key \([\da-f]{8}\) from line \d+ on.*was set for the first time/);
  expect(await verified('The audit trail is not provable')).toMatch(/older than the key .*, and nobody has confirmed/);
  await scenario.stop();
  const quiet = { write: async () => undefined, complain: () => undefined };
  expect(await audit(['confirm'], { ...scenario.environment, AUDIT_KEY: canaries.audit }, quiet)).toBe(0);
  await scenario.start({ AUDIT_KEY: second, AUDIT_KEYS_FORMER: canaries.audit });
  await inOps(/The audit trail has a new key \([\da-f]{8}, until now [\da-f]{8}\)/);
  expect(await verified('The audit trail is unaltered from line')).toContain('The chain is keyed');
  expect(scenario.rows("select event from audit where event in ('sealed', 'rekeyed') order by seq")).toEqual([
    { event: 'sealed' },
    { event: 'rekeyed' },
  ]);
  await scenario.stop();
  await scenario.start({ AUDIT_KEY: second });
  const lost = await verified('The audit trail is not provable');
  expect(lost).toMatch(/line 1 is sealed with [\da-f]{8}, which I don't have/);
  expect(lost).toContain('add it to AUDIT_KEYS_FORMER');
  await scenario.stop();
  await expect(scenario.start({ AUDIT_KEY: '' })).rejects.toThrow(
    /made with a key \([\da-f]{8}\), and AUDIT_KEY is not set/,
  );
});
