import { randomFrom } from '../random.ts';
import type { Environment } from '../resources.ts';
import type { EntryContext } from './entry-context.ts';
import { mailAddress, nginxTime, phpTime, visitor, webPath } from './sample-values.ts';

const root = '/www/public/wp-content';
/** The length at which nginx cuts an entry. */
const maxLength = 2_048;

/** One entry: mostly nginx quoting PHP, some of nginx itself and of php-fpm, whose traces alone have several lines. */
export function errorEntry(moment: EntryContext): string[] {
  const { random, incident } = moment;
  if (incident && random.chance(0.8)) return random.pick([fatal, fatal, fatal, unanswered])(moment);
  return random.pick([
    phpMessages,
    phpMessages,
    phpMessages,
    phpMessages,
    phpMessages,
    phpMessages,
    phpMessages,
    truncatedMessages,
    fatal,
    nginxMessage,
    unanswered,
    pool,
  ])(moment);
}

/** PHP's messages about one request: all in one entry, and always an error to nginx. */
function phpMessages(moment: EntryContext): string[] {
  const { random } = moment;
  const messages = [
    warning,
    warning,
    warning,
    deprecated,
    deprecated,
    careless,
    careless,
    notice,
    notice,
    plugin,
    database,
  ];
  return byPhp(
    moment,
    Array.from({ length: random.pick([1, 1, 1, 2, 3]) }, () => random.pick(messages)(moment)),
  );
}

/** A page whose messages exceed the limit. */
function truncatedMessages(moment: EntryContext): string[] {
  return byPhp(
    moment,
    Array.from({ length: 20 }, () => moment.random.pick([warning, deprecated, notice])(moment)),
  );
}

function fatal(moment: EntryContext): string[] {
  const { at, random } = moment;
  const order = random.integer(10_000, 99_999);
  const cart = `${root}/plugins/quick-cart/includes/class-cart.php`;
  const what = random.pick([
    `Uncaught TypeError: Cart::total(): Argument #1 ($items) must be of type array, null given, called for order ${order}`,
    `Uncaught PDOException: SQLSTATE[HY000] [2002] Connection refused while saving order ${order}`,
    `Allowed memory size of 268435456 bytes exhausted (tried to allocate ${random.integer(20_480, 900_000)} bytes)`,
  ]);
  const lines = [
    `PHP Fatal error:  ${what} in ${cart}:${random.pick([88, 214])}`,
    'Stack trace:',
    `#0 ${cart}(${random.pick([61, 88])}): Cart->total(NULL)`,
    `#1 ${root}/plugins/quick-cart/quick-cart.php(${random.integer(20, 60)}): Cart->checkout(${order})`,
    '#2 /www/public/wp-includes/class-wp-hook.php(324): {closure}()',
    '#3 {main}',
    `  thrown in ${cart} on line 88`,
  ];
  if (random.chance(0.7)) return byPhp(moment, [lines.join('\\n')]);
  return [`[${phpTime(at)}] ${lines[0]}`, ...lines.slice(1)];
}

/** One entry about a request to `path` that failed because the cart is broken; always the same but for its visitor. */
export function fatalAt({ id, hostname }: Pick<Environment, 'id' | 'hostname'>, path: string, at: number): string {
  const what = `PHP message: PHP Fatal error:  Uncaught Error: Call to undefined function cart_totals() in ${root}/plugins/quick-cart/quick-cart.php:42`;
  const moment = { hostname, at, incident: true, random: randomFrom(`${id} fatal ${at}`) };
  const said = `FastCGI sent in stderr: "${what}" while reading response header from upstream`;
  return byNginx(moment, 'error', said, `GET ${path}`);
}

/** An entry of nginx itself. */
function nginxMessage(moment: EntryContext): string[] {
  const { random } = moment;
  const photo = `photo-${random.integer(100, 999)}.jpg`;
  const size = `${random.integer(2, 9)}${random.integer(10_000_000, 99_999_999)} bytes`;
  const excess = `${random.integer(1, 20)}.${random.integer(100, 999)}`;
  const [level, what, request] = random.pick([
    [
      'error',
      `open() "${root}/uploads/${photo}" failed (2: No such file or directory)`,
      `GET /wp-content/uploads/${photo}`,
    ],
    ['error', 'access forbidden by rule', random.pick(['GET /.env', 'GET /wp-config.php.bak', 'POST /xmlrpc.php'])],
    ['error', `limiting requests, excess: ${excess} by zone "login"`, 'POST /wp-login.php'],
    ['error', `client intended to send too large body: ${size}`, 'POST /wp-admin/async-upload.php'],
    [
      'warn',
      `a client request body is buffered to a temporary file /var/lib/nginx/body/00000${random.integer(10_000, 99_999)}`,
      'POST /wp-admin/admin-ajax.php',
    ],
  ] as const);
  return [byNginx(moment, level, what, request)];
}

