import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Page } from '../../src/commands/kit/page.ts';
import { Refusal, type Offer } from '../../src/base/errors.ts';
import type { Card, Note } from '../../src/change/card.ts';
import type { Button } from '../../src/change/buttons.ts';
import { blockComplaints } from '../../src/playground/slack/block-kit/check.ts';
import { drawCard, drawNote, drawRefusal, type Drawn } from '../../src/block-kit/blocks.ts';
import { drawPage, isLong } from '../../src/block-kit/answer-pages.ts';
import { mrkdwnLine, visible } from '../../src/block-kit/text.ts';
import {
  bold,
  channel,
  code,
  inline,
  joined,
  link,
  list,
  mention,
  plain,
  say,
  time,
  type Text,
} from '../../src/words/text.ts';
import { hostile } from '../fixtures.ts';

/** An address that the policy made. */
const tracker = 'https://tracker.example/t?a=1&b=2';
/** Text of hostile pieces and spans of our own. */
const text: fc.Arbitrary<Text> = fc
  .array(
    fc.oneof(
      { weight: 4, arbitrary: hostile },
      hostile.map(bold),
      hostile.map(code),
      hostile.map((words) => link(words, tracker)),
      fc.constantFrom(time(1e12), time(1e12, 'date'), mention('U1'), channel('C1')),
      fc.array(hostile, { maxLength: 6 }).map((items) => list(items, 3, 'code', '\n')),
    ),
    { maxLength: 6 },
  )
  .map((parts) => joined(parts));
const args = fc.array(hostile, { maxLength: 5 });
const button: fc.Arbitrary<Button> = fc.record(
  {
    label: hostile,
    press: fc.oneof(
      fc.record({
        kind: fc.constantFrom('run' as const, 'form' as const, 'review' as const),
        args: args.map((rest) => ['logs', ...rest]),
      }),
      fc.record({ kind: fc.constant('share' as const), id: fc.uuid() }),
      fc.record({ kind: fc.constant('undo' as const), installation: fc.uuid(), number: fc.nat() }),
      fc.record({ kind: fc.constant('page' as const), id: fc.uuid(), from: fc.nat() }),
      fc.record({ kind: fc.constant('call' as const), page: fc.nat(), of: fc.constant(undefined) }),
      fc.record({
        kind: fc.constant('decision' as const),
        verdict: fc.constant('approve' as const),
        installation: fc.constant('f00d'),
        number: fc.nat(),
        version: fc.nat(),
      }),
    ),
    style: fc.constantFrom('primary' as const, 'danger' as const),
    confirm: fc.record({ title: hostile, says: text, yes: hostile }),
  },
  { requiredKeys: ['label', 'press'] },
);
const buttons = fc.array(button, { maxLength: 30 });
const card: fc.Arbitrary<Card> = fc.record({
  mark: fc.constantFrom('⏳', '⚠️'),
  headline: text,
  lines: fc.array(text, { maxLength: 5 }),
  warning: fc.option(text, { nil: undefined }),
  facts: fc.array(fc.tuple(hostile, text), { maxLength: 20 }),
  buttons,
});
const part: fc.Arbitrary<Page['parts'][number]> = fc.oneof(
  fc.record({ kind: fc.constant('text' as const), text }),
  fc.record({ kind: fc.constant('code' as const), text: hostile }),
  fc.record({ kind: fc.constant('list' as const), entries: fc.array(text, { maxLength: 60 }) }),
);
const table = fc.integer({ min: 1, max: 5 }).chain((width) =>
  fc.record({
    kind: fc.constant('table' as const),
    columns: fc.array(hostile, { minLength: width, maxLength: width }),
    rows: fc.array(fc.array(text, { minLength: width, maxLength: width }), { maxLength: 60 }),
  }),
);
const page: fc.Arbitrary<Page> = fc.record(
  {
    title: text,
    parts: fc
      .tuple(fc.array(part, { maxLength: 50 }), fc.option(table))
      .map(([parts, table]) => (table ? [table, ...parts] : parts)),
    source: text,
    offers: fc.array(fc.record({ label: hostile, args }), { maxLength: 8 }),
    file: fc.record({ name: hostile, content: hostile }),
  },
  { requiredKeys: ['title', 'parts'] },
);

