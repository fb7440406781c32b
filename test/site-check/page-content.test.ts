import { expect, test } from 'vitest';
import { titleIn, troubleIn } from '../../src/site-check/page-content.ts';

/** What the text of a page says. */

const whole = (text: string) => ({ text, isWhole: true });
const article = `<html><title>Errors</title><p>Error establishing a database connection</p>${'<p>text</p>'.repeat(2_000)}</html>`;

test.each([
  ['nothing', '', 'the page is empty'],
  ['blanks', ' \n\t ', 'the page is empty'],
  [
    'WordPress without a database',
    '<h1>Error establishing a database connection</h1>',
    'WordPress cannot reach its database',
  ],
  [
    'its critical error',
    '<p>There has been a critical error on this website.</p></html>',
    'WordPress reports a critical error',
  ],
  [
    'its maintenance',
    'Briefly unavailable for scheduled maintenance. Check back in a minute.',
    'WordPress is in maintenance mode',
  ],
  [
    'PHP',
    '<b>Fatal error</b>:  Uncaught Error in <b>/www/a.php</b> on line <b>3</b>',
    'the page ends in a fatal error of PHP',
  ],
  [
    'PHP in text',
    'PHP Fatal error: Allowed memory size exhausted in /www/a.php on line 3',
    'the page ends in a fatal error of PHP',
  ],
  ['nginx', '<title>502 Bad Gateway</title>', 'the page is a server error'],
  ['a server without a site', '<title>Welcome to nginx!</title>', "the page is the web server's own"],
  ['a page', '<html><title>Acme</title><p>Hello</p></html>', undefined],
  ['an article about errors', article, undefined],
  ['an article about PHP', '<p>Fatal error: memory in a.php on line 3</p></html>', undefined],
])('%s', (_, text, wanted) => {
  expect(troubleIn(whole(text))).toBe(wanted);
});

test('the beginning of a long page is not called empty or broken', () => {
  expect(troubleIn({ text: ' ', isWhole: false })).toBeUndefined();
});

test.each([
  ['<head><TITLE lang="en">Acme &amp; Friends &#8211;\n Shop</TITLE>', 'Acme & Friends – Shop'],
  ['<title>a\u202Eb\u0000c\u200B</title>', 'abc'],
  ['<title></title>', undefined],
  ['<title', undefined],
  ['no title', undefined],
  ['<title>never closed', 'never closed'],
  [`<title>${'x'.repeat(500)}</title>`, `${'x'.repeat(120)}…`],
  ['<title>&#0;&#x110000;&nosuch;</title>', '&#0;&#x110000;&nosuch;'],
])('the title of %j', (text, wanted) => {
  expect(titleIn(whole(text))).toBe(wanted);
});

test('half a megabyte of anything is read at once', () => {
  for (const piece of ['<title ', '<title>', 'Fatal error: ', 'fatal error</b>: x', '&#x1;', '<'])
    for (const read of [titleIn, troubleIn]) {
      const began = performance.now();
      read(whole(piece.repeat(Math.ceil(524_288 / piece.length))));
      expect(performance.now() - began).toBeLessThan(1_000);
    }
});
