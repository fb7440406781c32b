/** How many characters are compared. */
const compared = 300;
const alias = /\bclient-[\da-f]{4,}/g;
const digit = /\d/g;
const digits = /\d+/g;
const hex = /^[\da-f]{4,}$/i;
const uuid = /[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}/iy;
const uuidLength = 36;
/** Offsets of a UUID's parts. A digit may first occur in any part, so the UUID may start this far before it. */
const partsOfUuid = [0, 9, 14, 19, 24];
/** A word of at least this length with a digit in it is an id. */
const idLength = 8;

/**
 * The text that an entry shares with others of its kind: numbers, ids, times and visitors become `*`. It jumps from
 * digit to digit because every log line goes through here.
 */
export function normalized(body: string): string {
  const start = body.length > compared ? body.slice(0, compared) : body;
  const text = start.includes('client-') ? start.replace(alias, '*') : start;
  let folded = '';
  let copied = 0;
  digit.lastIndex = 0;
  while (digit.test(text)) {
    let [from, end] = [digit.lastIndex - 1, digit.lastIndex];
    while (from > copied && isWord(text.charCodeAt(from - 1))) from -= 1;
    while (end < text.length && isWord(text.charCodeAt(end))) end += 1;
    const whole = uuidAround(text, from, end, copied);
    if (whole !== undefined) [from, end] = [whole, whole + uuidLength];
    const word = foldWord(text.slice(from, end));
    // `1,234.56` and `13:48:00` are one number.
    const goesOn = from === copied + 1 && word === '*' && folded.endsWith('*') && '.,:'.includes(text.charAt(copied));
    if (!goesOn) folded += text.slice(copied, from) + word;
    copied = end;
    digit.lastIndex = copied;
  }
  return copied === 0 ? text : folded + text.slice(copied);
}

function foldWord(word: string): string {
  if (word.length === 1 || word.length >= idLength || hex.test(word)) return '*';
  return word.replace(digits, '*');
}

/** An ASCII letter, a digit or an underscore. */
const isWord = (code: number): boolean =>
  (code >= 97 && code <= 122) || (code >= 48 && code <= 57) || (code >= 65 && code <= 90) || code === 95;

/** The start of the UUID that contains this word; undefined if there is none. */
function uuidAround(text: string, from: number, end: number, least: number): number | undefined {
  const length = end - from;
  if ((length !== 4 && length !== 8 && length !== 12) || (text[from - 1] !== '-' && text[end] !== '-'))
    return undefined;
  return partsOfUuid
    .map((part) => from - part)
    .find((start) => {
      uuid.lastIndex = start;
      return start >= least && uuid.test(text);
    });
}
