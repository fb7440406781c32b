/**
 * Text as data: what Sitehand says, before a surface draws it.
 *
 * Literals in a `say` template are ours and may carry `**bold**` and `` `code` ``; everything put into `${…}` is
 * inert: it takes the style around it, stays on its line, and is never read as markup, whoever wrote it.
 */
export type Span =
  | Piece
  /** A moment in epoch milliseconds, drawn in the reader's own time zone: a time of day, or with its date. */
  | { readonly at: number; readonly as: 'time' | 'date' }
  /** A Slack user id, drawn as a mention. */
  | { readonly person: string }
  /** The id of a Slack user group, drawn as a mention. */
  | { readonly userGroup: string }
  /** A Slack channel id, drawn as a link to it. */
  | { readonly channel: string }
  | List;
type Piece = { readonly text: string; readonly style?: Style };
/** A list of which a sentence shows the first `most` items and how many more there are; it holds every one of them. */
type List = { readonly list: readonly string[]; readonly most: number; readonly apart: string; readonly style?: Style };
/** What can be drawn as it is: everything but a list. */
export type Drawable = Exclude<Span, List>;
export type Style = 'bold' | 'code';
export type Text = readonly Span[];
/** What may stand in a `say` template's `${…}`. */
export type Inline = string | number | Span | Text | undefined;

/** A moment, drawn in the reader's own zone. `at` is epoch milliseconds. */
export const time = (at: number, as: 'time' | 'date' = 'time'): Span => ({ at, as });
/** A mention: it notifies that person when the message is posted. */
export const person = (id: string): Span => ({ person: id });
/** A mention: it notifies everybody in the Slack user group when the message is posted to others. */
export const userGroup = (id: string): Span => ({ userGroup: id });
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
  /[[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\uFFF9-\uFFFB\u2800]--[\uFE0F\t\n\r\u200D]]|(?<!\p{Extended_Pictographic})\uFE0F|(?<![\p{Extended_Pictographic}\p{Emoji_Modifier}]\uFE0F?)\u200D/v;

/** A character by its number: `U+200B`. */
export const codeOf = (character: string): string =>
  `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;

/** Whatever was put into a sentence cannot begin a line of its own, and so look like one of ours. */
const oneLine = (text: string): string => text.replace(/\s*[\n\r\u2028\u2029]\s*/g, ' ');

/** Items as one span: a card shows the first `most` and counts the rest, `itemsOf` has all of them. */
export const list = (items: readonly string[], most: number, style?: Style, apart = ', '): Span => ({
  list: items,
  most,
  apart,
  ...(style && { style }),
});

/** At most so many characters and, in brackets, how many more there are. */
export function clipped(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const kept = beginning(text, limit);
  return `${kept}… (${amount(text.length - kept.length)} more characters)`;
}

/** The first so many characters; half of a pair, or of a character's code, is left out at the end. */
export const beginning = (text: string, limit: number): string =>
  text.length <= limit ? text : text.slice(0, limit).replace(/[\uD800-\uDBFF]$|⟨[^⟩]{0,9}$/u, '');

export const amount = (number: number): string => number.toLocaleString('en-US');

/** The text with each of its lists cut to its first items and the number of the others. */
export const inShort = (text: Text): readonly Drawable[] =>
  merged(text.flatMap((span) => ('list' in span ? firstOf(span) : [span])));

/** The fewer items are shown, the more of each. */
const roomFor = ({ list: items, most }: List): number =>
  Math.max(80, Math.floor(1_200 / Math.max(1, Math.min(most, items.length))));

function firstOf(all: List): readonly Drawable[] {
  const { list: items, most, apart, style } = all;
  const shown = items.slice(0, most).flatMap((item, index) => {
    const drawn = styled(oneLine(clipped(item, roomFor(all))), style);
    return index === 0 ? [drawn] : [{ text: apart }, drawn];
  });
  const left = items.length - most;
  return left > 0 ? [...shown, { text: `${apart === ', ' ? ' ' : apart}and ${amount(left)} more` }] : shown;
}

/** Every item of the lists in a text. */
export const itemsOf = (text: Text): readonly string[] => text.flatMap((span) => ('list' in span ? span.list : []));

/** How much of its lists a text does not show: items, and characters of those that it shows. */
export function hiddenIn(text: Text): { readonly items: number; readonly characters: number } {
  const lists = text.flatMap((span) => ('list' in span ? [span] : []));
  return {
    items: sum(lists.map(({ list: items, most }) => Math.max(0, items.length - most))),
    characters: sum(
      lists.flatMap((all) => all.list.slice(0, all.most).map((item) => Math.max(0, item.length - roomFor(all)))),
    ),
  };
}

const sum = (numbers: readonly number[]): number => numbers.reduce((all, one) => all + one, 0);

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
  return inShort(text)
    .map((span) => {
      if ('text' in span) return span.text;
      if ('person' in span) return `@${span.person}`;
      if ('userGroup' in span) return `@${span.userGroup}`;
      if ('channel' in span) return `#${span.channel}`;
      return `${new Date(span.at)
        .toISOString()
        .slice(span.as === 'time' ? 11 : 0, 16)
        .replace('T', ' ')} UTC`;
    })
    .join('');
}

function styled(text: string, style: Style | undefined): Piece {
  return style ? { text, style } : { text };
}

function merged<S extends Span>(spans: readonly (S | Piece)[]): readonly (S | Piece)[] {
  const out: (S | Piece)[] = [];
  for (const span of spans) {
    const last = out.at(-1);
    if (last && 'text' in last && 'text' in span && last.style === span.style) {
      out[out.length - 1] = styled(last.text + span.text, span.style);
    } else out.push(span);
  }
  return out;
}
