import { isCoined, isPlace } from './randomness.ts';

/** Test runners print `PASS: …`, which is not a password. */

/** The name of a test: a file or a function. */
const isTest = (value: string): boolean =>
  /^Test[A-Z]\w{1,80}(?:\/\w+)?(?:\s|$)/.test(value) ||
  (/^(?:[\w.@-]{1,60}[/\\]){1,12}[\w.@-]{1,80}(?:\s|$)/.test(value) &&
    /test|spec|\.[a-z]{1,5}(?:\s|$)|^[a-z_-]+(?:\/[a-z_-]+)+(?:\s|$)/i.test(value));

/** Whether the text is a test result and not a password. */
export const isResult = (value: string, before: string, lead: string): boolean =>
  (/(?<![a-z_])pass: $/i.test(before) && isTest(value)) ||
  (/(?<![A-Z_])PASS: $/.test(before) &&
    !/user|login|host|name/i.test(lead) &&
    // The description of a test has several words.
    (value.split(' ').length > 2 || (!lead.includes(':') && (!isCoined(value) || isPlace(value)))));
