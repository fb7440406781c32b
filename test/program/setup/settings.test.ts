import { expect, test } from 'vitest';
import { mistakeIn, type CredentialName } from '../../../src/program/setup/settings.ts';

/** The messages about a credential in the wrong place. No value is real. */

const hex = '0123456789abcdef';

test.each<[name: CredentialName, value: string, says: string]>([
  ['SLACK_BOT_TOKEN', 'xoxp-0123456789-0123456789', "a person's token (xoxp-…)"],
  ['SLACK_BOT_TOKEN', 'xapp-1-A0123456789-0123456789', 'an app-level token (xapp-…)'],
  ['SLACK_BOT_TOKEN', 'xoxe.xoxb-1-0123456789012345', 'token rotation is on'],
  ['SLACK_BOT_TOKEN', 'xoxe-1-01234567890123456789', 'a refresh token'],
  ['SLACK_BOT_TOKEN', 'xoxc-0123456789-0123456789', "somebody's browser session"],
  ['SLACK_BOT_TOKEN', 'xoxa-0123456789-0123456789', 'a legacy token'],
  ['SLACK_BOT_TOKEN', 'xwfp-0123456789-0123456789', 'a token of a workflow'],
  ['SLACK_BOT_TOKEN', `${hex}${hex}`, 'a Signing Secret or Client Secret'],
  ['SLACK_BOT_TOKEN', '0123456789012.0123456789012', 'the Client ID'],
  ['SLACK_BOT_TOKEN', 'A0123456789', 'the App ID'],
  ['SLACK_BOT_TOKEN', 'a1b2c3d4e5f6g7h8i9j0k1l2', 'a Verification Token'],
  ['SLACK_BOT_TOKEN', 'https://hooks.slack.com/services/T0/B0/x', 'the address of a webhook'],
  ['SLACK_BOT_TOKEN', 'https://slack.com/oauth', 'an address'],
  ['SLACK_BOT_TOKEN', 'some-key-of-a-hosting-service', 'no token of Slack; perhaps a key of the hosting API'],
  ['SLACK_APP_TOKEN', 'xoxb-0123456789-0123456789', 'a bot token (xoxb-…)'],
  ['SLACK_APP_TOKEN', `${hex}${hex}`, 'a Signing Secret or Client Secret'],
  ['SLACK_SIGNING_SECRET', 'xoxb-0123456789-0123456789-0123456789', 'a bot token (xoxb-…)'],
  ['SLACK_SIGNING_SECRET', 'a1b2c3d4e5f6g7h8i9j0k1l2', 'a Verification Token'],
  ['HOSTING_API_KEY', 'xoxb-0123456789-0123456789', 'a bot token (xoxb-…)'],
  ['HOSTING_API_KEY', 'xapp-1-A0123456789-0123456789', 'an app-level token (xapp-…)'],
  ['HOSTING_API_KEY', 'Bearer 0123456789abcdef', 'leave out the word Bearer'],
])('%s: %s is named, and not repeated', (name, value, says) => {
  const mistake = mistakeIn({ [name]: value }, name);
  expect(mistake).toMatch(new RegExp(`^${name} must be .*, and this is `));
  expect(mistake).toContain(says);
  expect(mistake).not.toContain(value);
});

test.each<[name: CredentialName, value: string]>([
  ['SLACK_BOT_TOKEN', 'xoxb-0123456789-0123456789'],
  ['SLACK_APP_TOKEN', 'xapp-1-A0123456789-0123456789'],
  ['SLACK_SIGNING_SECRET', `${hex}${hex}`],
  ['HOSTING_API_KEY', `${hex}${hex}`],
  ['HOSTING_API_KEY', '7d3c9a10-5b1e-4c62-9f0d-2a8e4b6c1d77'],
  ['HOSTING_API_KEY', 'a1b2c3d4e5f6g7h8i9j0k1l2'],
  ['HOSTING_API_KEY', 'some-key-of-a-hosting-service'],
])('%s can be %s', (name, value) => expect(mistakeIn({ [name]: value }, name)).toBeUndefined());

test('an address without encryption is refused before a key is sent there', () => {
  const plain = { HOSTING_API_URL: 'http://host.example/v2' };
  expect(mistakeIn(plain, 'HOSTING_API_URL')).toContain('HOSTING_API_URL is plain http to another machine');
  expect(mistakeIn({ ...plain, ALLOW_PLAIN_HTTP: '1' }, 'HOSTING_API_URL')).toBeUndefined();
  expect(mistakeIn({ HOSTING_API_URL: 'http://127.0.0.1:1/v2' }, 'HOSTING_API_URL')).toBeUndefined();
});

test('one value in two places belongs in one of them', () => {
  const secret = `${hex}${hex}`;
  const settings = { SLACK_SIGNING_SECRET: secret, HOSTING_API_KEY: secret };
  expect(mistakeIn(settings, 'HOSTING_API_KEY')).toContain('and this is the value of SLACK_SIGNING_SECRET');
});
