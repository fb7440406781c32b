/**
 * Compiles expressions with groups such as `(?-i:…)`, in which case matters. V8 13.6 miscompiles these groups in
 * expressions that it does not optimise, and it stops optimising in a process that has compiled many expressions (`node
 * --no-regexp-optimization` shows the bug). So these groups are never compiled: letters outside of them are written in
 * both cases instead.
 */

const part =
  /\\(?:p\{[^}]*\}|k<\w+>|x[\da-f]{2}|u[\da-f]{4}|[^])|\[(?:\\[^]|[^\]\\])*\]|\(\?-i:|\((?:\?(?:<\w+>|<?[=!]|:))?|\)|\p{L}/giu;
const partOfClass = /\\(?:p\{[^}]*\}|x[\da-f]{2}|u[\da-f]{4}|[^])|(?:\p{L}-)?\p{L}/giu;

/** A letter or a range of letters in both cases, if the other case has the same length. */
function both(letters: string): string {
  const [small, large] = [letters.toLowerCase(), letters.toUpperCase()];
  return small === large || small.length !== large.length ? letters : small + large;
}

function spelt(source: string): string {
  const isKept = [false];
  return source.replaceAll(part, (one) => {
    const here = isKept.at(-1) ?? false;
    if (one === ')') isKept.pop();
    else if (one.startsWith('(')) isKept.push(here || one === '(?-i:');
    if (one === '(?-i:') return '(?:';
    if (here || /^[\\()]/.test(one)) return one;
    return one.startsWith('[')
      ? one.replaceAll(partOfClass, (each) => (each.startsWith('\\') ? each : both(each)))
      : both(one).replace(/^..+$/, '[$&]');
  });
}

/** An expression with the flag `i`, rewritten so that it has no case-sensitive groups. */
export const casedOf = (source: string, flags: string): RegExp =>
  source.includes('(?-i:') ? new RegExp(spelt(source), flags.replace('i', '')) : new RegExp(source, flags);
