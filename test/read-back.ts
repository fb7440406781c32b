/** The text of these lines: line breaks and marks removed, character codes decoded. */
export function readBack(lines: readonly string[]): string {
  const joined = lines.map((line, index) => (index < lines.length - 1 ? line.replace(/↩$/, '') : line)).join('');
  return joined.replace(/[^\x20-\x7E]*?⟨((?:U\+[0-9A-F]+ ?)+)⟩/gu, (_, codes: string) =>
    codes
      .split(' ')
      .map((code) => String.fromCodePoint(Number.parseInt(code.slice(2), 16)))
      .join(''),
  );
}
