import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { blockComplaints, viewComplaints } from '../../../src/playground/slack/block-kit/check.ts';
import { answerComplaints } from '../../../src/playground/slack/block-kit/composition.ts';

const x = (length: number): string => 'x'.repeat(length);
const many = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index));
const plain = (text: string) => ({ type: 'plain_text', text });
const mrkdwn = (text: string) => ({ type: 'mrkdwn', text });
const section = (text = 'hello') => ({ type: 'section', text: mrkdwn(text) });
const button = (apart: object = {}) => ({ type: 'button', text: plain('Go'), ...apart });
const actions = (...elements: object[]) => ({ type: 'actions', elements });
const option = (text: string, value = text) => ({ text: plain(text), value });
const select = (apart: object = {}) => ({ type: 'static_select', options: [option('a')], ...apart });
const input = (element: object, apart: object = {}) => ({ type: 'input', label: plain('L'), element, ...apart });
const confirm = (apart: object) => ({
  title: plain('T'),
  text: plain('t'),
  confirm: plain('y'),
  deny: plain('n'),
  ...apart,
});
const row = (cells: number) => many(cells, (index) => ({ type: 'raw_text', text: `${index}` }));
const rich = (...elements: object[]) => ({ type: 'rich_text', elements: [{ type: 'rich_text_section', elements }] });

type Limit = readonly [what: string, largest: number, make: (size: number) => object | readonly object[]];

/** Each limit with its maximum: the maximum passes, one more is refused. */
const LIMITS: readonly Limit[] = [
  ['blocks of a message', 50, (size) => many(size, () => section())],
  ['header text', 150, (size) => ({ type: 'header', text: plain(x(size)) })],
  ['section text', 3000, (size) => section(x(size))],
  ['section fields', 10, (size) => ({ type: 'section', fields: many(size, () => mrkdwn('f')) })],
  ['section field', 2000, (size) => ({ type: 'section', fields: [mrkdwn(x(size))] })],
  ['context elements', 10, (size) => ({ type: 'context', elements: many(size, () => mrkdwn('c')) })],
  ['actions', 25, (size) => actions(...many(size, () => button()))],
  ['block id', 255, (size) => ({ ...section(), block_id: x(size) })],
  ['action id', 255, (size) => actions(button({ action_id: x(size) }))],
  ['button text', 75, (size) => actions(button({ text: plain(x(size)) }))],
  ['button value', 2000, (size) => actions(button({ value: x(size) }))],
  ['button url', 3000, (size) => actions(button({ url: `https://a.test/${x(size - 15)}` }))],
  ['accessibility label', 75, (size) => actions(button({ accessibility_label: x(size) }))],
  ['select options', 100, (size) => actions(select({ options: many(size, (index) => option(`o${index}`)) }))],
  [
    'option groups',
    100,
    (size) =>
      actions({
        type: 'static_select',
        option_groups: many(size, () => ({ label: plain('g'), options: [option('a')] })),
      }),
  ],
  ['option text', 75, (size) => actions(select({ options: [option(x(size), 'v')] }))],
  ['option value', 75, (size) => actions(select({ options: [option('t', x(size))] }))],
  ['placeholder', 150, (size) => actions(select({ placeholder: plain(x(size)) }))],
  ['overflow options', 5, (size) => actions({ type: 'overflow', options: many(size, (index) => option(`o${index}`)) })],
  ['checkboxes', 10, (size) => actions({ type: 'checkboxes', options: many(size, (index) => option(`o${index}`)) })],
  [
    'radio buttons',
    10,
    (size) => actions({ type: 'radio_buttons', options: many(size, (index) => option(`o${index}`)) }),
  ],
  ['confirm title', 100, (size) => actions(button({ confirm: confirm({ title: plain(x(size)) }) }))],
  ['confirm text', 300, (size) => actions(button({ confirm: confirm({ text: mrkdwn(x(size)) }) }))],
  ['confirm button', 30, (size) => actions(button({ confirm: confirm({ confirm: plain(x(size)) }) }))],
  ['deny button', 30, (size) => actions(button({ confirm: confirm({ deny: plain(x(size)) }) }))],
  ['input label', 2000, (size) => input({ type: 'plain_text_input' }, { label: plain(x(size)) })],
  ['input hint', 2000, (size) => input({ type: 'plain_text_input' }, { hint: plain(x(size)) })],
  ['initial text', 3000, (size) => input({ type: 'plain_text_input', initial_value: x(size) })],
  ['alternative text', 2000, (size) => ({ type: 'image', image_url: 'https://a.test/i.png', alt_text: x(size) })],
  ['markdown', 12_000, (size) => ({ type: 'markdown', text: x(size) })],
  ['table rows', 100, (size) => ({ type: 'table', rows: many(size, () => row(1)) })],
  ['table cells', 20, (size) => ({ type: 'table', rows: [row(size)] })],
  ['tables', 1, (size) => many(size, () => ({ type: 'table', rows: [row(1)] }))],
  ['card title', 150, (size) => ({ type: 'card', title: mrkdwn(x(size)) })],
  ['card body', 200, (size) => ({ type: 'card', body: mrkdwn(x(size)) })],
  ['cards', 10, (size) => ({ type: 'carousel', elements: many(size, () => ({ type: 'card', title: mrkdwn('c') })) })],
  [
    'list indent',
    8,
    (size) => ({
      type: 'rich_text',
      elements: [{ type: 'rich_text_list', style: 'bullet', indent: size, elements: [] }],
    }),
  ],
];

