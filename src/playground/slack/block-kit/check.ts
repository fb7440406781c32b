import { type Fields, fieldsOf, objectsOf, textOf } from '../json-fields.ts';
import { BLOCKS } from './blocks.ts';
import { id, plain } from './composition.ts';
import { LIMITS } from './limits.ts';
import { type ReportProblem, type Shape, flag, list, object, only, string, typed, word } from './schema.ts';

/** Where blocks can be shown. */
export type Surface = 'message' | 'modal' | 'home';

const EVERYWHERE = ['section', 'header', 'context', 'actions', 'divider', 'image', 'rich_text', 'input', 'video'];

const SURFACES: Readonly<Record<Surface, Shape>> = {
  message: blocksOf(
    [
      ...EVERYWHERE,
      'markdown',
      'table',
      'data_table',
      'context_actions',
      'card',
      'carousel',
      'container',
      'data_visualization',
      'task_card',
      'plan',
    ],
    LIMITS.messageBlocks,
  ),
  modal: blocksOf([...EVERYWHERE, 'alert'], LIMITS.viewBlocks),
  home: blocksOf([...EVERYWHERE, 'card', 'carousel', 'container', 'data_visualization'], LIMITS.viewBlocks),
};

function blocksOf(types: readonly string[], max: number): Shape {
  const shape = list(typed(only(BLOCKS, types)), max, 0);
  return (value, pointer, report) => {
    shape(value, pointer, report);
    const blocks = objectsOf(value);
    once(
      blocks.map((block) => block['block_id']),
      (index) => report(`${pointer}/${index}/block_id`, 'block_id must be unique'),
    );
    blocks.forEach((block, index) => uniqueActions(block, `${pointer}/${index}`, report));
    if (blocks.filter((block) => block['type'] === 'table').length > 1) report(pointer, 'only one table allowed');
    const focused = blocks.flatMap(elementsOf).filter((element) => element['focus_on_load'] === true);
    if (focused.length > 1) report(pointer, 'only one element may have focus_on_load');
    const markdown = blocks
      .filter((block) => block['type'] === 'markdown')
      .map((block) => textOf(block['text']).length);
    if (markdown.reduce((sum, length) => sum + length, 0) > LIMITS.markdown)
      report(pointer, `markdown blocks must be less than ${LIMITS.markdown + 1} characters together`);
  };
}

/** A block's interactive elements, in drawing order. */
export function elementsOf(block: Fields): readonly Fields[] {
  if (block['type'] === 'carousel') return objectsOf(block['elements']).flatMap(elementsOf);
  if (block['type'] === 'container') return objectsOf(block['child_blocks']).flatMap(elementsOf);
  const inside = [
    block['accessory'],
    block['element'],
    ...objectsOf(block['elements']),
    ...objectsOf(block['actions']),
  ];
  return objectsOf(inside).filter((element) => 'action_id' in element);
}

function uniqueActions(block: Fields, pointer: string, report: ReportProblem): void {
  const ids = elementsOf(block).map((element) => element['action_id']);
  once(ids, (index) => report(`${pointer}/elements/${index}/action_id`, 'action_id must be unique'));
}

function once(values: readonly unknown[], onRepeated: (index: number) => void): void {
  const seen = new Set<unknown>();
  for (const [index, value] of values.entries()) {
    if (value !== undefined && seen.has(value)) onRepeated(index);
    seen.add(value);
  }
}

const shared = { private_metadata: string(LIMITS.privateMetadata), callback_id: id, external_id: id };

const VIEWS: Readonly<Record<'modal' | 'home', Shape>> = {
  modal: object(
    { type: word('modal'), title: plain(LIMITS.viewTitle), blocks: SURFACES.modal },
    {
      ...shared,
      close: plain(LIMITS.viewButton),
      submit: plain(LIMITS.viewButton),
      clear_on_close: flag,
      notify_on_close: flag,
      submit_disabled: flag,
    },
    (view, pointer, report) => {
      const asks = objectsOf(view['blocks']).some((block) => block['type'] === 'input');
      if (asks && view['submit'] === undefined) report(pointer, 'missing required field: submit');
    },
  ),
  home: object({ type: word('home'), blocks: SURFACES.home }, shared),
};

function complaints(shape: Shape, value: unknown, pointer: string): readonly string[] {
  const all: string[] = [];
  shape(value, pointer, (where, complaint) => all.push(`${complaint} [json-pointer:${where}]`));
  return all;
}

/** What Slack would refuse in a surface's blocks: sentences with JSON pointers, empty if all is well. */
export const blockComplaints = (blocks: unknown, surface: Surface, pointer = '/blocks'): readonly string[] =>
  complaints(SURFACES[surface], blocks, pointer);

/** What Slack would refuse in a view: its own fields and its blocks. */
export function viewComplaints(view: unknown, type: 'modal' | 'home'): readonly string[] {
  const declared = fieldsOf(view)['type'];
  return declared === type
    ? complaints(VIEWS[type], view, '/view')
    : [`must be a valid enum value [json-pointer:/view/type]`];
}
