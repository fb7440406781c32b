import { LIMITS } from './limits.ts';
import { type Shape, type Shapes, flag, list, object, only, pattern, string, typed, whole, word } from './schema.ts';
import { url } from './composition.ts';

const ITEMS = 1000;
const type = string(LIMITS.id);
const looks = object(
  {},
  {
    bold: flag,
    italic: flag,
    strike: flag,
    code: flag,
    underline: flag,
    highlight: flag,
    client_highlight: flag,
    unlink: flag,
  },
);
const styled: Shapes = { style: looks };

const inline: Shapes = {
  text: object({ type, text: string(LIMITS.messageCharacters, 1) }, styled),
  link: object({ type, url }, { ...styled, text: string(LIMITS.sectionText), unsafe: flag }),
  user: object({ type, user_id: pattern('a member id', /^[UW][A-Z0-9]+$/) }, styled),
  usergroup: object({ type, usergroup_id: pattern('a group id', /^S[A-Z0-9]+$/) }, styled),
  channel: object({ type, channel_id: pattern('a channel id', /^[CGD][A-Z0-9]+$/) }, styled),
  emoji: object({ type, name: string(100, 1) }, { ...styled, unicode: string(100), skin_tone: whole(1, 6), url }),
  broadcast: object({ type, range: word('here', 'channel', 'everyone') }, styled),
  color: object({ type, value: pattern('a colour', /^#[0-9a-f]{6}$/i) }, styled),
  date: object(
    { type, timestamp: whole(0, 99_999_999_999), format: string(300, 1) },
    { ...styled, url, fallback: string(300) },
  ),
};

const words = list(typed(inline), ITEMS, 0);
const border = whole(0, 1);
const section = object({ type, elements: words });

const parts: Shapes = {
  rich_text_section: section,
  rich_text_quote: object({ type, elements: words }, { border }),
  rich_text_preformatted: object(
    { type, elements: list(typed(only(inline, ['text', 'link'])), ITEMS, 0) },
    { border, language: string(50) },
  ),
  rich_text_list: object(
    { type, style: word('bullet', 'ordered'), elements: list(typed({ rich_text_section: section }), ITEMS, 0) },
    { indent: whole(0, LIMITS.richTextIndent), offset: whole(0, 10_000), border },
  ),
};

/** The parts of a `rich_text` block. */
export const richTextParts: Shape = list(typed(parts), ITEMS);
