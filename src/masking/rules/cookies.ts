import type { Groups, MaskingRule } from '../rule.ts';
import { nameEnd, quote } from '../syntax.ts';
import { isTelling } from '../credential-names.ts';

/** Cookies. Most of them act as a login; some only store a preference. */

const attribute = /^(?:path|expires|max-age|domain|samesite|version|priority)$/i;
/** Cookies with no secret in them: languages, consents, carts, statistics. */
const harmless =
  /^(?:wordpress_test_cookie|wp-settings-(?:time-)?\d+|(?:pll|wp|icl|trp|wp-wpml_current)_?(?:lang(?:uage)?|current_language)|woocommerce_(?:items_in_cart|cart_hash|recently_viewed)|[\w-]*(?:consent|gdpr|cookie[_-]?(?:yes|notice|law|policy|control|bar|banner)|notice_accepted)[\w-]*|borlabs-cookie|cmplz_\w+|cookielawinfo-[\w-]+|viewed_cookie_policy|_ga\w*|_gid|_gat\w*|_gcl_\w+|_fb[cp]|_hj\w+|_pk_[\w.]+|__utm\w|lang(?:uage)?|locale|theme|currency|timezone|tz|country|tk_\w+|sbjs_\w+|_lscache_vary|device|screen)$/i;
const isPlain = (value: string): boolean => /^(?:\d{1,10}|[a-z]{0,12}|[a-z]{2}[_-][A-Z]{2})$/.test(value);
/** An empty value, which tells the browser to delete the cookie. */
const isEmptied = (value: string): boolean => /^(?:%20|\+|deleted|""| )?$/.test(value);

const crumb = /(?<name>[^\s;=]{1,128})=(?<value>[^;]*)/g;
/** At the end of a JSON or nginx line, a quotation mark belongs to the surrounding text. */
function shown(match: string, { before = '' }: Groups): string {
  const left = match.slice(before.length).replace(crumb, (found: string, name: string, value: string) => {
    return isKnown(name, value) ? found : `${name}=***`;
  });
  return before + left;
}

const pair = '[^\\s;"\'\\\\,=]{1,128}';
const isKnown = (name: string, value: string): boolean =>
  isEmptied(value) || attribute.test(name) || harmless.test(name) || (isPlain(value) && !isTelling(name));

/** A line of a cookie file, in the format of curl and wget. */
export const jar: MaskingRule = {
  hint: 'true\t|false\t|true\\\\t|false\\\\t|true |false ',
  shape:
    /(?<before>(?:TRUE|FALSE)(?:[\t ]{1,8}|\\t)\/[^\s\\]{0,200}(?:[\t ]{1,8}|\\t)(?:TRUE|FALSE)(?:[\t ]{1,8}|\\t)\d{1,12}(?:[\t ]{1,8}|\\t)(?<name>[\w.%-]{1,128})(?:[\t ]{1,8}|\\t))(?<value>[^\s"\\]{1,2000})/g,
  shown: (match, { before = '', name = '', value = '' }) => (isKnown(name, value) ? match : `${before}***`),
};

export const cookies: MaskingRule = {
  hint: 'cookie',
  shape: new RegExp(
    `(?<before>cookies?${nameEnd}[ \\t]{0,8}(?:=>|[:=]|%3[AD])[ \\t[]{0,8}(?:${quote})?)${pair}=[^\\s;"'\\\\,]*(?:;[ \\t]{0,2}${pair}(?:=(?:(?<=expires=)[a-z]{3,9}, [\\w: -]{1,30}|[^\\s;"'\\\\,]*))?)*`,
    'gi',
  ),
  shown,
};
