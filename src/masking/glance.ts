/** Which of many words a text holds: most texts hold none, and an expression takes longer to say so. */

const bits = 15;
const all = 2 ** bits - 1;
type Place = { readonly word: string; readonly end: number };

/**
 * Words of two characters or more, in any case. Each is looked for by three characters in a row out of its middle, of
 * which five bits are enough: they are the same for a letter and its capital.
 */
export function wordsFinder(words: readonly string[]): (text: string) => ReadonlySet<string> {
  const isWanted = new Uint8Array(2 ** bits);
  const places = new Map<number, Place[]>();
  const want = (three: number, place: Place): void => {
    isWanted[three] = 1;
    places.set(three, [...(places.get(three) ?? []), place]);
  };
  for (const word of words) {
    const middle = Math.max(0, Math.floor((word.length - 3) / 2));
    const codes = Array.from(word.slice(middle, middle + 3), (character) => character.charCodeAt(0) & 31);
    const found = codes.reduce((sum, code) => (sum << 5) | code, 0);
    if (codes.length === 3) want(found, { word, end: middle + 2 });
    // What is shorter may stand behind anything.
    else for (let before = 0; before < 32; before += 1) want((before << 10) | found, { word, end: 1 });
  }
  const heldBy = (lower: string): ReadonlySet<string> => new Set(words.filter((word) => lower.includes(word)));
  return (text) => {
    const held = new Set<string>();
    let lower: string | undefined;
    let last = 0;
    for (let at = 0; at < text.length; at += 1) {
      last = ((last << 5) | (text.charCodeAt(at) & 31)) & all;
      if (isWanted[last] === 0) continue;
      lower ??= text.toLowerCase();
      // Few letters become two when they are made small, and move what stands behind them.
      if (lower.length !== text.length) return heldBy(lower);
      for (const { word, end } of places.get(last) ?? []) if (lower.startsWith(word, at - end)) held.add(word);
    }
    return held;
  };
}
