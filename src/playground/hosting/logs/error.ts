import type { Moment } from './moment.ts';
import { mailAddress, phpTime, visitor } from './words.ts';

const root = '/www/public/wp-content';

/** One message of PHP or of the site's own code; fatal ones bring a stack trace of several lines. */
export function errorEntry(moment: Moment): string[] {
  const { random, incident } = moment;
  if (incident && random.chance(0.8)) return fatal(moment);
  return random.pick([warning, warning, deprecated, careless, careless, notice, fatal])(moment);
}

function fatal({ at, random }: Moment): string[] {
  const order = random.integer(10_000, 99_999);
  const cart = `${root}/plugins/quick-cart/includes/class-cart.php`;
  const what = random.pick([
    `Uncaught TypeError: Cart::total(): Argument #1 ($items) must be of type array, null given, called for order ${order}`,
    `Uncaught PDOException: SQLSTATE[HY000] [2002] Connection refused while saving order ${order}`,
    `Allowed memory size of 268435456 bytes exhausted (tried to allocate ${random.integer(20_480, 900_000)} bytes)`,
  ]);
  return [
    `[${phpTime(at)}] PHP Fatal error:  ${what} in ${cart}:${random.pick([88, 214])}`,
    'Stack trace:',
    `#0 ${cart}(${random.pick([61, 88])}): Cart->total(NULL)`,
    `#1 ${root}/plugins/quick-cart/quick-cart.php(${random.integer(20, 60)}): Cart->checkout(${order})`,
    '#2 /www/public/wp-includes/class-wp-hook.php(324): {closure}()',
    '#3 {main}',
    `  thrown in ${cart} on line 88`,
  ];
}

function warning({ at, random }: Moment): string[] {
  const line = random.integer(12, 400);
  const where = random.pick(['plugins/seo-lantern/seo-lantern.php', 'themes/storefront-plus/functions.php']);
  const what = random.pick([
    `Undefined array key "${random.pick(['price', 'utm_source', 'lang'])}"`,
    'Attempt to read property "ID" on null',
    `filemtime(): stat failed for ${root}/cache/page-${random.integer(100, 999)}.html`,
  ]);
  return [`[${phpTime(at)}] PHP Warning:  ${what} in ${root}/${where} on line ${line}`];
}

function deprecated({ at }: Moment): string[] {
  const where = `${root}/plugins/contact-desk/contact-desk.php`;
  return [
    `[${phpTime(at)}] PHP Deprecated:  Creation of dynamic property Desk::$queue is deprecated in ${where} on line 31`,
  ];
}

function notice({ at, random }: Moment): string[] {
  return [`[${phpTime(at)}] quick-cart: payment ${random.letters(12)} declined for client ${visitor(random)}`];
}

/** What careless code writes into logs: addresses of people, and things that look like secrets (made up here). */
function careless({ at, random }: Moment): string[] {
  const what = random.pick([
    `contact-desk: could not send to ${mailAddress(random)}: 550 mailbox unavailable`,
    `quick-cart: retrying with key sk_live_${random.letters(24)} after time-out`,
    `contact-desk: SMTP login failed, user=desk password=${random.letters(14)}`,
    `seo-lantern: GET https://api.lantern.example/v1 Authorization: Bearer ${random.letters(40)}`,
    `quick-cart: DSN mysql://shop:${random.letters(16)}@db.internal.example:3306/shop unreachable`,
  ]);
  return [`[${phpTime(at)}] ${what}`];
}