/** PHP did not answer nginx, or not in time. */
function unanswered(moment: EntryContext): string[] {
  const what = moment.random.pick([
    'upstream timed out (110: Connection timed out) while reading response header from upstream',
    'connect() to unix:/var/run/php8.3-fpm.sock failed (11: Resource temporarily unavailable) while connecting to upstream',
    'recv() failed (104: Connection reset by peer) while reading response header from upstream',
  ]);
  return [byNginx(moment, 'error', what)];
}

/** An entry of php-fpm about its own processes. */
function pool({ at, random }: EntryContext): string[] {
  const time = phpTime(at).replace(' UTC', '');
  const child = random.integer(1_000, 9_999);
  return random.pick([
    [`[${time}] WARNING: [pool www] server reached pm.max_children setting (8), consider raising it`],
    [
      `[${time}] WARNING: [pool www] child ${child} exited on signal 11 (SIGSEGV) after ${random.integer(1, 900)}.20481 seconds from start`,
      `[${time}] NOTICE: [pool www] child ${child + 1} started`,
    ],
  ]);
}

const byPhp = (moment: EntryContext, messages: readonly string[]): string[] => [
  byNginx(
    moment,
    'error',
    `FastCGI sent in stderr: "${messages.map((message) => `PHP message: ${message}`).join('; ')}" while reading response header from upstream`,
  ),
];

/** An entry of nginx, with the request it is about. */
function byNginx(
  { at, hostname, random }: EntryContext,
  level: string,
  what: string,
  request = `GET ${webPath(random)}`,
): string {
  const [worker, connection] = [random.integer(89_190, 89_199), random.integer(1_000_000, 9_999_999)];
  const upstream = what.includes(' upstream') ? ', upstream: "fastcgi://unix:/var/run/php8.3-fpm.sock:"' : '';
  const about = `client: ${visitor(random)}, server: ${hostname}, request: "${request} HTTP/2.0"${upstream}, host: "${hostname}"`;
  return `${nginxTime(at)} [${level}] ${worker}#${worker}: *${connection} ${what}, ${about}`.slice(0, maxLength);
}

function warning({ random }: EntryContext): string {
  const line = random.integer(12, 400);
  const where = random.pick(['plugins/seo-lantern/seo-lantern.php', 'themes/storefront-plus/functions.php']);
  const what = random.pick([
    `Undefined array key "${random.pick(['price', 'utm_source', 'lang'])}"`,
    'Attempt to read property "ID" on null',
    `filemtime(): stat failed for ${root}/cache/page-${random.integer(100, 999)}.html`,
  ]);
  return `PHP Warning:  ${what} in ${root}/${where} on line ${line}`;
}

function deprecated(): string {
  const where = `${root}/plugins/contact-desk/contact-desk.php`;
  return `PHP Deprecated:  Creation of dynamic property Desk::$queue is deprecated in ${where} on line 31`;
}

function notice(): string {
  const why = 'Translation loading for the <code>quick-cart</code> domain was triggered too early.';
  return `PHP Notice:  Function _load_textdomain_just_in_time was called <strong>incorrectly</strong>. ${why} in /www/public/wp-includes/functions.php on line 6114`;
}

const plugin = ({ random }: EntryContext): string =>
  `quick-cart: payment ${random.letters(12)} declined for client ${visitor(random)}`;

const database = ({ random }: EntryContext): string =>
  `WordPress database error Deadlock found when trying to get lock; try restarting transaction for query UPDATE wp_options SET option_value = ${random.integer(1_000, 9_999)} WHERE option_name = 'desk_queue' made by do_action('shutdown'), Desk->flush`;

/** What careless code logs: people's addresses, and invented strings that look like secrets. */
function careless({ random }: EntryContext): string {
  return random.pick([
    `contact-desk: could not send to ${mailAddress(random)}: 550 mailbox unavailable`,
    `quick-cart: retrying with key sk_live_${random.letters(24)} after time-out`,
    `contact-desk: SMTP login failed, user=desk password=${random.letters(14)}`,
    `seo-lantern: GET https://api.lantern.example/v1 Authorization: Bearer ${random.letters(40)}`,
    `quick-cart: DSN mysql://shop:${random.letters(16)}@db.internal.example:3306/shop unreachable`,
  ]);
}
