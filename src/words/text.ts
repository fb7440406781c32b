/**
 * Text as data, before a surface draws it. Literals in a `say` template are ours and may contain `**bold**` and ``
 * `code` ``. Values in `${…}` are inert: they take the style around them, stay on one line and are never read as
 * markup.
 */
export type Span =
  | Piece
  /** A time in epoch milliseconds, drawn in the reader's time zone: a time of day, or with its date. */
  | { readonly at: number; readonly as: 'time' | 'date' }
  /** A Slack user id, drawn as a mention. */
  | { readonly person: string }
  /** The id of a Slack user group, drawn as a mention. */
  | { readonly userGroup: string }
  /** A Slack channel id, drawn as a link to it. */
  | { readonly channel: string }
  | List;
/** `typed`: the words of a command, which are drawn behind the name of the slash command. `url`: where they lead. */
type Piece = { readonly text: string; readonly style?: Style; readonly typed?: Typed; readonly url?: string };
/** `whole`: it can be run as it stands; `sample`: it shows how such a line is typed. */
type Typed = 'whole' | 'sample';
/** A list with all its items. A sentence shows the first `most` items and how many more there are. */
type List = { readonly list: readonly string[]; readonly most: number; readonly apart: string; readonly style?: Style };
/** Spans that can be drawn directly: all except a list. */
export type Drawable = Exclude<Span, List>;
type Style = 'bold' | 'code';
export type Text = readonly Span[];
/** The values for `${…}` in a `say` template. */
export type Inline = string | number | Span | Text | undefined;

/** A time, drawn in the reader's time zone. `at`: epoch milliseconds. */
export const time = (at: number, as: 'time' | 'date' = 'time'): Span => ({ at, as });
/** A mention: notifies that person when the message is posted. */
export const mention = (id: string): Span => ({ person: id });
/** A person by display name: notifies nobody. Two people can have the same name; only a mention says who it is. */
export const named = (displayName: string): Span => ({ text: `@${beginning(oneLine(displayName), maxNameLength)}` });
/** A mention: notifies everybody in the Slack user group when the message is posted for others. */
export const userGroup = (id: string): Span => ({ userGroup: id });
/** Who did something: a person as a mention, or Sitehand itself. */
export const actor = (id: string): Span => (id === 'sitehand' ? { text: 'Sitehand' } : mention(id));
/** Somebody, and the program through which they asked. */
export const through = (caller: string | null | undefined, who: Text | Span): Text =>
  caller ? say`${code(caller)} for ${who}` : [who].flat();
export const channel = (id: string): Span => ({ channel: id });
export const bold = (text: string): Span => ({ text: oneLine(text), style: 'bold' });
export const code = (text: string): Span => ({ text: oneLine(text), style: 'code' });
/** A command that the reader can type, without the slash command: `changes`. It is drawn as `/site changes`. */
export const typed = (line: string): Span => ({ text: oneLine(line), style: 'code', typed: 'whole' });
/** As `typed`, for a line that only shows how it is done: `push <from> <onto>`. */
export const sample = (line: string): Span => ({ text: oneLine(line), style: 'code', typed: 'sample' });

/** Words that lead to an address; whoever makes one vouches for it. An older version draws the words alone. */
export const link = (text: string, url: string): Span => (text === '' ? { text } : { text: oneLine(text), url });

/** The slash command of this process, which has one Slack app. It is not stored with texts. */
let slashCommand = '/site';
/** Sets the name under which typed commands are drawn: `/site`. */
export function nameSlashCommand(name: string): void {
  slashCommand = name;
}
const asTyped = (span: Drawable): Drawable =>
  'text' in span && span.typed ? { text: `${slashCommand} ${span.text}`.trim(), style: 'code' } : span;

/** The commands in a text that can be run as they stand. */
export const typedIn = (text: Text): readonly string[] =>
  text.flatMap((span) => ('text' in span && span.typed === 'whole' ? [span.text] : []));

/**
 * Invisible characters, and characters that change the order of text: with them, a text can look like another text.
 * Joiners inside an emoji, tabs and line breaks don't count.
 */