const modal = (apart: object = {}) => ({
  type: 'modal',
  title: plain('T'),
  submit: plain('S'),
  blocks: [section()],
  ...apart,
});

const VIEW_LIMITS: readonly Limit[] = [
  ['title', 24, (size) => modal({ title: plain(x(size)) })],
  ['submit', 24, (size) => modal({ submit: plain(x(size)) })],
  ['close', 24, (size) => modal({ close: plain(x(size)) })],
  ['private metadata', 3000, (size) => modal({ private_metadata: x(size) })],
  ['callback id', 255, (size) => modal({ callback_id: x(size) })],
  ['external id', 255, (size) => modal({ external_id: x(size) })],
  ['blocks of a modal', 100, (size) => modal({ blocks: many(size, () => section()) })],
];

describe('Block Kit limits', () => {
  it.each(LIMITS)('%s: %i passes and one more is refused', (_, largest, make) => {
    expect(blockComplaints([make(largest)].flat(), 'message')).toEqual([]);
    expect(blockComplaints([make(largest + 1)].flat(), 'message')).not.toEqual([]);
  });

  it.each(VIEW_LIMITS)('a modal’s %s: %i passes and one more is refused', (_, largest, make) => {
    expect(viewComplaints(make(largest), 'modal')).toEqual([]);
    expect(viewComplaints(make(largest + 1), 'modal')).not.toEqual([]);
  });

  it('says what is wrong and where', () => {
    expect(blockComplaints([section(), section(x(3001))], 'message')).toEqual([
      'must be less than 3001 characters [json-pointer:/blocks/1/text/text]',
    ]);
  });
});

