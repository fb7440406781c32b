import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Json } from '../../src/hosting/contract/call.ts';
import { detailsOfChange, type CallDetails } from '../../src/change/call-details.ts';
import { fingerprint } from '../../src/change/pin.ts';
import { blockComplaints, viewComplaints } from '../../src/playground/slack/block-kit/check.ts';
import { drawCallPage } from '../../src/block-kit/call-pages.ts';
import { callView } from '../../src/slack/forms/views.ts';
import { list, say, type Text } from '../../src/words/text.ts';
import type { Change } from '../../src/storage/changes.ts';
import { changeOf, hostile } from '../fixtures.ts';
import { readBack } from '../read-back.ts';

/** The pages of *Everything that will be sent*. */

type Facts = readonly (readonly [string, Text])[];
function changeWith(body: Json, facts: Facts = [], more: Partial<Change> = {}): Change {
  const call = JSON.stringify({ kind: 'write', section: '4.17', method: 'PUT', path: '/sites/tools/x', body });
  const card = JSON.stringify({ title: say`Let them in`, done: say`Let them in`, facts });
  return changeOf({ call, card, fingerprint: fingerprint(call, card), state: 'waiting', ...more });
}
const of = { installation: 'f00d', number: 1042 };
const [inMessage, inModal] = [{ of, surface: 'message' } as const, { of, surface: 'modal' } as const];
const allPages = (details: CallDetails, where: typeof inMessage | typeof inModal = inMessage) => {
  const draw = (page: number) => drawCallPage(details, { ...where, page });
  const count = Number(/ of (\d+)$/.exec(draw(1).text)?.[1]);
  return Array.from({ length: count }, (_, index) => draw(index + 1));
};

/** All text in blocks. */
const textsIn = (value: unknown): string =>
  typeof value !== 'object' || value === null
    ? ''
    : Object.entries(value)
        .map(([key, one]) => (key === 'text' && typeof one === 'string' ? one : textsIn(one)))
        .join('');

/** The lines of the preformatted blocks of pages. */
function linesIn(value: unknown): readonly string[] {
  if (typeof value !== 'object' || value === null) return [];
  if ('type' in value && value.type === 'rich_text_preformatted' && 'elements' in value) {
    return textsIn(value.elements).split('\n');
  }
  return Object.values(value).flatMap(linesIn);
}

describe('promise 5: pages of the full request', () => {
  const addresses = Array.from({ length: 10_000 }, (_, at) => `10.${at >> 16}.${(at >> 8) & 255}.${at & 255}`);
  const paths = Array.from({ length: 5_000 }, (_, at) => `wp-content/uploads/2026/${at}/ü-${'x'.repeat(at % 90)}.jpg`);

  test.each<[string, readonly string[]]>([
    ['10,000 addresses', addresses],
    ['5,000 paths', paths],
    ['one', ['198.51.100.4']],
  ])('%s: each is on a page, once in the request and once in the facts, and the request is complete', (_, items) => {
    const details = detailsOfChange(changeWith({ items }, [['Adds', [list(items, 20)]]]), []);
    const pages = allPages(details);
    for (const { blocks } of pages) {
      expect(blockComplaints(blocks, 'message')).toEqual([]);
      expect(JSON.stringify(blocks).length).toBeLessThan(12_000);
    }
    for (const page of allPages(details, inModal)) {
      expect(viewComplaints(callView(page), 'modal')).toEqual([]);
      expect(JSON.stringify(page).length).toBeLessThan(25_000);
    }
    const all = pages.flatMap(({ blocks }) => linesIn(blocks));
    const request = all.slice(all.indexOf('PUT /sites/tools/x') + 1);
    expect(readBack(request)).toBe(JSON.stringify({ items }));
    const facts = all.slice(0, all.indexOf('PUT /sites/tools/x'));
    expect(facts.filter((line) => !line.endsWith('↩'))).toHaveLength(items.length);
    // Lines are short enough for phones.
    expect(Math.max(...all.map((line) => line.length))).toBeLessThanOrEqual(62);
  });

  test('for any content, stay within limits, and nothing in them hides', () => {
    const facts = fc.array(
      fc.tuple(
        hostile,
        fc.oneof(
          hostile.map((one) => say`${one}`),
          fc.array(hostile).map((all) => [list(all, 3)]),
        ),
      ),
    );
    fc.assert(
      fc.property(fc.array(hostile), facts, hostile, (items, said, reason) => {
        const details = detailsOfChange(changeWith({ items }, said, { reason, requester_name: reason }), []);
        for (const { blocks } of allPages(details)) {
          expect(blockComplaints(blocks, 'message')).toEqual([]);
          expect(JSON.stringify(blocks).length).toBeLessThan(12_000);
          expect(textsIn(blocks)).not.toMatch(/[[\p{Cc}\p{Cs}\p{Bidi_Control}\u200B\uFEFF]--[\n\t]]/v);
        }
      }),
      { numRuns: 60 },
    );
  });

  test('show the whole fingerprint, the approvers and what a secret is', () => {
    const sha256 = 'a'.repeat(64);
    const authorization = JSON.stringify({
      approval: { requirements: [], expires: 1, reason: 'optional' },
      asks: [{ count: 2, people: Array.from({ length: 9 }, (_, at) => `U0${at}`), groups: ['leads'] }],
      rules: [1],
      policy: 'p',
    });
    const change = changeWith({ custom_ssl_key: { $secret: 'acme.key', sha256 } }, [], { authorization });
    const said = JSON.stringify(allPages(detailsOfChange(change, [])));
    expect(said).toContain(change.fingerprint);
    expect(said).toContain('"user_id":"U08"');
    expect(said).toContain('acme.key');
    expect(said).toContain('its name, and the SHA-256 that it must have');
  });
});

describe('the buttons of a page', () => {
  const long = detailsOfChange(
    changeWith({ items: Array.from({ length: 2_000 }, (_, at) => `item-${at}`) }, [
      [
        'Adds',
        [
          list(
            Array.from({ length: 2_000 }, (_, at) => `item-${at}`),
            5,
          ),
        ],
      ],
    ]),
    [],
  );
  const last = allPages(long).length;
  const draw = (page: number) => drawCallPage(long, { ...inMessage, page });
  const labels = (page: number): readonly string[] =>
    draw(page).blocks.flatMap((block) =>
      block.type === 'actions' ? block.elements.map((one) => textsIn(one).trim()) : [],
    );

  test('lead to the pages before and after, to both ends and to the request', () => {
    expect(labels(1)).toEqual(['Next', 'Last', 'The request']);
    expect(labels(2)).toContain('Previous');
    expect(labels(last)).toEqual(['Previous', 'First']);
    expect(draw(last + 7)).toEqual(draw(last));
    expect(draw(0)).toEqual(draw(1));
  });
  test('are absent if there is only one page', () => {
    const only = drawCallPage(detailsOfChange(changeWith({}), []), { ...inMessage, page: 1 });
    expect(JSON.stringify(only.blocks)).not.toContain('"actions"');
  });
});