/** Every text that Slack parses as markup, anywhere in the blocks. */
function markupIn(value: unknown): readonly string[] {
  if (typeof value !== 'object' || value === null) return [];
  const own = 'type' in value && value.type === 'mrkdwn' && 'text' in value ? [String(value.text)] : [];
  return [...own, ...Object.values(value).flatMap(markupIn)];
}
const ours = /<@U1>|<#C1>|<!date\^\d+\^\{[a-z_]+\}( at \{time\})?\|[\d: UTC-]+>/g;
/** The same without what is ours: of a link of ours, its words are left. */
const theirs = (markup: string): string =>
  markup.replaceAll(ours, '').replaceAll(/<https:\/\/tracker\.example\/t\?a=1&amp;b=2\|([^<>]+)>/g, '$1');

function holds({ text, blocks }: Drawn): void {
  expect(blockComplaints(blocks, 'message')).toEqual([]);
  expect(JSON.stringify(blocks).length).toBeLessThanOrEqual(12_000);
  expect(blocks.length).toBeGreaterThan(0);
  expect(text.length).toBeGreaterThan(0);
  expect(text.length).toBeLessThanOrEqual(4_000);
  for (const markup of [text, ...markupIn(blocks)]) expect(theirs(markup)).not.toMatch(/[<>]/);
  // Slack reads styles, emoji and addresses as markup too, where it reads any.
  for (const markup of markupIn(blocks)) expect(theirs(markup)).not.toMatch(/[*_~`&]|:\S|\S\.\S|\/\//);
  // An even number of backslashes is text, not an escape of JSON.
  const all = JSON.stringify({ text, blocks }, (key, value: unknown) => (key === 'value' ? undefined : value));
  expect(all).not.toMatch(/[\u202A-\u202E\u200B\uFEFF\u2066-\u2069]|(?<!\\)(?:\\\\)*\\u(?:d[89a-f]|00(?!0[9a]))/i);
}

describe('promise 6: for any content, a message stays within limits, and nothing in it pings, links or hides', () => {
  const always = <T>(arbitrary: fc.Arbitrary<T>, draw: (value: T) => Drawn): void =>
    fc.assert(
      fc.property(arbitrary, (value) => holds(draw(value))),
      { numRuns: 150 },
    );
  const offer = fc.record(
    { label: hostile, args, opens: fc.constant<'form'>('form') },
    { requiredKeys: ['label', 'args'] },
  );
  const refused = fc.record({ says: text, hint: text, offers: fc.array(offer, { maxLength: 5 }) });

  test('a card', () => always(card, drawCard));
  test('a note', () => always(fc.record({ text, buttons }), (note: Note) => drawNote(note)));
  test('a refusal', () => always(refused, ({ says, ...details }) => drawRefusal(new Refusal(says, details))));
  test('a page', () =>
    always(fc.tuple(page, fc.nat(60), fc.boolean()), ([page, from, kept]) =>
      drawPage(page, kept ? { id: 'answer', shareable: true } : undefined, from),
    ));
});

test.each<[string, Omit<Offer, 'args'>, string, Button['press']['kind']]>([
  ['runs', { label: 'Check again' }, 'Check again', 'run'],
  ['says with three dots that it opens a form', { label: 'Lock', opens: 'form' }, 'Lock…', 'form'],
  ['that ends with a path of three dots runs', { label: 'wp-content/…' }, 'wp-content/…', 'run'],
  ['just fits', { label: 'x'.repeat(75) }, 'x'.repeat(75), 'run'],
  ['cannot show its whole label, so it opens a form', { label: 'x'.repeat(76) }, `${'x'.repeat(74)}…`, 'form'],
  ['grows past its limit by what it makes visible', { label: `${'x'.repeat(70)}\u202E` }, `${'x'.repeat(70)}…`, 'form'],
])('a button %s', (_, offered, shown, kind) => {
  const { blocks } = drawRefusal(new Refusal('x', { offers: [{ ...offered, args: ['help'] }] }));
  const [button] = blocks.flatMap((block) => (block.type === 'actions' ? block.elements : []));
  expect(button).toMatchObject({ action_id: `${kind}:0`, text: { text: shown } });
});

describe('what is never dropped', () => {
  const long = 'x'.repeat(20_000);
  const press = { kind: 'run', args: ['help'] } as const;

  test('the buttons of a very long card', () => {
    const facts = Array.from({ length: 30 }, (_, index) => [`Fact ${index}`, inline(long)] as const);
    const drawn = drawCard({
      mark: '⏳',
      headline: inline(long),
      lines: [inline(long)],
      warning: inline(long),
      facts,
      buttons: [{ label: 'Approve', press }],
    });
    expect(JSON.stringify(drawn.blocks.at(-1))).toContain('Approve');
    holds(drawn);
  });

  test('a part that does not fit is replaced by a note with its length', () => {
    const parts = Array.from({ length: 10 }, () => ({ kind: 'code' as const, text: long }));
    const drawn = JSON.stringify(drawPage({ title: inline('x'), parts }, undefined).blocks);
    const left = /The rest is too long for a message: ([\d,]+) more characters/.exec(drawn)?.[1];
    const shown = [...drawn.matchAll(/x{100,}/g)].reduce((sum, [run]) => sum + run.length + 100, 0);
    expect(Number(left?.replaceAll(',', ''))).toBeGreaterThan(10 * 2_800 - shown - 1_000);
  });

  test('a button with a label that does not fit is left out, with its row', () => {
    const blocks = drawNote({
      text: inline('x'),
      buttons: [{ label: 'x', press: { kind: 'run', args: [long] } }],
    }).blocks;
    expect(blocks.map(({ type }) => type)).toEqual(['rich_text']);
  });

  test.each<[string, (rows: readonly (readonly Text[])[]) => Page['parts'][number]]>([
    ['rows of a table', (rows) => ({ kind: 'table', columns: ['a', 'b'], rows })],
    ['entries of a list', (rows) => ({ kind: 'list', entries: rows.map((row) => joined(row)) })],
    [
      'short entries with names and times',
      (rows) => ({
        kind: 'list',
        entries: rows.map(
          ([row = []]) => say`${row} ${code('#1')} by ${mention('U1')} ${time(0)} ${time(0)} ${time(0)}`,
        ),
      }),
    ],
  ])('the %s, page by page, each once', (_, partOf) => {
    const rows = Array.from({ length: 100 }, (_, index) => [inline(`row ${index}.`), inline('"'.repeat(300))]);
    const decisions = rows.map((_, row) => {
      return { label: `Cancel ${row}`, verdict: 'cancel', installation: 'f00d', number: row, version: 1, row } as const;
    });
    const page: Page = { title: inline('x'), parts: [partOf(rows)], decisions };
    const seen: string[] = [];
    for (let from: number | undefined = 0; from !== undefined;) {
      const all: string = JSON.stringify(drawPage(page, { id: 'answer', shareable: false }, from).blocks);
      const shown = [...all.matchAll(/row (\d+)\./g)].map(([, row = '']) => row);
      expect([...all.matchAll(/Cancel (\d+)/g)].map(([, row]) => row)).toEqual(shown.slice(0, 10));
      expect(all).not.toContain('too long');
      seen.push(...shown);
      from = /"value":"(\d+) answer"/.exec(all)?.slice(1).map(Number)[0];
    }
    expect(seen).toEqual(rows.map((_, index) => String(index)));
    // A page that is not kept has no *Next page*.
    expect(isLong({ title: inline('x'), parts: [partOf(rows.map(() => [inline('x')]))] })).toBe(true);
    expect(isLong({ title: inline('x'), parts: [partOf([[inline('x')]])] })).toBe(false);
    // Only what would not fit is kept for it, and all of that.
    for (let count = 1; count < 30; count += 1) {
      const some: Page = { title: inline('x'), parts: [partOf(rows.slice(0, count))] };
      const isCut = JSON.stringify(drawPage(some, undefined).blocks).includes('the rest is too long to keep');
      expect([count, isLong(some)]).toEqual([count, isCut]);
    }
  });

  test('a column with a long cell wraps its lines, which Slack does only on request', () => {
    const rows = [
      [code('#1'), inline('acme-shop/staging'), inline('the host did not answer, so nobody knows whether it is done')],
      [code('#2'), inline('acme-shop/live'), inline('done')],
    ].map((row) => row.map((cell) => inline(cell)));
    const { blocks } = drawPage(
      { title: inline('x'), parts: [{ kind: 'table', columns: ['Change', 'Environment', 'How it stands'], rows }] },
      undefined,
    );
    expect(blocks[1]).toMatchObject({
      column_settings: [{ is_wrapped: false }, { is_wrapped: false }, { is_wrapped: true }],
    });
  });

  test('a cut never splits a surrogate pair', () => {
    for (const length of [2_998, 2_999, 3_000]) {
      const drawn = drawNote({ text: inline(`${'x'.repeat(length)}😀😀`) });
      expect(JSON.stringify(drawn)).not.toMatch(/\\ud83d|D83D/i);
    }
  });
});

describe('how much does not fit is said', () => {
  const approve: Button = {
    label: 'Approve',
    press: { kind: 'decision', verdict: 'approve', installation: 'f00d', number: 1, version: 1 },
    confirm: { title: 'Approve?', says: inline('Push a → b'), yes: 'Approve' },
  };
  const cardWith = (facts: Card['facts'], more: Partial<Card> = {}): Card => ({
    mark: '⏳',
    headline: inline('Push'),
    lines: [],
    warning: undefined,
    facts,
    buttons: [approve],
    ...more,
  });
  /** The text of the confirm dialog before an approval. */
  const question = ({ blocks }: Drawn): string =>
    /"confirm":\{.*?"text":\{[^}]*"text":"(.*?)",/.exec(JSON.stringify(blocks))?.[1] ?? '';
  const addresses = Array.from({ length: 40 }, (_, at) => `198.51.100.${at}`);

  test.each<[string, Text]>([
    ['a line', inline('ж'.repeat(5_000))],
    ['several spans', [bold('ж'.repeat(2_990)), code('щ'.repeat(500))]],
  ])('a note: %s', (_, text) => {
    const drawn = JSON.stringify(drawNote({ text }).blocks);
    const left = /… \(([\d,]+) more characters\)/.exec(drawn)?.[1]?.replaceAll(',', '');
    expect([...drawn.matchAll(/[жщ]/g)]).toHaveLength(plain(text).length - Number(left));
  });

  test('a list on a card, and the question before it is approved', () => {
    const drawn = drawCard(cardWith([['Adds', [list(addresses, 20, 'code')]]]));
    expect(mrkdwnLine([list(addresses, 2)])).toBe('198.51.100.0, 198.51.100.1 and 38 more');
    expect(JSON.stringify(drawn.blocks)).toContain('198.51.100.19');
    expect(JSON.stringify(drawn.blocks)).not.toContain('198.51.100.20');
    expect(question(drawn)).toBe('Push a → b\\n20 items are not shown here: open “Everything that will be sent”.');
  });

  test('long texts and lists together; the dialog also says what it leaves out itself', () => {
    const drawn = drawCard(
      cardWith([['Adds', [list(['x'.repeat(3_000), 'b'], 1)]]], {
        buttons: [{ ...approve, confirm: { title: 'Approve?', says: inline('w'.repeat(900)), yes: 'Approve' } }],
      }),
    );
    expect(question(drawn)).toMatch(
      /w… \(\d+ more characters\)\\n1 item and 1,800 characters are not shown here: open/,
    );
    expect(question(drawn).length).toBeLessThanOrEqual(301);
    expect(JSON.stringify(drawn.blocks)).toContain('(1,800 more characters) and 1 more');
  });

  test('nothing is added if everything is shown', () => {
    expect(question(drawCard(cardWith([['Adds', [list(addresses.slice(0, 20), 20)]]])))).toBe('Push a → b');
  });

  test('only the dialog of the approval mentions what is not shown', () => {
    const stop: Button = {
      ...approve,
      press: { kind: 'decision', verdict: 'stop', installation: 'f', number: 1, version: 1 },
    };
    expect(question(drawCard(cardWith([['Adds', [list(addresses, 3)]]], { buttons: [stop] })))).toBe('Push a → b');
  });

  test('a link is one on a card, on a page and in its tables', () => {
    const text = say`“for ${link('#42 *:tada:*', tracker)}”`;
    const table = { kind: 'table', columns: ['a'], rows: [[text]] } as const;
    const drawn = [drawCard(cardWith([], { lines: [text] })), drawPage({ title: text, parts: [table] }, undefined)];
    const linked = `{"type":"link","url":"${tracker}","text":"#42 *:tada:*"}`;
    expect(drawn.map(({ blocks }) => JSON.stringify(blocks).split(linked).length - 1)).toEqual([1, 2]);
  });

  test('the last facts of a card are kept, however long the others are', () => {
    const facts = [
      ...Array.from({ length: 9 }, (_, at) => [`F${at}`, inline('x'.repeat(2_000))] as const),
      ['Approved by', inline('@Chi, 15:40')] as const,
    ];
    const drawn = drawCard(cardWith(facts));
    expect(JSON.stringify(drawn.blocks)).toContain('@Chi, 15:40');
    expect(question(drawn)).toMatch(/1\d,\d{3} characters are not shown here/);
    holds(drawn);
  });
});

describe('text as markup', () => {
  test.each<[string, Text, string]>([
    ['a mention of ours', say`by ${mention('U1')} in ${channel('C1')}`, 'by <@U1> in <#C1>'],
    ['a mention of theirs', say`by ${'<@U1> & co'}`, 'by &lt;@U1&gt; &amp; co'],
    ['a link', say`see ${link('<!here>|', tracker)}`, `see <${tracker.replace('&', '&amp;')}|&lt;!here&gt;|>`],
    ['a moment', say`at ${time(0)}`, 'at <!date^0^{time}|1970-01-01 00:00 UTC>'],
  ])('%s', (_, text, line) => {
    expect(mrkdwnLine(text)).toBe(line);
  });

  test.each([
    ['a\u202Eb', 'a⟨U+202E⟩b'],
    ['a\u{E0061}', 'a⟨U+E0061⟩'],
    ['\uD83D', '⟨U+D83D⟩'],
    ['👩‍👩‍👧 ❤️', '👩‍👩‍👧 ❤️'],
    ['tab\tline\n', 'tab\tline\n'],
  ])('%j is %j', (text, shown) => {
    expect(visible(text)).toBe(shown);
    expect(visible(shown)).toBe(shown);
  });
});

test('a text within a sentence starts no new line', () => {
  const name = 'shop\r\n✅ **Done** · #7';
  expect(plain(say`**${name}** ${bold(name)} ${code(name)} ${inline(name)}`)).not.toContain('\n');
  expect(plain(joined(['a', 'b'], '\n'))).toBe('a\nb');
});