const REFUSED: readonly (readonly [what: string, block: object | readonly object[], says: string])[] = [
  ['an unknown block', { type: 'banner' }, 'unsupported type: banner'],
  ['a block without a type', { text: plain('x') }, 'missing required field: type'],
  ['an alert in a message', { type: 'alert', text: plain('x') }, 'unsupported type: alert'],
  ['an unknown field', { ...section(), colour: 'red' }, 'invalid additional property: colour'],
  ['an empty section', { type: 'section' }, 'text or fields'],
  ['an empty text', section(''), 'more than 0 characters'],
  ['mrkdwn in a header', { type: 'header', text: mrkdwn('x') }, 'valid enum value'],
  ['a string for a text', { type: 'section', text: 'x' }, 'must be an object'],
  ['no actions', actions(), 'no fewer than 1 items'],
  ['a text input among actions', actions({ type: 'plain_text_input' }), 'unsupported type'],
  ['a button as input', input(button()), 'unsupported type: button'],
  [
    'one block id twice',
    [
      { ...section(), block_id: 'a' },
      { ...section(), block_id: 'a' },
    ],
    'block_id must be unique',
  ],
  ['one action id twice', actions(button({ action_id: 'a' }), button({ action_id: 'a' })), 'action_id must be unique'],
  ['options and groups', actions(select({ option_groups: [] })), 'either options or option_groups'],
  [
    'one option value twice',
    actions(select({ options: [option('a', 'v'), option('b', 'v')] })),
    'values must be unique',
  ],
  ['a choice that is not offered', actions(select({ initial_option: option('b') })), 'must match an option'],
  ['an unknown button style', actions(button({ style: 'warning' })), 'valid enum value'],
  ['a script as url', actions(button({ url: 'javascript:alert(1)' })), 'must be a URL'],
  ['a bad query length', actions({ type: 'external_select', min_query_length: -1 }), 'between'],
  ['an empty rich text', rich({ type: 'text', text: '' }), 'more than 0 characters'],
  ['an unknown rich text part', rich({ type: 'shout', text: 'x' }), 'unsupported type: shout'],
  ['a person without an id', rich({ type: 'user' }), 'missing required field: user_id'],
  [
    'a link in place of a section',
    { type: 'rich_text', elements: [{ type: 'link', url: 'https://a.test' }] },
    'unsupported type: link',
  ],
  ['a bare cell', { type: 'table', rows: [['x']] }, 'must be an object'],
  ['an empty card', { type: 'card' }, 'missing required field'],
];

describe('Block Kit structure', () => {
  it.each(REFUSED)('refuses %s', (_, block, says) => {
    expect(blockComplaints([block].flat(), 'message').join('\n')).toContain(says);
  });

  it.each([
    ['modal', { type: 'alert', text: plain('x'), level: 'warning' }, true],
    ['home', { type: 'alert', text: plain('x') }, false],
    ['modal', { type: 'table', rows: [row(1)] }, false],
    ['home', { type: 'markdown', text: 'x' }, false],
    ['modal', { type: 'card', title: mrkdwn('x') }, false],
    ['home', { type: 'card', title: mrkdwn('x') }, true],
    ['message', { type: 'table', rows: [row(2)] }, true],
    ['message', { type: 'table', rows: [row(2)], column_settings: [null, { align: 'right' }] }, true],
    ['message', { type: 'table', rows: [row(2)], column_settings: ['right'] }, false],
    ['message', { type: 'table', rows: [[{ type: 'raw_text', text: '' }]] }, true],
    ['message', { type: 'table', rows: [[{ type: 'raw_text' }]] }, false],
  ] as const)('in a %s: %o is %s', (surface, block, fits) => {
    expect(blockComplaints([block], surface).length === 0).toBe(fits);
  });

  it('requires a submit button in a modal with inputs', () => {
    const asks = { type: 'modal', title: plain('T'), blocks: [input({ type: 'plain_text_input' })] };
    expect(viewComplaints(asks, 'modal').join()).toContain('submit');
    expect(viewComplaints({ ...asks, submit: plain('Send') }, 'modal')).toEqual([]);
  });

  it('counts markdown blocks together', () => {
    const two = many(2, () => ({ type: 'markdown', text: x(6001) }));
    expect(blockComplaints(two, 'message').join()).toContain('together');
  });

  it('checks answers to suggestion requests', () => {
    const options = (count: number) => ({ options: many(count, (index) => option(`o${index}`)) });
    expect(answerComplaints(options(0))).toEqual([]);
    expect(answerComplaints(options(100))).toEqual([]);
    expect(answerComplaints(options(101))).not.toEqual([]);
    expect(answerComplaints({})).not.toEqual([]);
    expect(answerComplaints(undefined)).not.toEqual([]);
  });

  it('never throws, for any input', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.constantFrom('message', 'modal', 'home'), (sent, surface) => {
        expect(Array.isArray(blockComplaints(sent, surface))).toBe(true);
      }),
    );
    expect(blockComplaints([JSON.parse('{"type":"__proto__","__proto__":{}}')], 'message')).not.toEqual([]);
  });
});
