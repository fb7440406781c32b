/** Checks of addresses in the settings. */

/** The spelling of `URL`: `[::ffff:127.0.0.1]` becomes `[::ffff:7f00:1]`. */
const onThisMachine = /^((.*\.)?localhost\.?|127(\.\d+){3}|\[::1\]|\[::ffff:7f[\da-f]{2}:[\da-f]{1,4}\])$/;

/** Whether it leads to this machine; false if it is not an address. */
export const isHere = (url: string): boolean => onThisMachine.test(URL.parse(url)?.hostname ?? '');

/** Whether this is an address to send to. Unlike a base address, it may have a query, which often has a token. */
export function isWebhook(text: string): boolean {
  const { protocol = '', username = '', password = '', hash = '' } = URL.parse(text) ?? {};
  return /^https?:$/.test(protocol) && username + password === '' && hash === '' && !/\s/.test(text);
}

/** Whether the audit trail can be sent there. */
export const isAuditOut = (text: string): boolean => text === 'stdout' || /^file:./.test(text) || isWebhook(text);
