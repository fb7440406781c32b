import type { Fields } from '../json-fields.ts';
import { id, plain, text, textKinds, url } from './composition.ts';
import { ELEMENTS, PLACES } from './elements.ts';
import { LIMITS } from './limits.ts';
import { richTextParts } from './rich-text.ts';
import {
  type ReportProblem,
  type Shape,
  type Shapes,
  anything,
  flag,
  list,
  object,
  only,
  orNull,
  string,
  typed,
  whole,
  word,
} from './schema.ts';

const type = string(LIMITS.id);

const block = (
  required: Shapes,
  optional: Shapes = {},
  and?: (value: Fields, pointer: string, report: ReportProblem) => void,
): Shape => object({ type, ...required }, { block_id: id, ...optional }, and);

const needsOneOf =
  (...fields: readonly string[]) =>
  (value: Fields, pointer: string, report: ReportProblem): void => {
    if (fields.every((field) => value[field] === undefined))
      report(pointer, `missing required field: ${fields.join(' or ')}`);
  };

const picture: Shapes = { image_url: url, slack_file: anything };
const imageElement = object(
  { type, alt_text: string(LIMITS.alternativeText) },
  { ...picture, image_width: whole(1, 100_000), image_height: whole(1, 100_000), image_bytes: whole(0, 1e9) },
  needsOneOf('image_url', 'slack_file'),
);
const elements = (place: keyof typeof PLACES): Shapes => only(ELEMENTS, PLACES[place]);
const richText = block({ elements: richTextParts });

const cell = typed({
  rich_text: richText,
  raw_text: object({ type, text: string(LIMITS.sectionText) }),
  raw_number: object({ type, value: anything }, { text: string(LIMITS.sectionText) }),
});
const rows = list(list(cell, LIMITS.tableCells), LIMITS.tableRows);
const column = object({}, { align: word('left', 'center', 'right'), is_wrapped: flag });

const card = block(
  {},
  {
    hero_image: imageElement,
    icon: imageElement,
    title: text(LIMITS.cardTitle),
    subtitle: text(LIMITS.cardTitle),
    body: text(LIMITS.cardBody),
    actions: list(typed(only(ELEMENTS, ['button'])), LIMITS.actionElements),
  },
  needsOneOf('hero_image', 'title', 'actions', 'body'),
);

const lists: Shapes = {
  context: block({
    elements: list(typed({ ...textKinds(LIMITS.contextText), image: imageElement }), LIMITS.contextElements),
  }),
  actions: block({ elements: list(typed(elements('actions')), LIMITS.actionElements) }),
  context_actions: block({ elements: list(typed(elements('context_actions')), 5) }),
};

const simple: Shapes = {
  divider: block({}),
  header: block({ text: plain(LIMITS.headerText) }, { level: whole(1, 4) }),
  section: block(
    {},
    {
      text: text(LIMITS.sectionText),
      fields: list(text(LIMITS.sectionField), LIMITS.sectionFields),
      accessory: typed({ ...elements('accessory'), image: imageElement }),
      expand: flag,
    },
    needsOneOf('text', 'fields'),
  ),
  image: block(
    { alt_text: string(LIMITS.alternativeText) },
    { ...picture, title: plain(LIMITS.imageTitle) },
    needsOneOf('image_url', 'slack_file'),
  ),
  input: block(
    { label: plain(LIMITS.inputLabel), element: typed(elements('input')) },
    { hint: plain(LIMITS.inputHint), optional: flag, dispatch_action: flag },
  ),
  rich_text: richText,
};

const video = block(
  { title: plain(200), title_url: url, video_url: url, thumbnail_url: url, alt_text: string(LIMITS.alternativeText) },
  { description: plain(200), author_name: string(50), provider_name: string(200), provider_icon_url: url },
);

const container = block(
  { child_blocks: list(typed({ ...simple, ...lists, video }), LIMITS.containerBlocks) },
  {
    title: plain(LIMITS.cardTitle),
    rich_text_title: richText,
    subtitle: text(LIMITS.cardTitle),
    width: word('narrow', 'standard', 'wide', 'full'),
    icon: imageElement,
    is_collapsible: flag,
    default_collapsed: flag,
    has_header_divider: flag,
  },
  needsOneOf('title', 'rich_text_title'),
);

const taskFields: Shapes = { details: richText, output: richText, sources: list(anything, 100) };

/** Every block by type: required and optional fields with their limits. */
export const BLOCKS: Shapes = {
  ...simple,
  ...lists,
  video,
  container,
  card,
  carousel: block({ elements: list(typed({ card }), LIMITS.carouselCards) }),
  alert: block({ text: text(LIMITS.alertText) }, { level: word('default', 'info', 'warning', 'error', 'success') }),
  markdown: block({ text: string(LIMITS.markdown, 1) }),
  table: block({ rows }, { column_settings: list(orNull(column), LIMITS.tableCells, 0) }),
  data_table: block(
    { rows, caption: string(LIMITS.sectionText, 1) },
    { page_size: whole(1, 100), row_header_column_index: whole(0, 19) },
  ),
  // Its fields are not published as types, so its content is not checked.
  data_visualization: anything,
  task_card: block(
    { task_id: id, title: string(LIMITS.sectionText, 1), status: word('pending', 'in_progress', 'complete', 'error') },
    taskFields,
  ),
  plan: block({ title: string(LIMITS.sectionText, 1) }, { tasks: list(anything, 50, 0) }),
};
