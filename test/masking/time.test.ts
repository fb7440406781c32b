import { expect, test } from 'vitest';
import { mask } from '../../src/masking/mask.ts';
import { rules } from '../../src/masking/names.ts';
import { base64, worded } from '../../src/masking/private-keys.ts';
import { hinted, runningToken } from '../../src/masking/tokens.ts';
import { worked } from '../worked.ts';

/** What rules look for, again and again, and cut off where it hurts. */
const pieces = [
  ...[...rules, ...hinted, ...worded, base64].flatMap(({ hint }) => hint.split('|').map(letters)),
  'x',
  '1',
  ' ',
  '\\',
  '\\"',
  '=',
  '%25',
  '%3A%2F%2Fa%3A',
  '-eyJ',
  'eyJaaaaaaaaaaaaa.',
  'sk-',
  '-ghp_',
  '0123456789abcdef',
  'password="',
  "password='",
  '"password":"a\\"',
  '[password] => x',
  'password: ',
  'token value="',
  '<token>',
  '--token ',
  'api_key: ',
  'sessionid=',
  'remember_',
  'wordpress_logged_in_',
  's:8:"password";s:5:"x',
  '"token":',
  "f('token',",
  'Authorization: Digest username="',
  'authorization: a=',
  'Cookie: a=b; ',
  'cookie: a',
  '://a:',
  '?key=',
  'Bearer ',
  'mysql -p',
  'curl -u a:',
  'curl -u "a:b ',
  "sshpass -p 'a ",
  'mysql -p\\"a ',
  ' -storepass "a ',
  'passphrase: a b ',
  "option_value = 'x' _key = '",
  "password('",
  'identified by ',
  'set password ',
  "PDO->__construct('",
  'PDO->__construct(a, ',
  "mysqli_real_connect('x', ",
  "wp_set_password('",
  "', '",
  '-----BEGIN ',
  'BEGIN A ',
  'BEGIN%20A%20',
  'BEGIN+',
  '%2D',
  'PRIVATE\\x20',
  'UFJJVkFURSBLRV/',
  'kty"d":"a',
  '"k":"',
  '  "d": "a',
  '30 ',
  '3082:',
  '30820201002a864886',
  'priv: ',
  'priv:\n  aa:',
  'MA== ',
  '\n',
  '[',
  '(',
  '$2y$',
  '$1$aaaa',
  'hooks.slack.com/services/',
  '0-',
  'INSERT a (',
  "INSERT a values ('",
  "values ('a', ",
  "auth => ['a', ",
  '<methodName>wp.a</methodName>',
  '<string>1</string>',
  'name="password" ',
  'key":"token","value',
  '[name] => token [value] => ',
  'password is ',
  'password a ',
  'pw from a to ',
  'with password ',
  'sms code for ',
  'token a ',
  'key: key: ',
  'AAAA ',
  '4111 ',
  '4111111111111111',
  '334 a CLIENT ',
  'snmp community ',
  'machine a login a ',
  'credentials: a/',
  'redis-cli -a ',
  'echo a:b ',
  'a.b:5432:',
  'apply_filters(',
  "login('a', ",
  'a\\b->',
  'hooks/',
  'auth[]=a&',
  '| password | ',
  'SetEnv DB_PASS ',
  '[password:private',
  '?k=',
  '/licenses/',
  '/token/a/',
  'site_key=',
  '"private":"',
  'authorization basic ',
  'login failed for a:',
  'login a:',
  'user [a] pass [',
  'secret "',
  'using password ',
  'using token a ',
  'with a as ',
  'echo a ',
  'echo "%s" "',
  'docker a ',
  'composer a ',
  ' http-basic.a ',
  'curl -u a',
  'https -a a:',
  'v-add-user a ',
  'mc alias set a ',
  'ftp> user a ',
  'license activate a ',
  'licence s:3:"key";s:9:"',
  '<methodName>wp.a</methodName><value>',
  '<value>1<',
  "wp.a('a', '",
  'PASSWORD a = ',
  'client_secret_production_eu_',
  'api_key_a_b_c=',
  "(1,'a_pass','",
  "(1,2,'token','a b ",
  '("license_key", "',
  '?autologin=1~',
  '&magic_link=a1',
  'magic link: https://a/',
  'login link created!\nhttps://',
  '[a.b]:465 a:',
  'a.b:587 a@a.b:',
  'wp option patch update a b ',
  'wp user meta update 1 a ',
  'application-password create a --porcelain\n',
  'license key a1',
  'secret key ',
  'password: a => generated 1 bytes ',
  'a:1:{',
  'session_tokens ' + '0123456789abcdef'.repeat(4),
  '$token = a( ',
  '$password->a = b\\c',
  'password = a($',
  'password: {{ a ',
  'password: !secret a ',
  '(password: a) ',
  '(password=a))',
  'password=)',
  'password=\n',
  'password =>\n "',
  '<password a=b ',
  ';jsessionid=',
  'PASS a/a/',
  'key: a/a.b',
  'password=a&',
  'password:\n',
  'password:\n \n a1B',
  'password:\na1B\n',
  'password: a&',
  'password=a&b;',
  'AUTH LOGIN\n',
  '334 YQ==\n',
  '334 ',
  'AUTH LOGIN\nYWJj\n',
  'IDENTIFIED BY "a',
  'IDENTIFIED BY \\"a ',
  'name: a_pass\n value: "',
  'name: a_pass\n value: a ',
  'schluessel=',
  'clé_api: ',
  'chiave_api: ',
  'jeton: ',
  'password è ',
  'password "a" from "b" to "c" ',
  'net use a: \\\\a ',
  'net use \\\\a /user:a ',
  '?import_key=',
  'security_code: ',
  "'mysql:host=a', ",
  "'mysql:a', 'b', ",
  "'mysql:",
  'auth] => Array ( [0] => a ',
  'auth] => Array\n(\n[0] => ',
  'auth] => Array (                    ',
  "auth => array(2) { [0]=> string(1) 'a' ",
  "'auth' => [\n'a',\n",
  'sasl_passwd:3:a.b ',
  'sasl_passwd:',
  'AUTH 1 PLAIN ',
  'AUTH#0111#011PLAIN#011',
  'CONT 1 ',
  'CONT 1 AAAA',
  'assword: "; send ',
  'expect "assword" send "a',
  'requirepass ',
  'requirepass a ',
  'requirepass "a ',
  'sentinel auth-pass a ',
  'password=$(cat ',
  'password=`cat ',
  'password="$(a ',
  'stripe_key=pk_live_',
  'bearer a=',
  'bearer a_',
  'cache: \nkey: ',
  'key: composer-1a-',
  'a.b.key=',
  'password=a.b(',
  'no password: ',
  'outlook.office.com/webhook/',
  'outlook.office.com/webhook\\/',
  'passwd.client:a:b:',
  'sasl_passwd-1-',
  'auth => ["a", "b"c ',
  'key a-b-c-1a',
  '${DB_PASSWORD:?',
];

