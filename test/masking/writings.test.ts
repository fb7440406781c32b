import { expect, test } from 'vitest';
import { mask } from '../../src/masking/mask.ts';

/** Each name in each spelling, with a credential and with a placeholder. */

const names = [
  'password',
  'db_password',
  'DB_PASSWORD',
  'dbPassword',
  'smtp-password',
  'user_pass',
  'DB_PASS',
  'wachtwoord',
  'Passwort',
  'contraseña',
  'api_key',
  'apiKey',
  'API_KEY',
  'secret',
  'client_secret',
  'clientSecret',
  'access_token',
  'accessToken',
  'auth_token',
  'SECRET_KEY',
  'private_key',
  'encryptionKey',
  'license_key',
  'webhook_secret',
  'APP_KEY',
];
const secrets = ['Tr0ub4dor&3x', '8f3kD92mslQ0pzX7aB3c', 'Zomer-2024!', '8f3a9b2c7d1e4f6a0b5c8f3a9b2c7d1e'];
const others = [
  '${X_Y}',
  '$DB_PASS',
  '[REDACTED]',
  '********',
  'null',
  'process.env.DB_PASSWORD',
  '{{ x_y }}',
  '%s',
  'required',
  'invalid',
  'expired',
  '***',
  'op://vault/x/y',
  'string',
  'YOUR_API_KEY',
  'not set',
  '(hidden)',
  'true',
];

type Writing = (name: string, value: string) => string;
const writings: Readonly<Record<string, Writing>> = {
  setting: (name, value) => `${name}=${value}`,
  'setting with blanks': (name, value) => `${name} = ${value}`,
  YAML: (name, value) => `${name}: ${value}`,
  'YAML in a list': (name, value) => `  - ${name}: ${value}`,
  'YAML in quotation marks': (name, value) => `${name}: "${value}"`,
  'a colon alone': (name, value) => `${name}:${value}`,
  JSON: (name, value) => `{"${name}":"${value}","x":1}`,
  'JSON over lines': (name, value) => `  "${name}": "${value}",`,
  'JSON in JSON': (name, value) => `{"m":"{\\"${name}\\":\\"${value}\\"}"}`,
  'JSON in a page': (name, value) => `&quot;${name}&quot;:&quot;${value}&quot;`,
  'array of PHP': (name, value) => `'${name}' => '${value}',`,
  'hash of Ruby': (name, value) => `:${name} => "${value}"`,
  'dictionary of Python': (name, value) => `{'user': 'jan', '${name}': '${value}'}`,
  'structure of Go': (name, value) => `Config{User:"jan", ${name}:"${value}"}`,
  'structure of Go, printed': (name, value) => `{User:jan ${name}:${value} Port:1}`,
  record: (name, value) => `Config(user=jan, ${name}=${value}, x=1)`,
  'record with colons': (name, value) => `{user: jan, ${name}: ${value}, x: 1}`,
  argument: (name, value) => `f(user='jan', ${name}='${value}')`,
  'in quotation marks': (name, value) => `${name} = "${value}"`,
  'in single ones': (name, value) => `${name}='${value}'`,
  'variable of PHP': (name, value) => `$${name} = '${value}';`,
  print_r: (name, value) => `    [${name}] => ${value}`,
  serialize: (name, value) => `a:1:{s:${name.length}:"${name}";s:${value.length}:"${value}";}`,
  var_dump: (name, value) => `["${name}"]=> string(${value.length}) "${value}"`,
  define: (name, value) => `define('${name}', '${value}');`,
  env: (name, value) => `env('${name}', '${value}')`,
  getenv: (name, value) => `os.getenv("${name}", "${value}")`,
  property: (name, value) => `props.setProperty("${name}", "${value}");`,
  'set of Capistrano': (name, value) => `set :${name}, "${value}"`,
  option: (name, value) => `tool --${name} ${value} --x`,
  'option with a sign': (name, value) => `tool --${name}=${value}`,
  'option in quotation marks': (name, value) => `tool --${name} "${value}"`,
  'option of Java': (name, value) => `java -D${name}=${value} -jar`,
  export: (name, value) => `export ${name}=${value}`,
  'export in quotation marks': (name, value) => `export ${name}="${value}"`,
  SetEnv: (name, value) => `SetEnv ${name} ${value}`,
  'ENV of an image': (name, value) => `ENV ${name} ${value}`,
  'option of WordPress': (name, value) => `wp option update ${name} '${value}'`,
  address: (name, value) => `GET /a?${name}=${encodeURIComponent(value)}&x=1 HTTP/1.1`,
  tags: (name, value) => `<${name}>${value}</${name}>`,
  attribute: (name, value) => `<x ${name}="${value}" y="1"/>`,
  'name and value': (name, value) => `{"name":"${name}","value":"${value}"}`,
  'name and value of a field': (name, value) => `<input name="${name}" value="${value}">`,
  'key and value': (name, value) => `<add key="${name}" value="${value}" />`,
  table: (name, value) => `| ${name} | ${value} |`,
  'fields of a log': (name, value) => `level=info user=jan ${name}=${value} ip=x`,
  update: (name, value) => `UPDATE t SET ${name}='${value}' WHERE id=1`,
  insert: (name, value) => `INSERT INTO t (id, ${name}) VALUES (1, '${value}')`,
};
const around: readonly ((line: string) => string)[] = [
  (line) => line,
  (line) => `[2024-06-01 10:11:12] production.ERROR: ${line}`,
  (line) => `app/config.php:12:${line}`,
  (line) => `+ ${line}`,
];

/** Every name in every writing and place, with each of these values; what `isWrong` finds is named by its writing. */
const linesWith = (values: readonly string[], isWrong: (line: string, value: string) => boolean): readonly string[] =>
  Object.entries(writings).flatMap(([writing, write]) =>
    names.flatMap((name) =>
      values.flatMap((value) =>
        around
          .map((place) => place(write(name, value)))
          .filter((line) => isWrong(line, value))
          .map((line) => `${writing}: ${line}`),
      ),
    ),
  );

test('a credential is masked in every writing', () => {
  const isShown = (line: string, value: string): boolean =>
    [value, encodeURIComponent(value)].some((one) => mask(line).includes(one));
  expect(linesWith(secrets, isShown)).toEqual([]);
});

test('a placeholder is not masked in any writing', () => {
  expect(linesWith(others, (line) => mask(line) !== line)).toEqual([]);
});

const verbs = ['is', 'lautet', 'ist', 'est'];
const called = ['password', 'wachtwoord', 'Passwort', 'mot de passe', 'pw'];
const ofWhich = ['', ' for the staging site', ' van de klant', ' für den Server', ' pour le site'];
test('a credential in prose is masked', () => {
  const lines = called.flatMap((name) =>
    ofWhich.flatMap((which) => verbs.map((verb) => `the ${name}${which} ${verb} Fiets-12x, see you`)),
  );
  expect(lines.filter((line) => mask(line).includes('Fiets-12x'))).toEqual([]);
});
