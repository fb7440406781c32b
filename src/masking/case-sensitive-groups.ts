/**
 * Groups such as `(?-i:…)`, in which case matters. V8 13.6 miscompiles them in expressions that it does not optimise, and
 * it stops optimising in a process that has compiled much: `node --no-regexp-optimization` shows it. So none is compiled.
 * Letters outside of them are written in both cases instead.
 */

const part =
  /\\(?:p\{[^}]*\}|k<\w+>|x[\da-f]{2}|u[\da-f]{4}|[^])|\[(?:\\[^]|[^\]\\])*\]|\(\?-i:|\((?:\?(?:<\w+>|<?[=!]|:))?|\)|\p{L}/giu;
const partOfClass = /\\(?:p\{[^}]*\}|x[\da-f]{2}|u[\da-f]{4}|[^])|(?:\p{L}-)?\p{L}/giu;

/** A letter or a range of them, in both cases if it has two of the same length. */
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

/** The expression with `i` among its flags, without groups in which case matters. */
export const casedOf = (source: string, flags: string): RegExp =>
  source.includes('(?-i:') ? new RegExp(spelt(source), flags.replace('i', '')) : new RegExp(source, flags);