function letters(hint: string): string {
  return hint.replaceAll(/\\[swd]|\[[^\]]*\]|\{[^}]*\}|[\\?*+]/g, '');
}

function timeOf(shape: RegExp, piece: string, length: number): number {
  const text = repeated(piece, length);
  return worked(() => text.replace(shape, '***'));
}

/** Milliseconds that pass meanwhile: finer than what was worked, and never less. */
function passes(shape: RegExp, piece: string, length: number): number {
  const text = repeated(piece, length);
  const began = performance.now();
  text.replace(shape, '***');
  return performance.now() - began;
}

const repeated = (piece: string, length: number): string => piece.repeat(Math.ceil(length / Math.max(1, piece.length)));

/**
 * A quadratic one takes four times as long for twice the text, and seconds for that much. Threads are counted in steps of
 * four milliseconds: some together tell more than the best of them. What is quick on little text is not looked at again:
 * what is quadratic, and slow on sixteen times as much, is not.
 */
const isSlow = (shape: RegExp, piece: string): boolean => {
  if (piece === '' || passes(shape, piece, 4096) < 0.18) return false;
  if (timeOf(shape, piece, 16_384) < 3) return false;
  const [half, whole] = [32_768, 65_536].map((length) =>
    [1, 2, 3, 4].reduce((sum) => sum + timeOf(shape, piece, length), 0),
  );
  return (whole ?? 0) > 48 && (whole ?? 0) > 3 * (half ?? 0);
};

const shapes = [...rules, ...hinted, ...worded, base64].map(({ shape }) => shape);

test.each([...shapes, runningToken])('takes time that grows with the text and no faster: %s', (shape) => {
  expect(pieces.filter((piece) => isSlow(shape, piece))).toEqual([]);
});

test('all of them together take no longer than a blink for a line of any kind', () => {
  const slow = pieces.filter((piece) => piece !== '' && maskingOf(piece) > 100);
  expect(slow).toEqual([]);
});

/** Milliseconds for 16 KB of it, the best of three. */
const maskingOf = (piece: string): number =>
  Math.min(...[1, 2, 3].map(() => worked(() => mask(repeated(piece, 16_384)))));

test('so do the tokens, on what each begins with', () => {
  const beginnings = runningToken.source.split('|').map((one) => letters(one.replace(/^[(?:<!]+/, '')).slice(0, 12));
  expect(['a-', 'a1', ...beginnings].filter((beginning) => isSlow(runningToken, beginning))).toEqual([]);
});
