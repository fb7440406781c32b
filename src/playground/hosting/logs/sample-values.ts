import type { Random } from '../random.ts';

const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

const twoDigits = (number: number): string => String(number).padStart(2, '0');

/** `21/Nov/2025:08:42:11 +0000`, as web servers write a time. */
export function webTime(at: number): string {
  const time = new Date(at);
  return `${twoDigits(time.getUTCDate())}/${months[time.getUTCMonth()]}/${time.getUTCFullYear()}:${timeOfDay(time)} +0000`;
}

/** `21-Nov-2025 08:42:11 UTC`, as PHP writes a time. */
export function phpTime(at: number): string {
  const time = new Date(at);
  return `${twoDigits(time.getUTCDate())}-${months[time.getUTCMonth()]}-${time.getUTCFullYear()} ${timeOfDay(time)} UTC`;
}

/** `2025/11/21 08:42:11`, as nginx writes a time into its error log. */
export const nginxTime = (at: number): string =>
  new Date(at).toISOString().slice(0, 19).replaceAll('-', '/').replace('T', ' ');

function timeOfDay(time: Date): string {
  return `${twoDigits(time.getUTCHours())}:${twoDigits(time.getUTCMinutes())}:${twoDigits(time.getUTCSeconds())}`;
}

/** A visitor's address from the ranges reserved for documentation. A few return often, some use IPv6. */
export function visitor(random: Random): string {
  if (random.chance(0.4)) return `203.0.113.${random.integer(1, 9)}`;
  if (random.chance(0.25))
    return `2001:db8:${random.letters(4, '123456789abcdef')}::${random.letters(3, '123456789abcdef')}`;
  return `${random.pick(['192.0.2', '198.51.100'])}.${random.integer(1, 254)}`;
}

/** A path that a visitor requests. */
export function webPath(random: Random): string {
  if (random.chance(0.3)) return random.pick(['/', '/shop/', '/blog/', '/about/', '/contact/', '/cart/']);
  const id = random.integer(100, 9_999);
  return random.pick([
    `/product/${random.pick(['lamp', 'chair', 'bread-knife', 'tea-pot', 'wool-blanket'])}-${id}/`,
    `/blog/${random.integer(2019, 2025)}/${random.pick(['autumn-light', 'new-oven', 'meet-the-team', 'open-day'])}/`,
    `/wp-json/shop/v1/products/${id}`,
    `/?s=${random.pick(['lamp', 'gift+card', 'opening+hours'])}`,
    `/wp-content/uploads/2025/09/photo-${id}.jpg`,
    '/checkout/',
    '/my-account/orders/',
    '/wp-login.php',
  ]);
}

/** A visitor's user agent. */
export function userAgent(random: Random): string {
  return random.pick([
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Safari/537.36',
    'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.6 Safari/605.1.15',
    'Mozilla/5.0 (X11; Linux x86_64; rv:143.0) Gecko/20100101 Firefox/143.0',
    'ExampleBot/2.1 (+https://bot.example/about)',
  ]);
}

/** An e-mail address. */
export function mailAddress(random: Random): string {
  const name = random.pick(['maria', 'jon.berg', 'k.osei', 'lee', 'petra.w']);
  return `${name}${random.integer(1, 99)}@${random.pick(['example.com', 'post.example', 'mail.example.org'])}`;
}