export const unseen =
  /[[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\uFFF9-\uFFFB\u2800]--[\uFE0F\t\n\r\u200D]]|(?<!\p{Extended_Pictographic})\uFE0F|(?<![\p{Extended_Pictographic}\p{Emoji_Modifier}]\uFE0F?)\u200D/v;

/** A character's code: `U+200B`. */
export const codeOf = (character: string): string =>
  `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;

/** Slack allows 80 characters. */
const maxNameLength = 80;

/** One line only, so that an interpolated value can't imitate a line of ours. */
const oneLine = (text: string): string => text.replace(/\s*[\n\r\u2028\u2029]\s*/g, ' ');

/** Items as one span. A card shows the first `most` and counts the rest; `itemsOf` returns all. */
export const list = (items: readonly string[], most: number, style?: Style, apart = ', '): Span => ({
  list: items,
  most,
  apart,
  ...(style && { style }),
});

/** At most `limit` characters, followed by the number of further characters in brackets. */
export function clipped(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const kept = beginning(text, limit);
  return `${kept}… (${amount(text.length - kept.length)} more characters)`;
}

/** The first `limit` characters, without half a surrogate pair or half a character's code at the end. */
export const beginning = (text: string, limit: number): string =>
  text.length <= limit ? text : text.slice(0, limit).replace(/[\uD800-\uDBFF]$|⟨[^⟩]{0,9}$/u, '');

/** A number with thousands separators: `18,240`. */
export const amount = (number: number): string => number.toLocaleString('en-US');

/** Bytes in the largest fitting unit, with one decimal below ten: `1.2 GB`, `340 kB`. */
export function bytes(count: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB'];
  const at = Math.min(units.length - 1, Math.floor(Math.log10(Math.max(1, count)) / 3));
  const value = count / 1_000 ** at;
  return `${at > 0 && value < 9.95 ? value.toFixed(1) : Math.round(value)} ${units[at]}`;
}

/** The text as it is drawn: each list cut to its first items and the number of further items, typed commands whole. */
export const inShort = (text: Text): readonly Drawable[] =>
  merged(text.flatMap((span) => ('list' in span ? firstOf(span) : [asTyped(span)])));

/** The fewer items are shown, the more room each has. */
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

/** How much a text hides of its lists: whole items, and characters of shown items. */
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
      ...inline(values[index]).map((span) =>
        style && ('text' in span || 'list' in span) && !span.style ? { ...span, style } : span,
      ),
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

/** Joins texts with a separator, which may be a line break. Skips empty texts. */
export function joined(texts: readonly Inline[], separator = ' '): Text {
  const present = texts.map(inline).filter((text) => text.length > 0);
  return merged(present.flatMap((text, index) => (index === 0 ? text : [{ text: separator }, ...text])));
}

/** Alternatives: `a`, `a or b`, `a, b or c`; with `and`, all of them. Skips empty texts. */
export function either(texts: readonly Inline[], last: 'or' | 'and' = 'or'): Text {
  const present = texts.map(inline).filter((text) => text.length > 0);
  return joined([joined(present.slice(0, -1), ', '), present.at(-1)], ` ${last} `);
}

/** The text without what it quotes: two reasons that differ only in somebody's words are alike. */
export const withoutQuotes = (text: Text): string => plain(text).replace(/“[^”]*”/g, '');

/** The text as a plain string, for logs, notifications and the audit trail. Times are in UTC. */
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

/** Whether nothing but their words and style is in them. */
const isAlike = (...pieces: readonly Piece[]): boolean => pieces.every(({ typed: line, url }) => !line && !url);

function styled(text: string, style: Style | undefined): Piece {
  return style ? { text, style } : { text };
}

function merged<S extends Span>(spans: readonly (S | Piece)[]): readonly (S | Piece)[] {
  const out: (S | Piece)[] = [];
  for (const span of spans) {
    const last = out.at(-1);
    if (last && 'text' in last && 'text' in span && last.style === span.style && isAlike(last, span)) {
      out[out.length - 1] = styled(last.text + span.text, span.style);
    } else out.push(span);
  }
  return out;
}
