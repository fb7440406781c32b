/**
 * Text as data: what Sitehand says, before a surface draws it.
 *
 * Literals in a `say` template are ours and may carry `**bold**` and `` `code` ``; everything put into `${…}` is
 * inert: it takes the style around it, stays on its line, and is never read as markup, whoever wrote it.
 */
export type Span =
  | { readonly text: string; readonly style?: Style }
  /** A moment in epoch milliseconds, drawn in the reader's own time zone: a time of day, or with its date. */
  | { readonly at: number; readonly as: 'time' | 'date' }
  /** A Slack user id, drawn as a mention. */
  | { readonly person: string }
  /** A Slack channel id, drawn as a link to it. */
  | { readonly channel: string };
export type Style = 'bold' | 'code';
export type Text = readonly Span[];
/** What may stand in a `say` template's `${…}`. */
export type Inline = string | number | Span | Text | undefined;

/** A moment, drawn in the reader's own zone. `at` is epoch milliseconds. */
export const time = (at: number, as: 'time' | 'date' = 'time'): Span => ({ at, as });
/** A mention: it notifies that person when the message is posted. */
export const person = (id: string): Span => ({ person: id });
/** Who did something: a person as a mention, or Sitehand itself. */
export const actor = (id: string): Span => (id === 'sitehand' ? { text: 'Sitehand' } : person(id));
export const channel = (id: string): Span => ({ channel: id });
export const bold = (text: string): Span => ({ text: oneLine(text), style: 'bold' });
export const code = (text: string): Span => ({ text: oneLine(text), style: 'code' });

/**
 * A character that cannot be seen, or that turns the order of what is seen: a text with one in it is not what it looks
 * like. What holds an emoji together is part of it; tabs and line breaks can be seen.
 */
export const unseen =
  /[[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]--[\uFE0F\t\n\r\u200D]]|(?<!\p{Extended_Pictographic})\uFE0F|(?<![\p{Extended_Pictographic}\p{Emoji_Modifier}]\uFE0F?)\u200D/v;

/** A character by its number: `U+200B`. */
export const codeOf = (character: string): string =>
  `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;

/** Whatever was put into a sentence cannot begin a line of its own, and so look like one of ours. */
const oneLine = (text: string): string => text.replace(/\s*[\n\r\u2028\u2029]\s*/g, ' ');

/** Builds a Text from a template: literal markup is read, interpolated values are not. */
export function say(literals: TemplateStringsArray, ...values: readonly Inline[]): Text {
  const spans: Span[] = [];
  let style: Style | undefined;
  literals.forEach((literal, index) => {
    for (const piece of literal.split(/(\*\*|`)/)) {
      const mark = piece === '**' ? 'bold' : piece === '`' ? 'code' : undefined;
      if (mark !== undefined) style = style === mark ? undefined : mark;
      else if (piece !== '') spans.push(styled(piece, style));
    }
    spans.push(
      ...inline(values[index]).map((span) => ('text' in span && !span.style ? styled(span.text, style) : span)),
    );
  });
  return merged(spans);
}

/** A string, Text, span or number as Text; a string is one line. */
export function inline(value: Inline): Text {
  if (value === undefined || value === '') return [];
  if (typeof value === 'string' || typeof value === 'number') return [{ text: oneLine(String(value)) }];
  return 'length' in value ? value : [value];
}

/** Several texts with a separator between them, which may break the line; empty ones are left out. */
export function joined(texts: readonly Inline[], separator = ' '): Text {
  const present = texts.map(inline).filter((text) => text.length > 0);
  return merged(present.flatMap((text, index) => (index === 0 ? text : [{ text: separator }, ...text])));
}

/** The text without any drawing: for logs, notifications and the audit trail. Times are UTC. */
export function plain(text: Text): string {
  return text
    .map((span) => {
      if ('text' in span) return span.text;
      if ('person' in span) return `@${span.person}`;
      if ('channel' in span) return `#${span.channel}`;
      return `${new Date(span.at)
        .toISOString()
        .slice(span.as === 'time' ? 11 : 0, 16)
        .replace('T', ' ')} UTC`;
    })
    .join('');
}

function styled(text: string, style: Style | undefined): Span {
  return style ? { text, style } : { text };
}

function merged(spans: readonly Span[]): Text {
  const out: Span[] = [];
  for (const span of spans) {
    const last = out.at(-1);
    if (last && 'text' in last && 'text' in span && last.style === span.style) {
      out[out.length - 1] = styled(last.text + span.text, span.style);
    } else out.push(span);
  }
  return out;
}
